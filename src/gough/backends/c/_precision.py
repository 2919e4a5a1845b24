"""Text of double precision as text of single precision: numbers, the type, functions of libm."""

import re

import numpy as np

from gough.errors import UsageError

_FUNCTIONS = ("sqrt", "sin", "cos", "atan2", "fabs", "rint")
_TOKENS = re.compile(
    r"(?P<comment>/\*.*?\*/)|(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<number>(?<![\w.])(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+))"
    r"|\b(?P<type>double)\b|\b(?P<function>" + "|".join(_FUNCTIONS) + r")(?=\()|\b(?P<infinity>HUGE_VAL)\b",
    re.DOTALL,
)


def single_precision(text: str) -> str:
    """The same statements on floats: constants are rounded once, those beyond the range are infinite, those below the smallest
    normal number are that one."""
    if "memcpy" in text:
        raise UsageError("loops over what is done alike have sines in double precision; use precision='double'")

    def changed(found: re.Match[str]) -> str:
        kind, word = found.lastgroup, found.group()
        if kind == "number":
            return _number(float(word))
        if kind in ("comment", "text"):
            return word
        return "float" if kind == "type" else f"{word}F" if kind == "infinity" else f"{word}f"

    return _TOKENS.sub(changed, text)


def _number(x: float) -> str:
    limits = np.finfo(np.float32)
    if abs(x) > float(limits.max):
        return "HUGE_VALF"
    y = np.float32(x if x == 0.0 else max(x, float(limits.tiny)))
    text = str(y)
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
