"""How many threads a call may use."""

import os

from gough.arguments import checked, nothing, whole
from gough.errors import UsageError

_chosen: int | None = None


@checked(n=whole(1) | nothing)
def set_threads(n: int | None) -> None:
    """Threads of all later calls; None: all cores this process may use (or $GOUGH_NUM_THREADS)."""
    global _chosen
    _chosen = None if n is None else _checked(n)


def thread_count(asked: int | None = None) -> int:
    """Threads of one call: what it asks for, else what `set_threads` chose, else the environment, else all cores."""
    if asked is not None:
        return _checked(asked)
    if _chosen is not None:
        return _chosen
    named = os.environ.get("GOUGH_NUM_THREADS", "")
    if named:
        try:
            return _checked(int(named))
        except ValueError:
            raise UsageError(
                f"the number of threads GOUGH_NUM_THREADS={named!r}: set it to a positive number, or not at all"
            ) from None
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _checked(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"threads={n!r}; give a positive number")
    return n
