"""A robot with other friction in all its joints at once: smoothed, scaled or left out."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from gough.errors import UsageError
from gough.joints import ALL
from gough.joints.measure import ANGLE, LENGTH, Measure
from gough.robot.expressions import scaled_expression
from gough.robot.robot import Robot
from gough.robot.units import misfit


def change_friction(
    robot: Robot,
    *,
    smoothing: float | tuple[float, float] | None = None,
    coulomb: float = 1.0,
    viscous: float = 1.0,
    keep: bool = False,
) -> Robot:
    """A copy of a description with the friction of every joint, drive, cut and loop changed.

    smoothing: s of force · rate/√(rate² + s²) wherever there is Coulomb friction, one number in m/s and rad/s, or (m/s, rad/s)
    of joints that slide and that turn; None: as described. keep: only where there is no smoothing yet; joints that do both then
    take the smaller one. coulomb, viscous: factors of what is described, 0 leaves it out.
    """
    speeds = smoothing if isinstance(smoothing, tuple) else (smoothing, smoothing)
    for name, value in (("smoothing", speeds[0]), ("smoothing", speeds[1]), ("coulomb", coulomb), ("viscous", viscous)):
        if value is not None and not (isfinite(value) and value >= 0):
            raise UsageError(f"{name}={value!r}: give a finite number that is not negative")

    def change(friction: Any, measures: Sequence[Measure], kind: str, place: str) -> Any:
        update: dict[str, float] = {}
        if friction.viscous:
            update["viscous"] = scaled_expression(friction.viscous, viscous)
        if friction.coulomb:
            update["coulomb"] = scaled_expression(friction.coulomb, coulomb)
            if keep and friction.smoothing:
                return friction.model_copy(update=update)
            rates = [m.rate for m in measures] or [ANGLE.rate]
            mixed = len(rates) > 1
            speed = speeds[0] if rates == [LENGTH.rate] else speeds[1]
            if mixed and keep:
                speed = min((s for s in speeds if s is not None), default=None)
            elif mixed and speeds[0] != speeds[1]:
                raise UsageError(
                    f"{place}: a {kind} joint slides and turns with one smoothing; give one number for both"
                )
            for unit in rates:
                problem = misfit(speed, unit, f"that of {place}")
                if problem:
                    raise UsageError(
                        f"smoothing: {problem}; where joints slide and others turn give one plain number for all, or two (in a "
                        "scenario: turn_smoothing beside smoothing)"
                    )
            if speed is not None:
                update["smoothing"] = float(speed)
        return friction.model_copy(update=update) if update else friction

    def joint(item: Any, leg: str = "") -> Any:
        kind, own = ALL[item.type], item.friction
        update: dict[str, Any] = {}
        if not isinstance(own, tuple):
            update["friction"] = change(own, kind.measures, item.type, leg + item.name)
        else:
            names = [leg + item.name + suffix for suffix in kind.freedom_suffixes]
            update["friction"] = tuple(
                None if f is None else change(f, (motion.measure,), item.type, name)
                for f, motion, name in zip(own, kind.moving, names, strict=True)
            )
        drive = getattr(item, "drive", None)
        if drive is not None:
            update["drive"] = change(drive, kind.measures, item.type, leg + item.name)
        return item.model_copy(update=update)

    def leg(item: Any) -> Any:
        own = f"{item.name}."
        update: dict[str, Any] = {"chain": tuple(joint(x, own) for x in item.chain)}
        update["loops"] = tuple(joint(x, own) for x in item.loops)
        if item.cut is not None:
            update["cut"] = joint(item.cut, own)
        return item.model_copy(update=update)

    return robot.model_copy(
        update={
            "legs": tuple(leg(x) for x in robot.legs),
            "joints": tuple(joint(x) for x in robot.joints),
            "loops": tuple(joint(x) for x in robot.loops),
        }
    )
