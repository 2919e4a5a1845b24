"""Sines and cosines in the text itself: the same bits on every machine of IEEE 754, which functions of libm do not promise.

The angle is reduced by whole quarter turns; π/2 is given in three parts, two of which times the number of quarters are exact. On
[-π/4, π/4] polynomials give sine and cosine: in double precision those of fdlibm (`program/passes/expand_angles.py`), in single
precision three terms each, minimax in units of the last place. An angle beyond the reduction is no number; the status says so.
"""

import re
from collections.abc import Sequence

from gough.program.passes.expand_angles import COSINE, HALF_PI, SINE, TWO_OVER_PI

FARTHEST = {"double": 1e6, "single": 8192.0}
"""Angle (rad) beyond which the reduction is not exact."""
_SINGLE_HALF_PI = ("1.5703125f", "4.837512969970703e-4f", "7.549790e-8f")
_SINGLE_SINE = ("-1.6666655e-1f", "8.332178e-3f", "-1.9517235e-4f")
_SINGLE_COSINE = ("4.1666646e-2f", "-1.3887315e-3f", "2.4433082e-5f")
_CALLS = re.compile(r"/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|\b(?P<function>sin|cos)f?\(", re.DOTALL)


def with_own_sines(text: str, precision: str) -> str:
    """The same statements with sines and cosines of their own, which stand in front; as it is where there are none."""

    def changed(found: re.Match[str]) -> str:
        if found["function"] is None:
            return found.group()
        return f"turned_sine({'1U' if found['function'] == 'cos' else '0U'}, "

    changes = _CALLS.sub(changed, text)
    return text if changes == text else f"{_function(precision)}\n\n{changes}"


def _function(precision: str) -> str:
    if precision == "single":
        real, f, parts, sine, cosine = "float", "f", _SINGLE_HALF_PI, _SINGLE_SINE, _SINGLE_COSINE
        over = "0.63661975f"
    else:
        real, f, over = "double", "", repr(TWO_OVER_PI)
        parts, sine, cosine = ([repr(x) for x in row] for row in (HALF_PI, SINE, COSINE))
    return f"""\
/* Sine of an angle (rad) that is some quarter turns ahead; no number beyond {FARTHEST[precision]:g}. */
static {real} turned_sine(uint32_t ahead, {real} x) {{
    if (!(fabs{f}(x) <= {FARTHEST[precision]!r}{f})) {{
        return ({real})NAN;
    }}
    const int32_t turns = (int32_t)(x * {over} + (x < 0.0{f} ? -0.5{f} : 0.5{f}));
    const {real} n = ({real})turns;
    const {real} r = x - n * {parts[0]} - n * {parts[1]} - n * {parts[2]};
    const {real} z = r * r;
    const {real} s = r + r * z * ({_polynomial(sine)});
    const {real} c = 1.0{f} - 0.5{f} * z + z * z * ({_polynomial(cosine)});
    const uint32_t quarter = (uint32_t)turns + ahead;
    const {real} y = (quarter & 1U) != 0U ? c : s;
    return (quarter & 2U) != 0U ? -y : y;
}}"""


def _polynomial(coefficients: Sequence[str]) -> str:
    """Of z, by Horner's rule."""
    *first, text = coefficients
    for x in reversed(first):
        text = f"{x} + z * ({text})" if " " in text or text.startswith("-") else f"{x} + z * {text}"
    return text
