"""Backends: program in, callable or text out; they know no robot."""
