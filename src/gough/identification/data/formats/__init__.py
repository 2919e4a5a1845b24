"""Logs of every format become tables of columns: a reader a format."""
