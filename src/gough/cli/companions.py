"""Options that mean something beside another one only: given alone they are refused, not ignored.

Which ones these are is said once, by their help: "With --plot: …", "With --out or --scenario: …".
"""

import re
from typing import Any

import typer
from typer.core import TyperCommand

from gough.cli.failure import BAD_USAGE

_WITH = re.compile(r"With (--[\w-]+)(?: or (--[\w-]+))?")


class Command(TyperCommand):
    """A command whose options are looked at together before it runs."""

    def invoke(self, ctx: Any) -> Any:
        """See `TyperCommand`; exit code 2 where an option lacks its companion."""
        given = {
            option: parameter
            for parameter in self.params
            if getattr(ctx.get_parameter_source(parameter.name), "name", "") == "COMMANDLINE"
            for option in parameter.opts
        }
        for option, parameter in given.items():
            found = _WITH.match(getattr(parameter, "help", None) or "")
            wanted = [name for name in found.groups() if name] if found else []
            if wanted and not any(name in given for name in wanted):
                typer.echo(f"error: {option} goes with {' or '.join(wanted)}; give both, or leave it out", err=True)
                raise typer.Exit(BAD_USAGE)
        return super().invoke(ctx)
