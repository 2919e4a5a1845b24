"""What acts in a joint's freedoms: friction, springs, bounds and drives of the description as plain numbers."""

from dataclasses import replace
from typing import Any

from gough.export.robots._plain import BALL, SLIDE, PlainDrive, PlainFreedom


def with_losses(freedom: PlainFreedom, friction: Any, spring: Any) -> PlainFreedom:
    """With friction and spring of the description, each a thing or None."""
    viscous, coulomb, smoothing = (
        (0.0, 0.0, 0.0) if friction is None else (friction.viscous, friction.coulomb, friction.smoothing)
    )
    if spring is None:
        return replace(freedom, viscous=viscous, coulomb=coulomb, smoothing=smoothing if coulomb else 0.0)
    k, push = float(spring.stiffness), float(spring.preload)
    rest: Any = spring.rest_quaternion_wxyz or (1.0, 0.0, 0.0, 0.0) if freedom.kind == BALL else float(spring.rest)
    if k and push and freedom.kind != BALL:
        rest, push = rest + push / k, 0.0
    return replace(
        freedom,
        viscous=viscous + (0.0 if spring.tension_only else spring.damping),
        coulomb=coulomb,
        smoothing=smoothing if coulomb else 0.0,
        stiffness=k,
        rest=rest,
        push=push,
        curve=curve_of(spring) or ("tension_only" if spring.tension_only else ""),
    )


def curve_of(spring: Any) -> str:
    """What makes a spring another than stiffness times stretch."""
    if spring.polynomial is not None:
        return "a polynomial"
    if spring.table is not None:
        return "a table"
    return "a rounded corner" if spring.tension_only and spring.rounding else ""


def with_bounds(freedom: PlainFreedom, joint: Any, index: int) -> PlainFreedom:
    """With the bounds of a coordinate, the joint's before the drive's."""
    lower, upper, speed = (joint.limits.of_coordinate(key, index) for key in ("lower", "upper", "speed"))
    drive = joint.drive
    if drive is not None:
        stroke = drive.stroke or (None, None)
        lower = stroke[0] if lower is None else lower
        upper = stroke[1] if upper is None else upper
        speed = drive.speed_limit if speed is None else speed
    return replace(freedom, lower=lower, upper=upper, speed=speed)


def with_drive(freedom: PlainFreedom, joint: Any) -> PlainFreedom:
    """With what a drive adds."""
    drive = joint.drive
    force = drive.force_limit if joint.limits.force is None else joint.limits.force
    smoothing = max(freedom.smoothing, drive.smoothing if drive.coulomb else 0.0)
    return replace(
        freedom,
        viscous=freedom.viscous + drive.viscous,
        coulomb=freedom.coulomb + drive.coulomb,
        smoothing=smoothing,
        drive=PlainDrive(1.0, force, float(drive.gear) ** 2 * float(drive.rotor_inertia)),
    )


def travelling(freedom: PlainFreedom, h: float) -> PlainFreedom:
    """A ball screw as the slide it is: its coordinate is the travel, h times the spindle's angle."""
    drive = freedom.drive
    bounds = [None if x is None else x * h for x in (freedom.lower, freedom.upper)]
    lower, upper = bounds if h > 0 else bounds[::-1]
    if drive is not None:
        force = None if drive.force is None else drive.force / abs(h)
        drive = PlainDrive(1.0 / h, force, drive.rotor / (h * h))
    return replace(
        freedom,
        kind=SLIDE,
        home=freedom.home * h,
        armature=freedom.armature / (h * h),
        viscous=freedom.viscous / (h * h),
        coulomb=freedom.coulomb / abs(h),
        smoothing=freedom.smoothing * abs(h),
        stiffness=freedom.stiffness / (h * h),
        rest=freedom.rest * h,
        push=freedom.push / h,
        lower=lower,
        upper=upper,
        speed=None if freedom.speed is None else freedom.speed * abs(h),
        drive=drive,
        scale=h,
    )
