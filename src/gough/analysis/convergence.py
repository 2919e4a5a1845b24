"""How far natural frequencies move when flexible bodies get more shapes: static ones for their loads, and twice the modes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.modes import natural_frequencies
from gough.errors import StructureError, UsageError
from gough.model import build
from gough.robot import Robot
from gough.robot.flexible import Flexible
from gough.robot.flexible.modes import ShapeChoice
from gough.robot.item import Item
from gough.structure.elastic.bodies import elastic_bodies

MODES_OF_GUYAN = 4
"""Modes that are added to static shapes which had none."""


@dataclass(frozen=True)
class Richer:
    """A robot whose flexible bodies have more shapes. changed: what each kind of body had and has; kept: why others did not."""

    robot: Robot
    changed: tuple[str, ...]
    kept: tuple[str, ...]


def richer(robot: Robot, factor: int = 2) -> Richer:
    """The robot with attachment shapes at everything that holds on to a flexible body, and `factor` times its modes."""
    changed: list[str] = []
    kept: list[str] = []

    def bodies(value: Any, name: str) -> Any:
        if isinstance(value, Flexible):
            return _richer_body(value, name, factor, changed, kept)
        if isinstance(value, Item):
            inside = getattr(value, "name", None)
            inner = inside if isinstance(inside, str) else name
            update = {key: bodies(getattr(value, key), inner) for key in type(value).model_fields}
            new = {key: x for key, x in update.items() if x is not getattr(value, key)}
            return value.model_copy(update=new) if new else value
        if isinstance(value, tuple | list):
            items = [bodies(x, name) for x in value]
            return type(value)(items) if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if isinstance(value, dict):
            made = {key: bodies(x, str(key)) for key, x in value.items()}
            return made if any(made[key] is not value[key] for key in value) else value
        if callable(getattr(value, "elastic_body", None)):
            kept.append(f"{name}: its shapes come from Python")
        return value

    new = bodies(robot, robot.name)
    return Richer(new, tuple(dict.fromkeys(changed)), tuple(dict.fromkeys(kept)))


def _richer_body(flexible: Flexible, name: str, factor: int, changed: list[str], kept: list[str]) -> Flexible:
    modes = flexible.modes
    if modes is None:
        kept.append(f"{name}: modal data bring their own shapes")
        return flexible
    if flexible.stiffness is not None or flexible.frequencies is not None:
        kept.append(f"{name}: stiffnesses or frequencies are stated for its modes")
        return flexible
    if modes.kind == "nodal":
        kept.append(f"{name}: every freedom of its elements is a coordinate already (more elements would refine it)")
        return flexible
    update: dict[str, Any] = {"align": None}
    if modes.kind in (None, "free", "clamped"):
        update |= {"kind": "attachment", "frame": modes.frame or ("origin" if modes.kind == "clamped" else None)}
    if modes.kind == "free":
        update["frame"] = modes.frame or "mean"
    if modes.kind == "guyan":
        update |= {"kind": "craig_bampton", "number": MODES_OF_GUYAN}
    elif modes.up_to is not None:
        update["up_to"] = factor * modes.up_to
    else:
        update["number"] = max(factor * (modes.number or 0), MODES_OF_GUYAN)
    new = modes.model_copy(update=update)
    changed.append(f"{name}: {_words(modes)} became {_words(new)}")
    return flexible.model_copy(update={"modes": new})


def _words(modes: ShapeChoice) -> str:
    count = f"up to {modes.up_to:g} Hz" if modes.up_to is not None else f"{modes.number or 0} modes"
    return f"{modes.kind or 'modes'} ({count})"


@dataclass(frozen=True)
class Convergence:
    """frequencies_hz (k,): of the robot as described; richer_hz (n,), n >= k: with more shapes, slowest first.

    change (k,): of the first ones, relative, 0.01 is 1 %. changed, kept: what was done to which bodies.
    """

    frequencies_hz: np.ndarray
    richer_hz: np.ndarray
    changed: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def change(self) -> np.ndarray:
        """richer / described - 1; 0 where nothing swings."""
        swings = self.frequencies_hz > 0.0
        return np.where(swings, self.richer_hz[: len(swings)] / np.where(swings, self.frequencies_hz, 1.0) - 1.0, 0.0)


def compare_with_richer(
    robot: Robot, coordinates: dict[str, Any] | None = None, drives: Any = "locked", *, about: str = "equilibrium"
) -> Convergence:
    """Natural frequencies of a robot and of the same with richer bodies; coordinates: as of `model.configuration`."""
    wanted = richer(robot)
    if not wanted.changed:
        why = "; ".join(wanted.kept) or "it has no flexible body"
        raise UsageError(f"no body of {robot.name} can get more shapes ({why})")
    found = []
    for one in (robot, _buildable(wanted.robot, robot)):
        model = build(one)
        q = model.configuration(coordinates=coordinates) if coordinates else None
        found.append(natural_frequencies(model, q, drives, about=about).frequencies_hz)
    return Convergence(found[0], found[1], wanted.changed, wanted.kept)


def _buildable(new: Robot, robot: Robot) -> Robot:
    """The richer robot, with as many modes as before where its elements have no more."""
    try:
        elastic_bodies(new, again=True)  # told when it is built
    except StructureError as error:
        if "only" not in str(error):
            raise
        return richer(robot, 1).robot
    return new
