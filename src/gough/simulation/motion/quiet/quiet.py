"""A move that leaves least vibration in a given time, and the quickest one that leaves little enough.

From one point to another on the straight way between them, by a time law that is searched for: a spline of degree 5 from rest to
rest, without jerk at both ends and never backwards, that keeps limits everywhere and leaves the modes along the path, drives
locked, the least amplitude on average over a band of their frequencies (see `_path_modes`, `_left`, `_search`).
"""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from gough.arguments import a_model, callback, checked, design, flag, number, whole, word, words
from gough.errors import UsageError
from gough.progress import doing, waiting
from gough.simulation.motion._law_limits import law_limits, limits_of
from gough.simulation.motion._points import Where, points_of
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.paths import PolynomialPath
from gough.simulation.motion.quiet._path_modes import PathModes, path_modes
from gough.simulation.motion.quiet._search import FARTHEST, LawSearch, QuietLaw
from gough.simulation.motion.shaping import ShapedMode, Shaping

if TYPE_CHECKING:
    from gough.model import Model

log = logging.getLogger(__name__)
TIMES = 33
"""At which a quiet motion tells its modes."""


@checked(
    model=a_model,
    duration=number(above=0, most=LONGEST),
    band=number(least=0, most=0.5),
    tolerance=number(above=0, most=1.0),
    pieces=whole(8, 400),
    samples=whole(9, 2000),
    parameters=design,
    progress=flag | callback,
    names=words,
    orientation=word,
    frame=word,
    extend=word,
)
def quiet(
    model: "Model",
    *,
    duration: float | None = None,
    band: float = 0.1,
    tolerance: float = 0.05,
    speed: Any = None,
    acceleration: Any = None,
    jerk: Any = None,
    snap: Any = None,
    turn_speed: Any = None,
    turn_acceleration: Any = None,
    turn_jerk: Any = None,
    turn_snap: Any = None,
    pieces: int | None = None,
    samples: int = 33,
    parameters: Any = None,
    progress: Callable[[float, float], object] | bool | None = None,
    **where: Unpack[Where],
) -> Motion:
    """From one point to another (see `Where`) so that least vibration is left, at frequencies up to `band` (a part) higher and
    lower than those along the path; without a duration (s) as quickly as that is no more than tolerance, a part of the largest
    elastic deflection on the way. A duration in which more is left is refused, and the one that would do is named.

    model: whose modes along the path are computed, at `samples` poses, drives locked. speed … snap, turn_speed … turn_snap:
    limits as of `s_curve`, all of them optional; without one on acceleration, jerk or snap, twice a septic's acceleration.
    pieces: of the time law; default six for a period of the slowest mode, 40 to 120. parameters: of another design. progress:
    called with each duration (s) that was tried and what its best law leaves; True: a line on terminals. It takes seconds for 40
    modes in a duration, and some ten durations are tried where none is given.
    """
    points = points_of(where)
    if len(points) != 2:
        raise UsageError(
            f"quiet: {len(points)} points; give two, and chain several moves (motion.then), each of them quiet"
        )
    if not any(points.distances(0)):
        raise UsageError("quiet: points 0 and 1 are the same; nothing moves")
    own = limits_of("quiet", (speed, acceleration, jerk, snap), "", points)
    turn = limits_of("quiet", (turn_speed, turn_acceleration, turn_jerk, turn_snap), "turn_", points)
    numbers = model.parameters
    if parameters is not None:
        numbers = (
            model.parameters_with(parameters) if isinstance(parameters, Mapping) else np.asarray(parameters, float)
        )
    line = PolynomialPath(np.array([0.0, 1.0]), np.array([[[0.0, 1.0]]]))
    tell = progress if callable(progress) else lambda duration, left: None
    line_on_terminal = waiting(time.monotonic()) if progress is True else nullcontext()
    with line_on_terminal, doing(f"quiet: modes of {model.robot.name} at {samples} poses"):
        modes = path_modes(model, points.move(0, line), samples, numbers)
        search = LawSearch(modes, band, law_limits(0, points, own, turn), pieces, tell)
        found = _found_law(search, duration, tolerance)
    log.info(
        "%s: %.6g s, of the elastic peak %.2g left, %.2g at most over frequencies of ±%g %%, %d modes from %.6g Hz on",
        *(model.robot.name, found.law.duration, found.nominal, found.worst, 100 * band, modes.count, modes.slowest),
    )
    return replace(points.move(0, found.law), shaped=(_told(modes, found),))


def _told(modes: PathModes, found: QuietLaw) -> Shaping:
    """What the law was searched for."""
    t = np.linspace(0.0, found.law.duration, TIMES)
    values = modes.at(found.law.at(t, False)[0][:, 0])[0][0]
    size = np.abs(values)
    each = [ShapedMode(None, t, size[:, k] / (2 * np.pi), -values[:, k].real / size[:, k]) for k in range(modes.count)]
    return Shaping("quiet", tuple(each), left=(found.nominal, found.worst))


def _found_law(search: LawSearch, duration: float | None, tolerance: float) -> QuietLaw:
    period = 1.0 / search.modes.slowest
    if duration is None:
        least = max(search.shortest(period), 0.25 * period)
        found = search.quickest(least, tolerance)
        if found is None:
            raise UsageError(
                f"quiet: no duration up to {least + FARTHEST * period:.4g} s leaves {tolerance:g} of the elastic peak or less "
                "over the band; take a narrower band=, a larger tolerance=, or other limits"
            )
        return found
    if not search.is_possible(duration):
        raise UsageError(
            f"quiet: the limits take {search.shortest(2 * duration):.4g} s, not {duration:.6g} s; give more time or higher limits"
        )
    found = search.best(duration)
    if found.worst > tolerance:
        other = search.quickest(duration, tolerance)
        do = "no longer one does" if other is None else f"{other.law.duration:.4g} s would do"
        raise UsageError(
            f"quiet: in {duration:.6g} s {found.worst:.3g} of the elastic peak is left somewhere within ±{100 * search.band:g} % "
            f"of the frequencies ({found.nominal:.3g} at these themselves), more than tolerance={tolerance:g}; {do}"
        )
    return found
