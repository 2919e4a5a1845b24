"""Measures of very many designs at once, straight from the variables: which of them may be on a front."""
