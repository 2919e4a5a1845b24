"""What a scalar coordinate measures, an angle or a length, and the units and dimensions of all that goes with it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Measure:
    """Units of a coordinate, its rate and its force; `dimensions`: what a description's keys are then written in."""

    word: str
    unit: str
    rate: str
    force: str
    inertia: str
    friction: tuple[str, str, str]
    """Of viscous, coulomb and smoothing."""
    spring: tuple[str, str, str, str]
    """Of stiffness, damping, rest and preload. A rest of π/2 is a number like others: right angles of "rad" are structure."""
    dimensions: dict[str, str] = field(hash=False)


def _dimensions(inertia: str, length: str, speed: str, force: str, damping: str, stiffness: str) -> dict[str, str]:
    return {
        "rotor_inertia": inertia,
        "armature": inertia,
        "rounding": length,
        "viscous": damping,
        "damping": damping,
        "coulomb": force,
        "smoothing": speed,
        "stiffness": stiffness,
        "rest": length,
        "preload": force,
        "force_limit": force,
        "speed_limit": speed,
        "stroke": length,
        "lower": length,
        "upper": length,
        "speed": speed,
        "force": force,
    }


ANGLE = Measure(
    word="angle",
    unit="rad",
    rate="rad/s",
    force="N m",
    inertia="kg m2",
    friction=("N m s/rad", "N m", "rad/s"),
    spring=("N m/rad", "N m s/rad", "radian", "N m"),
    dimensions=_dimensions("inertia", "angle", "angular speed", "torque", "angular damping", "angular stiffness"),
)
LENGTH = Measure(
    word="length",
    unit="m",
    rate="m/s",
    force="N",
    inertia="kg",
    friction=("N s/m", "N", "m/s"),
    spring=("N/m", "N s/m", "m", "N"),
    dimensions=_dimensions("mass", "length", "speed", "force", "damping", "stiffness"),
)
