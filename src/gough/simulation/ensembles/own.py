"""What a run of an ensemble has for itself: a design, loads. Numbers given to all runs of a time loop become a run's own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.program import Program, Slot
from gough.program.graph import INPUT
from gough.simulation.integration.wrenches import Wrenches

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
GIVEN, OWN = "given", "own"


@dataclass(frozen=True, eq=False)
class Loads:
    """Constant wrenches of all runs. wrenches: those of the first run, which say on what they act; values (runs or 1, 6 a
    frame): of every run, N and N·m; empty where there are none."""

    wrenches: Wrenches
    values: Array

    @classmethod
    def of(cls, model: "Model", wrench: Any) -> "Loads":
        """From (6,) or (runs, 6) on the platform, or {frame: (6,) or (runs, 6)}, world axes."""
        if wrench is None:
            return cls(Wrenches(), np.zeros((1, 0)))
        given = wrench if isinstance(wrench, Mapping) else {"": wrench}
        if not given:
            return cls(Wrenches(), np.zeros((1, 0)))
        rows = []
        for frame, value in given.items():
            x = np.atleast_2d(floats("wrench", value))
            if x.ndim != 2 or x.shape[1] != 6 or not len(x) or not np.isfinite(x).all():
                whose = f"[{frame!r}]" if frame else ""
                raise UsageError(
                    f"wrench{whose}: give finite numbers (6,) or (runs, 6): fx fy fz mx my mz, world axes, constant in a run"
                )
            rows.append(x)
        first = {frame: x[0] for frame, x in zip(given, rows, strict=True)}
        wrenches = Wrenches.of(model, first[""] if set(first) == {""} else first)
        counts = {len(x) for x in rows} - {1}
        if len(counts) > 1:
            raise UsageError(f"wrench: frames have {sorted(counts)} rows; give the same number, or one for all")
        runs = counts.pop() if counts else 1
        return cls(wrenches, np.concatenate([np.broadcast_to(x, (runs, 6)) for x in rows], axis=1))

    def by_load(self, model: "Model") -> dict[str, Array] | None:
        """{frame: (runs or 1, 6)} as the model's calls take them."""
        names = [frame or model.mechanism.platform.name for frame in self.wrenches.frames]
        return {name: self.values[:, 6 * k : 6 * k + 6] for k, name in enumerate(names)} or None

    @property
    def differ(self) -> bool:
        """Whether runs have loads of their own."""
        return len(self.values) > 1


def platform_key(model: "Model", frame: str) -> str:
    """The frame's name, "" for the platform itself."""
    own = model.mechanism.has_platform and frame == model.mechanism.platform.name
    return "" if own and frame not in model.mechanism.frames else frame


def with_own_loads(program: Program, first: int, count: int) -> Program:
    """The program of a step with `count` entries of the slot "given" from `first` on before the slot "own" instead."""
    slots = {s.name: s for s in program.inputs}
    places, at = {}, 0
    for s in program.inputs:
        places[s.name] = np.arange(at, at + s.size)
        at += s.size
    moved, stay = places[GIVEN][first : first + count], np.delete(places[GIVEN], np.s_[first : first + count])
    kept: list[tuple[Slot, Array]] = []
    for s in program.inputs:
        if s.name == GIVEN:
            own = np.concatenate([moved, places.get(OWN, np.zeros(0, dtype=int))])
            kept += [(replace(s, shape=(len(stay),)), stay), (Slot(OWN, (len(own),)), own)]
        elif s.name != OWN:
            kept.append((slots[s.name], places[s.name]))
    new = np.empty(at, dtype=int)
    new[np.concatenate([x for _, x in kept])] = np.arange(at)
    args = [(int(new[a[0]]),) if op == INPUT else a for op, a in zip(program.ops, program.args, strict=True)]
    return replace(program, inputs=tuple(s for s, _ in kept), args=args)
