"""Arguments of `simulate` and `simulate_many`: what they take, and what to do about what they cannot take."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.law import Follow, Free, Law
from gough.simulation.control.replay import Replay
from gough.simulation.given import floats, is_number
from gough.simulation.motion.motion import Motion

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
MOST_EQUAL = 1_000_000_000
"""Equal steps of a run where nothing else is asked for: some ten minutes of a small robot."""
MOST_SAMPLES = 10_000_000
"""Samples of a controller on a clock."""
MOST_COUNT = 1 << 60
"""Beyond what any run reaches, and within what machine code counts."""
SHORTEST = 1e-9
"""Duration of a run (s)."""
MOST_BYTES = 2_000_000_000
"""Of the states that a run keeps."""


def motion_of(motion: Any) -> Motion | None:
    """A motion, by itself or by the name of a paper's."""
    if isinstance(motion, str):
        from gough.simulation.motion.files import named_motion

        return named_motion(motion)
    if motion is not None and not isinstance(motion, Motion):
        raise UsageError(f"motion={motion!r}: give a gough.Motion, the name of a motion, or None")
    return motion


def law_of(controller: Any, motion: Motion | None) -> Law:
    """The law, or that of a motion without one."""
    if controller is None:
        return Free() if motion is None else _default(motion)
    if not isinstance(controller, Law):
        raise UsageError(
            f"controller={controller!r}: give a law of gough.laws; a function as gough.laws.Sampled(function, period)"
        )
    return controller


def _default(motion: Motion) -> Law:
    if motion.kind in ("drives", "forces"):
        return Follow() if motion.kind == "drives" else Replay()
    law = "ComputedTorque()" if motion.kind == "pose" else "JointPD(stiffness, damping)"
    word = "computed_torque" if motion.kind == "pose" else "'joint_pd: {stiffness: …, damping: …}'"
    raise UsageError(
        f"a motion of kind {motion.kind!r} needs a controller: drives follow only motions of kind 'drives' by themselves; "
        f"give one, for instance gough.laws.{law} (gough simulate: --controller {word}), or turn the motion into one of "
        f"the drives by gough.laws.drives_of(model, motion)"
    )


def duration_of(duration: Any, motion: Motion | None) -> float:
    """How long to simulate (s)."""
    if duration is None:
        if motion is None:
            raise UsageError("duration= is missing: without a motion nothing says how long to simulate")
        return float(motion.duration)
    end = seconds("duration", duration)
    if end < SHORTEST:
        raise UsageError(f"duration={end:g} s: {SHORTEST:g} s is the shortest that steps resolve; give a longer one")
    if motion is not None and end > motion.duration * (1 + 1e-12):
        raise UsageError(f"duration={end} s is longer than the motion ({motion.duration:.9g} s); use motion.hold(…)")
    return end


def seconds(name: str, value: Any) -> float:
    """A positive time."""
    if not is_number(value) or not value > 0:
        raise UsageError(f"{name}={value!r}: give a positive number of seconds")
    return float(value)


def count(name: str, value: Any, of: str) -> int:
    """A positive whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise UsageError(f"{name}={value!r}: give a positive whole number of {of}")
    return min(int(value), MOST_COUNT)


def one_of(name: str, value: Any, known: Sequence[str]) -> None:
    """UsageError for another word than there is."""
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{name}={value!r}; use one of {', '.join(map(repr, known))}")


def demand_callable(name: str, value: Any) -> None:
    """UsageError for what cannot be called (or is no truth, or None)."""
    if value is not None and not isinstance(value, bool) and not callable(value):
        raise UsageError(f"{name}={value!r}: give a function, or None")


def demand_steps(step: float, end: float, most: int, adaptive: bool) -> None:
    """UsageError for a step (s) that does not move the time of the end (s), or with which the end is too many steps away."""
    if end + step == end:
        raise UsageError(
            f"step={step:g} s does not change a time of {end:g} s: numbers of a computer end at {np.spacing(end):.2g} s there; "
            "give a longer one"
        )
    if end / step > most:
        what = "longest steps" if adaptive else "steps"
        raise UsageError(
            f"step={step:g} s: {end:g} s are {end / step:.3g} {what}, {most:.3g} are the most; give a longer step, or allow "
            "more with most_steps="
        )


def demand_room(states: float, numbers: int) -> None:
    """UsageError where so many kept states, of so many numbers each, do not go into the memory that a run may take."""
    size = 8.0 * states * numbers
    if size > MOST_BYTES:
        keep = int(np.ceil(size / MOST_BYTES))
        raise UsageError(
            f"{states:.3g} states of {numbers} numbers are {size / 1e9:.3g} GB, {MOST_BYTES / 1e9:g} GB are the most; keep "
            f"fewer: every= {keep} times as large, or a longer step"
        )


def parameters_of(model: "Model", parameters: Any) -> Array | None:
    """A design (n,) from numbers, or from {name: number}; None stays None."""
    if parameters is None:
        return None
    wanted = f"give {{name: number}}, or {len(model.parameters)} numbers as model.parameters_with({{…}}) makes them"
    if isinstance(parameters, Mapping):
        values = model.parameters_with({name: floats(f"parameters[{name!r}]", x) for name, x in parameters.items()})
    else:
        values = floats("parameters", parameters)
    if values.shape != model.parameters.shape or not np.isfinite(values).all():
        raise UsageError(f"parameters: not finite numbers of one design (shape {values.shape}); {wanted}")
    model.mechanism.table.check(values, model.pattern)
    return values
