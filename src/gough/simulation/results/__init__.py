"""Runs: what a simulation gives."""
