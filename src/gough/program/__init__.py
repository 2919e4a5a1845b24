"""Straight-line programs: recorded from equations, simplified, counted, differentiated; they know no robot."""

from gough.program.count import Count, count
from gough.program.interpreter import evaluate
from gough.program.program import NodeCheck, Program, Slot
from gough.program.text import to_text
from gough.program.trace import trace

__all__ = ["Count", "NodeCheck", "Program", "Slot", "count", "evaluate", "to_text", "trace"]
