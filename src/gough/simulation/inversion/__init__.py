"""Stable inversion: forces with which a tool on a robot that bends is exactly on its path."""
