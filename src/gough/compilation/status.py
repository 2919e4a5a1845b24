"""From names of failed checks to statuses, and what to do about bad states."""

from collections.abc import Callable, Sequence

import numpy as np

from gough.errors import EXPLANATION, BadStateError, Status, UsageError

ON_BAD_STATE = ("raise", "mark")
IN_PYTHON = "; good ones are in the exception's .result (or pass on_bad_state='mark')"
"""What callers in Python are told; commands leave it out."""
TURNED_REMEDY = "no small motion mends a joint that is put in turned; begin at another q (near=), model.home is closed"

NO_REST = "forces are out of balance along a motion that does not change them: there is no rest next to here; give other forces"
OF_CHECKS = {"singular:stiffness": NO_REST}
"""What some checks mean, where it is not what their status means elsewhere."""


def status_of(name: str) -> Status:
    """Status of a failed check "status:place"; "" is OK."""
    return Status[name.split(":")[0].upper()] if name else Status.OK


def place_of(name: str) -> str:
    """The place a check names ("leg3", "drives", …)."""
    return name.split(":", 1)[1] if ":" in name else ""


def check_option(on_bad_state: str) -> None:
    """Refuse an unknown on_bad_state."""
    if on_bad_state not in ON_BAD_STATE:
        raise UsageError(f"on_bad_state={on_bad_state!r}; use 'raise' or 'mark'")


def complain(
    where: str,
    names: np.ndarray,
    batch: tuple[int, ...],
    result,
    explain: Callable[[int, str], str] | None = None,
) -> None:
    """Raise BadStateError for the failed checks `names` (n,), "" for good states.

    explain: (state, check) -> what more can be said about the first state of each kind.
    """
    bad = np.flatnonzero(names != "")
    kinds: dict[str, list[int]] = {}
    for i in bad:
        kinds.setdefault(str(names[i]), []).append(int(i))
    lines = []
    for name, states in list(kinds.items())[:6]:
        index = tuple(int(k) for k in np.unravel_index(states[0], batch)) if batch else ()
        at = f" (first at index {index[0] if len(index) == 1 else index})" if batch else ""
        status = status_of(name)
        reason = TURNED_REMEDY if ", turned by " in name else OF_CHECKS.get(name, EXPLANATION[status])
        lines.append(f"  {len(states)} × {status.name} at {place_of(name)}{at}: {reason}")
        more = explain(states[0], name) if explain is not None else ""
        if more:
            lines.append(f"    {more}")
    total = int(np.prod(batch, dtype=int)) if batch else 1
    others = IN_PYTHON if len(bad) < total else ""
    raise BadStateError(f"{where}: {len(bad)} of {total} states are bad{others}.\n" + "\n".join(lines), result)


def codes(names: Sequence[str] | np.ndarray) -> np.ndarray:
    """Status codes (n,) of check names."""
    found = np.asarray(names, dtype=object).ravel()
    out = np.zeros(len(found), dtype=np.uint8)
    for i in np.flatnonzero(found != ""):
        out[i] = status_of(found[i])
    return out


def places(names: np.ndarray) -> np.ndarray:
    """Places (n,) that check names speak of."""
    out = np.full(len(names), "", dtype=object)
    for i in np.flatnonzero(names != ""):
        out[i] = place_of(str(names[i]))
    return out
