"""What is said and done about bad states."""

from collections.abc import Callable
from itertools import repeat
from operator import is_
from typing import Any

import numpy as np

from gough.errors import EXPLANATION, GOOD, BadStateError, Failure, Site, Status, UsageError

ON_BAD_STATE = ("raise", "mark")
IN_PYTHON = "; good ones are in the exception's .result (or pass on_bad_state='mark')"
"""What callers in Python are told; commands leave it out."""
OTHERS_ALONE = "; give it the others alone"
"""The same of calls that do not mark states."""
TURNED_REMEDY = "no small motion mends a joint that is put in turned; begin at another q (near=), model.home is closed"

NO_REST = "forces are out of balance along a motion that does not change them: there is no rest next to here; give other forces"
NO_INERTIA = (
    "a force acts along this velocity, in which nothing has inertia: give what it moves an inertia (its body, or `armature` of "
    "the joint), or take friction, springs and loads off it"
)
CONTRADICTION = (
    "this closure or coupling repeats what others say in the robot's own design, and contradicts them in the design of this "
    "call: change the numbers of all of them together, or build the robot of that design"
)
OF_SITES = {
    (Status.SINGULAR, Site.STIFFNESS): NO_REST,
    (Status.SINGULAR, Site.NO_INERTIA): NO_INERTIA,
    (Status.OPEN_LOOP, Site.TURNED): TURNED_REMEDY,
    (Status.OPEN_LOOP, Site.CONTRADICTION): CONTRADICTION,
}
"""What a status means at some sites, where it is not what it means elsewhere."""


def check_option(on_bad_state: str) -> None:
    """Refuse an unknown on_bad_state."""
    if on_bad_state not in ON_BAD_STATE:
        raise UsageError(f"on_bad_state={on_bad_state!r}; use 'raise' or 'mark'")


Telling = Callable[[int, Failure], Callable[[], str]]
"""(state, failure) -> what says, when it is asked, more about that state; it keeps what it needs of the state."""


def complain(
    where: str,
    failures: np.ndarray,
    batch: tuple[int, ...],
    result,
    explain: Telling | None = None,
    marks: bool = True,
) -> None:
    """Raise BadStateError for failures (n,).

    explain: what more can be said about the first state of each kind. marks: whether the call has on_bad_state, and a result
    with the good states.
    """
    bad = np.flatnonzero(failures != GOOD)
    kinds: dict[Failure, list[int]] = {}
    for i in bad:
        kinds.setdefault(failures[i], []).append(int(i))
    shown = [
        (failure, states, None if explain is None else explain(states[0], failure))
        for failure, states in list(kinds.items())[:6]
    ]
    raise BadStateError("", result, lambda: _report(shown, len(bad), batch, marks), where)


def _report(
    shown: list[tuple[Failure, list[int], Callable[[], str] | None]], bad: int, batch: tuple[int, ...], marks: bool
) -> str:
    lines = []
    for failure, states, more in shown:
        index = tuple(int(k) for k in np.unravel_index(states[0], batch)) if batch else ()
        at = f" (first at index {index[0] if len(index) == 1 else index})" if batch else ""
        reason = OF_SITES.get((failure.status, failure.site), EXPLANATION[failure.status])
        lines.append(f"  {len(states)} × {failure.status.name} at {failure.place}{at}: {reason}")
        said = "" if more is None else more()
        if said:
            lines.append(f"    {said}")
    total = int(np.prod(batch, dtype=int)) if batch else 1
    others = (IN_PYTHON if marks else OTHERS_ALONE) if bad < total else ""
    return f"{bad} of {total} states are bad{others}.\n" + "\n".join(lines)


def rename(error: BadStateError, call: str, result: Any) -> BadStateError:
    """What `complain` raised within a call, as that call says it and with its own result."""
    return BadStateError("", result, lambda: error.report, call)


def are_good(failures: np.ndarray) -> np.ndarray:
    """Which of the states (n,) are good: `failures == GOOD`, at a fifth of its time, as most are GOOD itself."""
    good = np.fromiter(map(is_, failures, repeat(GOOD)), dtype=bool, count=len(failures))
    others = np.flatnonzero(~good)
    good[others] = failures[others] == GOOD
    return good


def codes(failures: np.ndarray) -> np.ndarray:
    """Status codes (n,)."""
    bad = np.flatnonzero(~are_good(failures))
    out = np.full(len(failures), Status.OK, dtype=np.uint8)
    out[bad] = [f.status for f in failures[bad]]
    return out


def places(failures: np.ndarray, status: np.ndarray) -> np.ndarray:
    """Places (n,) of failures with their codes (n,), "" for good states."""
    bad, out = np.flatnonzero(status), np.full(len(failures), "", dtype=object)
    out[bad] = [f.place for f in failures[bad]]
    return out
