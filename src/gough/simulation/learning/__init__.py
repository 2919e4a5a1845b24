"""Learning from one run to the next."""
