"""Laws of mechanics over every robot: `subjects` are the robots, their references and random states."""
