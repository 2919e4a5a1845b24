"""Locks that a forked child finds open: the thread that held one at the fork is none of the child's, and would never let it go.

What a lock guards may be half made then. So it is filled in one go, as the last thing done under its lock.
"""

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threading import Lock, RLock

_known: weakref.WeakSet[Any] = weakref.WeakSet()


def make_lock() -> "Lock":
    """As `threading.Lock`."""
    lock = threading.Lock()
    _known.add(lock)
    return lock


def make_nested_lock() -> "RLock":
    """As `threading.RLock`: a thread may take it again."""
    lock = threading.RLock()
    _known.add(lock)
    return lock


def _open_all() -> None:
    for lock in list(_known):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
