"""Inner names of `gough.cli`."""

from gough.cli.evaluate import gather, read_table
from gough.cli.main import app

__all__ = ["app", "gather", "read_table"]
