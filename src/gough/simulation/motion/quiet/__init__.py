"""Moves that leave least vibration: a time law along a straight path, found by quadratic programs."""
