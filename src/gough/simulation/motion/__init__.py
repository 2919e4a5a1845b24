"""Prescribed motions: families, files, limits, tables for time loops."""
