"""Checks of a state in a kernel: a bit of the status word for every name, in as few instructions as they take.

Checks with one name and minimum keep only the largest of their numbers (see `check_range`), one instruction each; others
keep whether one of them failed. Both go into the word at the end.
"""

from collections import Counter

from gough.backends.cuda.operations import check_range, failed_check, not_finite
from gough.program.program import NOT_FINITE, NodeCheck, Program

BITS = 32


class Checks:
    """The checks of a program. bits: their names, by the status word's bits (bit 0: a result is not finite)."""

    def __init__(self, program: Program, double: bool) -> None:
        self.double = double
        self.bits = (NOT_FINITE, *dict.fromkeys(c.failure for c in program.checks))
        self.bit = {name: min(k, BITS - 1) for k, name in enumerate(self.bits)}
        self.of_node: dict[int, list[NodeCheck]] = {}
        for check in program.checks:
            self.of_node.setdefault(check.node, []).append(check)
        alike = Counter((c.failure, c.minimum) for c in program.checks)
        several = [key for key, count in alike.items() if count > 1 and double and key[1] >= 0.0]
        self.tops = {key: k for k, key in enumerate(several)}
        self.failing: dict[int, None] = {}

    def __contains__(self, node: int) -> bool:
        return node in self.of_node

    def declared(self) -> list[str]:
        """Variables; to be written after all `lines`."""
        names = [f"top{k} = 0u" for k in self.tops.values()]
        lines = [f"    unsigned word = 0u{', largest = 0u' if self.double else ''};"]
        if names:
            lines.append(f"    unsigned {', '.join(names)};")
        return lines + [f"    bool fails{bit} = false;" for bit in self.failing]

    def tables(self) -> list[str]:
        """Numbers in constant memory: none."""
        return []

    def lines(self, node: int, x: str, result: bool) -> list[str]:
        """Tests of a node's value x."""
        lines = []
        if result and self.double:
            lines.append(f"    keep_larger(largest, (unsigned)upper({x}) << 1);")
        elif result:
            lines.append(f"    if ({not_finite(x)}) word |= 1u;")
        for check in self.of_node.get(node, ()):
            key = (check.failure, check.minimum)
            if key in self.tops:
                top = f"top{self.tops[key]}"
                lines.append(f"    keep_larger({top}, (unsigned)upper({x}) - {check_range(check.minimum)[0]}u);")
            else:
                bit = self.bit[check.failure]
                self.failing[bit] = None
                lines.append(f"    fails{bit} |= {failed_check(x, check.minimum, self.double)};")
        return lines

    def joined(self) -> list[str]:
        """What goes into the status word."""
        lines = ["    if (largest >= 0xffe00000u) word |= 1u;"] if self.double else []
        for (name, least), k in self.tops.items():
            lines.append(f"    if (top{k} >= {check_range(least)[1]}u) word |= {1 << self.bit[name]}u;")
        return lines + [f"    if (fails{bit}) word |= {1 << bit}u;" for bit in self.failing]
