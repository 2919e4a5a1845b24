"""Equations of motion in time, and methods to integrate them."""
