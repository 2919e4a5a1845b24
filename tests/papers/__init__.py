"""The papers' printed equations, transcribed once in NumPy floats, and tests against them."""
