"""A simulation as a file."""
