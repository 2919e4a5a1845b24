"""What a simulation is asked for, checked once: the same for one run, many runs and scenarios."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import demand_one_of, floats
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.control.follow import Follow
from gough.simulation.control.law import Law
from gough.simulation.control.replay import Replay
from gough.simulation.control.without_feedback import Free
from gough.simulation.integration.method import Method
from gough.simulation.integration.methods import method_named
from gough.simulation.motion.files import named_motion
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
SAME_TIME = 1e-12
"""Durations that differ by this part are the same."""
MOST_BYTES = 2_000_000_000
"""Of the states that a run keeps."""
CHECKS, STARTS = ("warn", "raise", "off"), ("given", "static")


@dataclass(frozen=True, eq=False)
class RunSettings:
    """See `simulate` for what they mean. controller: the law, also where none was given. step (s): as asked for, None: the
    method's own. rho_infinity: as asked for; the method has it."""

    motion: Motion | None
    controller: Law
    duration: float
    method: Method
    start: str = "given"
    step: float | None = None
    tolerance: float = 1e-8
    rho_infinity: float | None = None
    every: int = 1
    most_steps: int | None = None
    smoothing: Any = "auto"
    check: str = "warn"
    estimate: bool = False

    @classmethod
    def of(cls, motion: Any, controller: Any, duration: Any, method: Any, **asked: Any) -> "RunSettings":
        """From what users give; UsageError for what cannot be."""
        made = _motion_of(motion)
        end = _duration_of(duration, made)
        if made is not None and end > made.duration * (1 + SAME_TIME):
            made = made.hold(end - made.duration, jump=True)  # at rest after its end, as it is asked for with extend
        how = method_named(method)
        if asked.get("tolerance") is None:
            asked.pop("tolerance", None)
        elif not how.adaptive and not how.implicit:
            text = f"tolerance={asked['tolerance']!r} is not used: the steps of {how.name} are equal, give step="
            warn(f"{text}; or take dp5, which keeps to a tolerance", RunWarning)
        found = cls(made, _law_of(controller, made), end, how, **asked)
        demand_one_of("start", found.start, STARTS)
        demand_one_of("check", found.check, CHECKS)
        if not 1e-14 <= found.tolerance <= 1e-1:
            raise UsageError(f"tolerance={found.tolerance!r}: give a number between 1e-14 and 0.1")
        plain = {
            "method": found.method.with_rho_infinity(found.rho_infinity),
            "most_steps": None if found.most_steps is None else min(found.most_steps, MOST_COUNT),
        }
        return replace(found, **plain)

    @property
    def taken_step(self) -> float:
        """Step (s) that is taken: the equal one, or the longest."""
        return self.method.usual_step if self.step is None else self.step

    def describe(self) -> dict[str, Any]:
        """What a run keeps about them."""
        out = {"method": self.method.name, "step": self.step}
        out |= {"tolerance": self.tolerance if self.method.adaptive else None, "every": self.every}
        return out | ({} if self.rho_infinity is None else {"rho_infinity": self.rho_infinity})


def _motion_of(motion: Any) -> Motion | None:
    """A motion, by itself or by the name of a paper's."""
    if isinstance(motion, str):
        return named_motion(motion)
    return motion


def _law_of(controller: Any, motion: Motion | None) -> Law:
    """The law, or that of a motion without one."""
    if controller is None:
        return Free() if motion is None else _default(motion)
    return controller


def _default(motion: Motion) -> Law:
    if motion.kind in ("drives", "forces"):
        return Follow() if motion.kind == "drives" else Replay()
    law = "ComputedTorque()" if motion.kind == "pose" else "JointPD(stiffness, damping)"
    word = "computed_torque" if motion.kind == "pose" else "'joint_pd: {stiffness: …, damping: …}'"
    raise UsageError(
        f"a motion of kind {motion.kind!r} needs a controller: drives follow only motions of kind 'drives' by themselves; "
        f"give one, for instance gough.laws.{law} (gough simulate: --controller {word}), or turn the motion into one of "
        "the drives by gough.laws.drives_of(model, motion); forces along it without a simulation: gough check ROBOT --motion "
        "FILE, or gough.motions.run_along"
    )


def _duration_of(duration: Any, motion: Motion | None) -> float:
    """How long to simulate (s)."""
    if duration is None:
        if motion is None:
            raise UsageError("duration= is missing: without a motion nothing says how long to simulate")
        return float(motion.duration)
    end = float(duration)
    if end < SHORTEST:
        raise UsageError(f"duration={end:g} s: {SHORTEST:g} s is the shortest that steps resolve; give a longer one")
    if motion is not None and motion.extend != "hold" and end > motion.duration * (1 + SAME_TIME):
        raise UsageError(
            f"duration={end} s is longer than the motion ({motion.duration:.9g} s); use motion.hold(…), or extend='hold' (in a "
            "file `- hold: 0.1 s` after it in a list, or `extend: hold` among its keys)"
        )
    return end


def demand_steps(
    step: float,
    end: float,
    most: int,
    adaptive: bool,
    remedy: str = "give a longer step, or allow more with most_steps=",
) -> None:
    """UsageError for a step (s) that does not move the time of the end (s), or with which the end is too many steps away."""
    if end + step == end:
        raise UsageError(
            f"step={step:g} s does not change a time of {end:g} s: numbers of a computer end at {np.spacing(end):.2g} s there; "
            "give a longer one"
        )
    if end / step > most:
        what = "longest steps" if adaptive else "steps"
        raise UsageError(f"step={step:g} s: {end:g} s are {end / step:.3g} {what}, {most:.3g} are the most; {remedy}")


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
