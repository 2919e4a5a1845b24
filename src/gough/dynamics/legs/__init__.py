"""Closed-form inverse geometry of the usual legs: which kind a leg is, its coordinates, its angles."""
