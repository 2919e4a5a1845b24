"""What is known of forces of [Pedrammehr 2012] from the transcription of its equations, tests/papers/pedrammehr2012."""

from gough_papers.comparison import Origin
from gough_papers.pedrammehr2012.pods import PRINTED, Switches

COSTS: dict[str, tuple[Switches, float, float]] = {
    "parallel axes, pods": (Switches(eq32=False, eq32_axes=False), 231.0, 0.5),
    "parallel axes, pods, in their own axes": (Switches(eq32=False), 223.0, 0.5),
    "parallel axis, platform": (Switches(eq50=False), 15.0, 0.05),
    "divisor in (25)": (Switches(eq25=False), 0.35, 0.005),
}
"""{name: (what is computed, known largest change on path 3 (N), tolerance)}."""
CLOSED_COSTS: dict[str, tuple[Switches, float, float]] = {
    "terms off the axis": (Switches(eq42=False), 12.6, 0.05),
    "arm of the lower part": (Switches(eq43=False), 14.1, 0.05),
    "rate in S_i": (Switches(appendix1=False), 47.6, 0.05),
}
"""The same of the closed form."""
NO_SPIN, AT_REST = 10.5, 67.0
"""N: what leaving the spin out changes on path 3; what the moment along u × v makes on path 1 with the platform held still."""
APART: dict[str, tuple[Switches, tuple[float, float, float]]] = {
    "as printed": (PRINTED, (67.0, 32.9, 268.5)),
    "corrected": (Switches(), (67.3, 31.3, 45.2)),
}
"""{name: (what is computed, its largest difference from the simplified model on paths 1, 2, 3, N)}."""
CLOSED = (58.8, 32.9, 273.3)
"""The same of the closed form with every slip as our text has it."""
BOTH = "[Pedrammehr 2012, eqs. 1–5, 8–9, 13–17, 22–23, 25–28, 32–33, 45–47, 49–50, corrected], (9) by way of (11)"
ROUTES = {
    "direct route": f"{BOTH}; [Pedrammehr 2012, eqs. 29–30, 36–37, 40]",
    "closed form": f"{BOTH}; [Pedrammehr 2012, eqs. 41–43, Appendix 1, corrected]",
}
"""{route: its equations}."""
SIMPLER = Origin(
    "transcription", "`tests/papers/pedrammehr2012/direct.py`, simplified or with one improvement left out"
)
CLOSED_FORM = Origin("transcription", "`tests/papers/pedrammehr2012/closed.py`")
