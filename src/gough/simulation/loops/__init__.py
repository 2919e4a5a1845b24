"""Control loops by linear theory: what a law and a robot are together at a pose, their margins, and maps of these."""
