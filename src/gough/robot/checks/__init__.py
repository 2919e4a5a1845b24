"""Checks of a whole robot: on raw data while it is read, and on what can hardly be meant."""
