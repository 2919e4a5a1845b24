"""Meshes of a robot from its model: plain arrays, no browser."""
