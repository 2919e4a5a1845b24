"""Laws that drive a robot."""
