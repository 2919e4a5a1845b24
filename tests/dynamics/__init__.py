"""Every algorithm of `gough.dynamics` against truth from outside; `comparisons` holds the shared comparison."""
