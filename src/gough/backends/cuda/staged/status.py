"""Checks in stages: bits of the status word by name, for stages that run once and for those in lanes.

A check that has another name in every lane sets the lane's bit of a word of its own; names are looked up at the end.
"""

from collections import Counter

from gough.backends.cuda.checks import BITS
from gough.backends.cuda.operations import check_range, failed_check, literal, not_finite
from gough.backends.cuda.staged.pieces import Pieces
from gough.errors import Failure
from gough.program.program import NOT_FINITE, Program
from gough.program.rolling import LaneCheck


class StagedChecks:
    """Checks of all pieces. bits: their names, by the status word's bits (bit 0: a result is not finite)."""

    def __init__(self, program: Program, pieces: Pieces, double: bool) -> None:
        self.double, self.lanes = double, pieces.lanes
        every = [check for p in pieces.pieces for check in p.checks]
        names = (*(c.failure for c in program.checks), *(n for c in every for n in c.failures))
        self.bits = (NOT_FINITE, *dict.fromkeys(names))
        self.bit = {name: min(k, BITS - 1) for k, name in enumerate(self.bits)}
        alike = Counter(key for c in every if (key := _one(c)) is not None)
        several = [key for key, count in alike.items() if (count > 1 or self.lanes > 1) and double and key[1] >= 0.0]
        self.tops = {key: k for k, key in enumerate(several)}
        self.failing: dict[int, None] = {}
        self.in_lanes: dict[tuple[Failure, ...], int] = {}
        self.minima: dict[tuple[float, ...], int] = {}
        self.lane_word = "unsigned long long" if pieces.lanes > 32 else "unsigned"

    def declared(self) -> list[str]:
        """Variables; to be written after all `lines`."""
        words = ["word = 0u", *(["largest = 0u"] if self.double else []), *(f"top{k} = 0u" for k in self.tops.values())]
        lines = [f"    unsigned {', '.join(words)};"]
        lines += [f"    bool fails{bit} = false;" for bit in self.failing]
        return lines + [f"    {self.lane_word} lanes{k} = 0u;" for k in self.in_lanes.values()]

    def of_result(self, x: str) -> str:
        """A result must be finite."""
        if self.double:
            return f"    keep_larger(largest, (unsigned)upper({x}) << 1);"
        return f"    if ({not_finite(x)}) word |= 1u;"

    def line(self, check: LaneCheck, x: str) -> str:
        """Test of a value x, in a lane `leg` where the names say so."""
        key = _one(check)
        if key in self.tops:
            return f"    keep_larger(top{self.tops[key]}, (unsigned)upper({x}) - {check_range(key[1])[0]}u);"
        if len(set(check.minima)) == 1:
            fails = failed_check(x, check.minima[0], self.double)
        else:
            at = self.minima.setdefault(check.minima, self.lanes * len(self.minima))
            fails = f"!({x} >= least[{at} + leg])"
        if len(set(check.failures)) == 1:
            bit = self.bit[check.failures[0]]
            self.failing[bit] = None
            return f"    fails{bit} |= {fails};"
        k = self.in_lanes.setdefault(check.failures, len(self.in_lanes))
        return f"    lanes{k} |= ({self.lane_word})({fails}) << leg;"  # no branch: it would keep operations from mixing

    def tables(self) -> list[str]:
        """Minima that differ from lane to lane."""
        numbers = ", ".join(literal(x, self.double) for row in self.minima for x in row)
        return [f"__constant__ real least[] = {{{numbers}}};"] if numbers else []

    def joined(self) -> list[str]:
        """What goes into the status word."""
        lines = ["    if (largest >= 0xffe00000u) word |= 1u;"] if self.double else []
        for (name, least), k in self.tops.items():
            lines.append(f"    if (top{k} >= {check_range(least)[1]}u) word |= {1 << self.bit[name]}u;")
        lines += [f"    if (fails{bit}) word |= {1 << bit}u;" for bit in self.failing]
        for names, k in self.in_lanes.items():
            lines.append(f"    if (lanes{k}) {{")
            lines += [f"      if (lanes{k} >> {j} & 1) word |= {1 << self.bit[n]}u;" for j, n in enumerate(names)]
            lines.append("    }")
        return lines


def _one(check: LaneCheck) -> tuple[Failure, float] | None:
    """Name and minimum of a check that are the same in all lanes."""
    if len(set(check.failures)) == 1 and len(set(check.minima)) == 1:
        return check.failures[0], check.minima[0]
    return None
