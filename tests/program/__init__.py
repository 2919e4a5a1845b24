"""Straight-line programs; `specimens` makes them, `precise` evaluates them with 50 digits."""
