"""Nastran's files: bulk data, matrices, modes. pyNastran is loaded when first needed."""
