"""Calibration: the geometry of a robot from measured poses, or from more joints measured than it has freedoms."""
