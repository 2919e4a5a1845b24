"""The application: global options and the list of commands.

Exit codes: 0 good; 1 a check failed (of `gough check`, the description itself); 2 bad usage, or a description that cannot be
used; 3 some states are bad; 130 interrupted.

Commands import the library when they run, not when they are listed: `gough --help` is quick.
"""

import io
import re
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

import gough
from gough.cli import failure
from gough.cli.bench import bench
from gough.cli.check import check
from gough.cli.count import count
from gough.cli.design import search_designs
from gough.cli.evaluate import evaluate
from gough.cli.export import convert, export
from gough.cli.failure import BAD_USAGE
from gough.cli.identify import identify
from gough.cli.list_robots import list_robots
from gough.cli.map import survey
from gough.cli.modes import show_modes
from gough.cli.opening import with_foreign_options
from gough.cli.reproduce import reproduce
from gough.cli.show import show
from gough.cli.simulate import simulate
from gough.cli.verify import verify
from gough.cli.view import view
from gough.cli.where import cite, find_code

# Options that mean something beside another one only: given alone they are refused, not ignored.
#
# Which ones these are is said once, by their help: "With --plot: …", "With --out or --scenario: …".

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


app = typer.Typer(
    help="Exact dynamics of parallel robots.",
    epilog="Exit codes: 0 good; 1 a check failed (`gough check` found problems, `gough design` no "
    "design); 2 bad usage, or a description that a command cannot use; 3 some states are bad; 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMMANDS = {
    "list": list_robots,
    "show": show,
    "check": check,
    "convert": convert,
    "count": count,
    "eval": evaluate,
    "verify": verify,
    "map": survey,
    "modes": show_modes,
    "simulate": simulate,
    "identify": identify,
    "design": search_designs,
    "reproduce": reproduce,
    "view": view,
    "export": export,
    "bench": bench,
    "where": find_code,
    "cite": cite,
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gough {gough.__version__}")
        raise typer.Exit()


@app.callback()
def take_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Exact dynamics of parallel robots: derived, compiled, run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek or Japanese shows "?" in their place
    failure.show_tracebacks(debug)


for _name, _command in COMMANDS.items():
    app.command(_name, cls=Command)(failure.guard(with_foreign_options(_command)))
