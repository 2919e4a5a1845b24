"""Passes: program in, program out; the same values to rounding and never more work."""
