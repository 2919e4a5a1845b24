"""Operations of a text, as people count them."""

from gough.program.ops import Op
from gough.program.program import Program
from gough.program.rolling import Rolled

_KINDS = {
    "multiply-adds": (Op.FMA, Op.FMS, Op.FNMA, Op.FNMS),
    "multiplications": (Op.MUL,),
    "additions": (Op.ADD, Op.SUB),
    "divisions": (Op.DIV, Op.RCP, Op.RSQRT),
    "square roots": (Op.SQRT, Op.RSQRT),
    "sines and cosines": (Op.SIN, Op.COS),
    "arc tangents": (Op.ATAN2,),
}


def tally(program: Program) -> dict[str, int]:
    """{kind: number} of a program without blocks; signs and comparisons are not counted."""
    return {kind: sum(op in ops for op in program.ops) for kind, ops in _KINDS.items()}


def tally_rolled(rolled: Rolled) -> dict[str, int]:
    """The same of a rolled program: what runs once, then what runs in every lane."""
    once = _together([tally(s.program) for s in rolled.stages if s.lanes == 1])
    lane = _together([tally(s.program) for s in rolled.stages if s.lanes > 1])
    return once | {f"and in each of {rolled.lanes} lanes {kind}": n for kind, n in lane.items()}


def _together(rows: list[dict[str, int]]) -> dict[str, int]:
    return {kind: sum(row[kind] for row in rows) for kind in _KINDS}
