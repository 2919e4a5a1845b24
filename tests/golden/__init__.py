"""Golden files; `regenerate` writes them."""
