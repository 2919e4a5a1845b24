"""Laws that a live page offers for a robot, what they follow, and their gains as numbers to move one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.model import Model
from gough.simulation.control.computed_torque import ComputedTorque
from gough.simulation.control.gravity_compensation import GravityCompensation
from gough.simulation.control.joint_pd import JointPD
from gough.simulation.control.law import Law
from gough.simulation.control.pid import PID
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.methods import METHODS
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import quintic
from gough.simulation.run.clocks import law_in_loop
from gough.viewer.live.push import round_above

FORCE_GAINS = {
    "stiffness": ("N/m", "N m/rad"),
    "damping": ("N s/m", "N m s/rad"),
    "integral": ("N/(m s)", "N m/(rad s)"),
}
"""Gains that make forces of errors, with their units for drives that slide and that turn."""
RATE_GAINS = {"stiffness": "1/s²", "damping": "1/s"}
"""Those that make accelerations."""
BANDWIDTHS = {"bandwidth": "Hz", "damping_ratio": "1", "integral_bandwidth": "Hz"}
BANDWIDTH, DAMPING_RATIO = 4.0, 0.7
"""Hz, 1: of the laws that are offered."""
NONE = "none"
GIVEN = "as given"


@dataclass(frozen=True)
class Gain:
    """A number of a law that a slider moves. key: the argument; places: its entries, () where one number is for all; shares: what
    the entries are of the slider's value; value: at first, top: the largest one."""

    key: str
    label: str
    places: tuple[int, ...]
    shares: tuple[float, ...]
    value: float
    top: float


def gains_of(model: Model, law: Law | None) -> tuple[Gain, ...]:
    """The gains of a law that can be moved: of springs and dampers at the drives, of computed torque; none of other laws."""
    law = sampled_law(law)
    if isinstance(law, JointPD | PID | ComputedTorque) and law.bandwidth is not None:
        return tuple(g for key, unit in BANDWIDTHS.items() for g in _gains(law, key, [unit] * _count(law, key)))
    if isinstance(law, ComputedTorque):
        return tuple(g for key, unit in RATE_GAINS.items() for g in _gains(law, key, [unit] * _count(law, key)))
    if isinstance(law, JointPD | PID):
        turning = [unit == "N m" for unit in model.layout.drive_units]
        return tuple(
            g
            for key, units in FORCE_GAINS.items()
            if hasattr(law, key)
            for g in _gains(law, key, [units[turns] for turns in turning])
        )
    return ()


def with_gains(law: Law, gains: Sequence[Gain], values: Sequence[float]) -> Law:
    """The law with these values of its gains."""
    if isinstance(law, Sampled):
        return replace(law, law=with_gains(law.law, gains, values))
    changed: dict[str, Any] = {}
    for gain, value in zip(gains, values, strict=True):
        if not gain.places:
            changed[gain.key] = value
            continue
        entries = changed.setdefault(gain.key, np.zeros(sum(len(g.places) for g in gains if g.key == gain.key)))
        entries[list(gain.places)] = np.array(gain.shares) * value
    plain = {key: tuple(x.tolist()) if isinstance(x, np.ndarray) else x for key, x in changed.items()}
    if "bandwidth" in plain and isinstance(law, ComputedTorque):
        plain |= {"stiffness": None, "damping": None}  # they follow
    return replace(law, **plain)


def sampled_law(law: Law | None) -> Any:
    """The law that is sampled where one is, else the law itself."""
    return law.law if isinstance(law, Sampled) else law


def _count(law: Any, key: str) -> int:
    return int(np.size(getattr(law, key, None) or 0.0))


def _gains(law: Any, key: str, units: list[str]) -> list[Gain]:
    """One a unit; of entries that differ their common factor."""
    given = getattr(law, key, None)
    if given is None:
        return []
    numbers = np.broadcast_to(np.asarray(given, dtype=float), (len(units),))
    word, found = key.replace("_", " ").capitalize(), []
    for unit in dict.fromkeys(units):
        places = tuple(k for k, own in enumerate(units) if own == unit)
        own = numbers[list(places)]
        alike = bool((own == own[0]).all())
        value = float(own[0]) if alike else 1.0
        shares = (1.0,) * len(places) if alike else tuple(own.tolist())
        of = unit if alike else "× as given"
        label = word if alike and unit == "1" else f"{word} ({of})"
        one = alike and len(set(units)) == 1
        found.append(Gain(key, label, () if one else places, shares, value, _top(value)))
    return found


def _top(value: float) -> float:
    """A round number some ten times as large."""
    return round_above(10 * value)


# What is offered.


def offered_laws(model: Model, given: Law | None = None, motion: Motion | None = None) -> dict[str, Law | None]:
    """Laws by the name under which a page has them, those that this robot can have along a motion: what was given, springs at the
    drives, …"""
    found: dict[str, Law | None] = {} if given is None else {GIVEN: given}
    by: dict[str, Any] = {"bandwidth": BANDWIDTH, "damping_ratio": DAMPING_RATIO, "gravity": model.driven}
    makers: dict[str, Callable[[], Law]] = {
        "joint PD": lambda: _round_gains(model, JointPD(**by)),
        "PID": lambda: _round_gains(model, PID(**by)),
        "computed torque": ComputedTorque,
        "gravity compensation": GravityCompensation,
    }
    for name, make in makers.items():
        try:
            law = make()
            demand_fit(model, law, motion)
        except GoughError:
            continue
        found[name] = law
    return found | {NONE: None}


def _round_gains(model: Model, law: Any) -> Law:
    """A law by bandwidths with one plain gain, of two digits, for all drives of a kind: the mean of what they need."""
    tuned, units = law.tune(model), model.layout.drive_units
    plain: dict[str, Any] = {}
    for key in FORCE_GAINS:
        if not hasattr(law, key):
            continue
        numbers = np.broadcast_to(np.asarray(getattr(tuned, key), dtype=float), (len(units),))
        means = {
            unit: float(f"{np.mean([x for x, u in zip(numbers, units, strict=True) if u == unit]):.2g}")
            for unit in units
        }
        plain[key] = next(iter(means.values())) if len(means) == 1 else tuple(means[unit] for unit in units)
    return type(law)(**plain, gravity=law.gravity)


def demand_fit(model: Model, law: Law, motion: Motion | None) -> None:
    """UsageError for a law that cannot run live on this robot, along a motion or at rest."""
    if law.prescribed:
        raise UsageError(
            f"{law.name}: drives that follow exactly do not feel a push; use a law of forces, joint PD say"
        )
    _check(law, model, reference_of(model, law, model.home, motion))


def _check(law: Law, model: Model, motion: Motion | None) -> None:
    """UsageError for a law that does not fit the robot and its motion, as the time loop of a stepper has it."""
    found, own = law_in_loop(law, METHODS["dp5"], model, motion), law.knows()[1]
    found.check(model if own is None else own, motion)


def reference_of(model: Model, law: Law | None, q: np.ndarray, motion: Motion | None) -> Motion | None:
    """What a law follows: the motion that was given, else rest at a configuration q (nq,), of the drives, or of the platform
    where the law does not take drives; None of laws that follow nothing."""
    if law is None or not (sampled_law(law).kinds if isinstance(sampled_law(law), Law) else ("drives",)):
        return None
    if motion is not None:
        return motion if motion.extend == "hold" or motion.kind == "forces" else motion.extended()
    drives = model.drives(q)
    at_rest = quintic(drives=[drives, drives], durations=1.0, extend="hold")
    try:
        _check(law, model, at_rest)
    except GoughError:
        if model.layout.n_pose:
            return quintic(poses=[q[:7], q[:7]], durations=1.0, extend="hold")
        raise
    return at_rest
