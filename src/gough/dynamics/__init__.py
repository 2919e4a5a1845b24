"""Equations of motion, one algorithm a file, on any scalar."""
