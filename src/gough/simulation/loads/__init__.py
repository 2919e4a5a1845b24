"""What the surroundings do to a robot while it moves: wrenches over time."""
