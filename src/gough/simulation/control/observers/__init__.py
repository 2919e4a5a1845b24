"""Observers: what a law on a clock believes of a robot that bends, from readings of its sensors."""
