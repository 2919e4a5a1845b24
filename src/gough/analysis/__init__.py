"""Questions about a model: is it right, where does it work, what does it feel."""
