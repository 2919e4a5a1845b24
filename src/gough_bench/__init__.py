"""Timing against peers on the same robot and the same states."""
