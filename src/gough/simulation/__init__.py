"""Robots in motion: prescribed motions, controllers, time integration, results."""
