"""Checks of a state in a kernel: a bit of the status word for every name, in as few instructions as they take.

Checks with one name and minimum keep only the largest of their numbers (see `check_range`), one instruction each; others keep
whether one of them failed. A check that has another name in every lane sets the lane's bit of a word of its own; names are looked
up at the end. All go into the word at the end.
"""

import struct
from collections import Counter
from collections.abc import Iterable, Sequence

from gough.backends._cfamily import Dialect
from gough.errors import Failure
from gough.program.program import NOT_FINITE, NodeCheck
from gough.program.rolling import LaneCheck

BITS = 32


def check_range(least: float) -> tuple[int, int]:
    """(start, length): the upper half of x, minus start as an unsigned number, is below length if x >= least.

    Comparing upper halves as integers spares the floating-point units: numbers from `least` (not negative) to infinity
    are a range of them. Infinities, NaN and what is within 1e-6 of failing fall outside, to be judged with care.
    """
    start = struct.unpack(">I", struct.pack(">d", least)[:4])[0] + (least > 0.0)
    return start, 0x7FF00000 - start


def single_lane(check: NodeCheck) -> LaneCheck:
    """A check of straight code."""
    return LaneCheck((check.failure,), (check.minimum,))


class StatusChecks:
    """Checks of a kernel, in `lanes`. names: of checks that must have a bit; bits: names by the status word's bits (bit 0: a
    result is not finite)."""

    def __init__(self, names: Iterable[Failure], checks: Sequence[LaneCheck], lanes: int, dialect: Dialect) -> None:
        self.dialect, self.lanes = dialect, lanes
        self.double = dialect.stands_for == "double"
        self.bits = (NOT_FINITE, *dict.fromkeys((*names, *(n for c in checks for n in c.failures))))
        self.bit = {name: min(k, BITS - 1) for k, name in enumerate(self.bits)}
        alike = Counter(key for c in checks if (key := _one(c)) is not None)
        several = [key for key, n in alike.items() if (n > 1 or lanes > 1) and self.double and key[1] >= 0.0]
        self.tops = {key: k for k, key in enumerate(several)}
        self.failing: dict[int, None] = {}
        self.in_lanes: dict[tuple[Failure, ...], int] = {}
        self.minima: dict[tuple[float, ...], int] = {}
        self.lane_word = "unsigned long long" if lanes > 32 else "unsigned"

    def declarations(self) -> list[str]:
        """Variables; to be written after all `lines`."""
        words = ["word = 0u", *(["largest = 0u"] if self.double else []), *(f"top{k} = 0u" for k in self.tops.values())]
        lines = [f"    unsigned {', '.join(words)};"]
        lines += [f"    bool fails{bit} = false;" for bit in self.failing]
        return lines + [f"    {self.lane_word} lanes{k} = 0u;" for k in self.in_lanes.values()]

    def of_result(self, x: str) -> str:
        """A result must be finite."""
        if self.double:
            return f"    keep_larger(largest, (unsigned)upper({x}) << 1);"
        return f"    if (!(fabs({x}) <= 3.402823466e+38f)) word |= 1u;"

    def line(self, check: LaneCheck, x: str) -> str:
        """Test of a value x, in a lane `leg` where the names say so."""
        key = _one(check)
        if key in self.tops:
            return f"    keep_larger(top{self.tops[key]}, (unsigned)upper({x}) - {check_range(key[1])[0]}u);"
        if len(set(check.minima)) == 1:
            fails = self._fails(x, check.minima[0])
        else:
            at = self.minima.setdefault(check.minima, self.lanes * len(self.minima))
            fails = f"!({x} >= least[{at} + leg])"
        if len(set(check.failures)) == 1:
            bit = self.bit[check.failures[0]]
            self.failing[bit] = None
            return f"    fails{bit} |= {fails};"
        k = self.in_lanes.setdefault(check.failures, len(self.in_lanes))
        return f"    lanes{k} |= ({self.lane_word})({fails}) << leg;"  # no branch: it would keep operations from mixing

    def _fails(self, x: str, least: float) -> str:
        """Condition that x >= least does not hold, or nearly so."""
        if not self.double or least < 0.0:
            return f"!({x} >= {self.dialect.number(least)})"
        start, length = check_range(least)
        return f"(unsigned)upper({x}) - {start}u >= {length}u"

    def tables(self) -> list[str]:
        """Minima that differ from lane to lane."""
        numbers = ", ".join(self.dialect.number(x) for row in self.minima for x in row)
        return [f"__constant__ real least[] = {{{numbers}}};"] if numbers else []

    def status_lines(self) -> list[str]:
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
