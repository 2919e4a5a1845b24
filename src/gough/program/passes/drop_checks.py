"""Leave out the checks (for counting by the counting rules, and for callers who test states themselves)."""

from dataclasses import replace

from gough.program.passes.dead_code import remove_dead_code
from gough.program.program import Program


def drop_checks(program: Program) -> Program:
    """The same program without checks."""
    return remove_dead_code(replace(program, checks=()))
