"""Rigid mechanisms by energies and automatic differentiation: `lagrange.Reference`, and `states` to compare at."""
