"""Linear-quadratic regulators and filters about rest at a pose, by exact linear models."""
