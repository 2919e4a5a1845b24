"""Inner names of `gough.cli`."""

from gough.cli.evaluate import gather, read_table
from gough.cli.main import app
from gough.cli.output import WaitingLine

__all__ = ["WaitingLine", "app", "gather", "read_table"]
