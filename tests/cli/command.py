"""Run `gough` in this process."""

import json

from typer.testing import CliRunner

from inner.cli import app

QUICK = "lopes_simplified"
"""The gallery robot with the smallest programs."""


def gough(*arguments, code=0):
    """(stdout, stderr) of a command that ends with an exit code."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr
    return result.stdout, result.stderr


def gough_json(*arguments, code=0):
    """The JSON a command prints; it prints nothing else on stdout."""
    out, _ = gough(*arguments, "--json", code=code)
    return json.loads(out, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
