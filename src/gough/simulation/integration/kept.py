"""Traced programs and machine code of time loops, kept with the model: a second run of the same form begins at once.

A form is all that shapes the code of a plant: the structure of its law and of the robot that the law computes with, the shape of
the motion's rows, the frames of its wrenches, the law's own states. Gains, limits, coefficients of the motion, loads, durations
and the numbers of a design are inputs of the code, whatever the form.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.service import CompiledLoop, compile_loop
from gough.locks import make_lock, make_nested_lock
from gough.program import Program
from gough.simulation._formulas import digest_of

if TYPE_CHECKING:
    from gough.simulation.control.law import Law

MOST_FORMS = 24
"""Forms whose code a model keeps; the one that was not used for the longest time goes first."""
MOST_DESIGNS = 8
"""Designs whose numbers a loop keeps."""


@dataclass(frozen=True, eq=False)
class LoopCode:
    """The program of a time loop of one run, and its machine code as soon as it is asked for."""

    program: Program
    _tables: dict[bytes, np.ndarray] = field(default_factory=dict, init=False)
    _made: list[CompiledLoop] = field(default_factory=list, init=False)
    _lock: Any = field(default_factory=make_lock, init=False)

    @property
    def march(self) -> CompiledLoop:
        """Machine code."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(compile_loop(self.program, one_run=True))
        return self._made[0]

    def table(self, parameters: np.ndarray) -> np.ndarray:
        """Numbers of a design (n,) as machine code reads them; those of the last few designs are known."""
        key = parameters.tobytes()
        found = self._tables.get(key)
        if found is None:
            if len(self._tables) >= MOST_DESIGNS:
                self._tables.clear()
            found = self._tables[key] = self.march.table({"parameters": parameters})
        return found


class Kept:
    """What was made for one form, by name."""

    def __init__(self) -> None:
        self.made: dict[Hashable, Any] = {}
        self.lock = make_nested_lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What is behind a name; made where nothing is."""
        with self.lock:
            if key not in self.made:
                self.made[key] = make()
            return self.made[key]


class Recent:
    """What was found last for some arguments, which say all that it depends on."""

    def __init__(self, most: int = 16) -> None:
        self.most, self.known, self.lock = most, OrderedDict[Hashable, Any](), make_lock()

    def get(self, key: Hashable, find: Callable[[], Any]) -> Any:
        """What is behind a key; found where nothing is."""
        with self.lock:
            if key in self.known:
                self.known.move_to_end(key)
                return self.known[key]
        found = find()
        with self.lock:
            self.known[key] = found
            if len(self.known) > self.most:
                self.known.popitem(last=False)
        return found


class KeptForms:
    """All forms of a model. Threads may ask at the same time."""

    def __init__(self) -> None:
        self.forms: OrderedDict[Hashable, Kept] = OrderedDict()
        self.lock = make_lock()

    def of(self, form: Hashable) -> Kept:
        """What is kept of a form."""
        with self.lock:
            found = self.forms.setdefault(form, Kept())
            self.forms.move_to_end(form)
            if len(self.forms) > MOST_FORMS:
                self.forms.popitem(last=False)
            return found


def law_form(law: "Law", traced: Callable[[], Program]) -> Hashable:
    """What of a law shapes its code. A class says so by a `structure` of its own; what one that is derived from it does, nobody
    knows, and what its functions read beside their arguments neither: those are traced, and compared by what they have become."""
    if law.prescribed:  # what it does is no part of the code
        return type(law), law.limit is None
    known = law.known_form
    return (type(law), digest_of(traced())) if known is None else known
