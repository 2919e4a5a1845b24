"""A study: what varies, what it is asked for, and what comes out."""
