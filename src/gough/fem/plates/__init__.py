"""Flat plates of any outline."""
