"""Inertia as written (tensor entries, about a stated point; or the ten parameters) and its transport.

Tensor entries are those of the papers' matrices: I_xy = -integral of x y dm.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from gough.robot.fields import FirstMoment, InertiaEntry, Mass, number_fault
from gough.robot.item import Fault, Item, is_given, look
from gough.scalar import VariedNumber, array_of

ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


class Inertia(Item):
    """Inertia tensor (kg m2) in the body's axes; `about` says at which point: the body's origin or the mass centre."""

    about: Literal["center_of_mass", "origin"]
    xx: InertiaEntry = 0.0
    yy: InertiaEntry = 0.0
    zz: InertiaEntry = 0.0
    xy: InertiaEntry = 0.0
    xz: InertiaEntry = 0.0
    yz: InertiaEntry = 0.0

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        if not is_given(data, "about"):
            yield Fault(
                ("about",), look(data, "about"), "inertia without its point", "about: center_of_mass or about: origin"
            )

    def tensor(self) -> np.ndarray:
        """(3, 3), symmetric."""
        return symmetric(self.xx, self.xy, self.xz, self.yy, self.yz, self.zz)


class Parameters(Item):
    """The ten inertial parameters about the body's origin in its axes (kg, kg m, kg m2); they enter models linearly."""

    M: Mass = 0.0
    MX: FirstMoment = 0.0
    MY: FirstMoment = 0.0
    MZ: FirstMoment = 0.0
    XX: InertiaEntry = 0.0
    XY: InertiaEntry = 0.0
    XZ: InertiaEntry = 0.0
    YY: InertiaEntry = 0.0
    YZ: InertiaEntry = 0.0
    ZZ: InertiaEntry = 0.0

    def vector(self) -> np.ndarray:
        """(10,): M, MX, MY, MZ, XX, XY, XZ, YY, YZ, ZZ."""
        return array_of([self.M, self.MX, self.MY, self.MZ, self.XX, self.XY, self.XZ, self.YY, self.YZ, self.ZZ])


def symmetric(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> np.ndarray:
    """The symmetric matrix (3, 3) of six entries."""
    return array_of([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def point_inertia(mass: float, position: Any) -> np.ndarray:
    """Inertia (3, 3) about the origin of a point mass (kg) at a position (m)."""
    p = array_of(position)
    if p.dtype == object:  # moments that are zero stay so
        x, y, z = p
        return mass * symmetric(y * y + z * z, -(x * y), -(x * z), x * x + z * z, -(y * z), x * x + y * y)
    return mass * (np.dot(p, p) * np.eye(3) - np.outer(p, p))


def ten_parameters(mass: float, center: Any, tensor: np.ndarray, about: str) -> np.ndarray:
    """(10,) about the origin from mass, mass centre and a tensor about "center_of_mass" or "origin"."""
    center = array_of(center)
    at_origin = tensor + point_inertia(mass, center) if about == "center_of_mass" else tensor
    return from_origin(mass, mass * center, at_origin)


def from_origin(mass: float, first_moment: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    """(10,) from mass, first moment and the tensor about the origin."""
    return array_of([mass, *first_moment, *tensor[0], *tensor[1, 1:], tensor[2, 2]])


def central(parameters: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre (3,) and central tensor (3, 3) of ten parameters; without mass, the origin stands in."""
    mass = parameters[0]
    tensor = symmetric(*parameters[4:10])
    if float(mass) == 0.0:
        return 0.0, np.zeros(3), tensor
    mass = mass if isinstance(mass, VariedNumber) else float(mass)
    center = parameters[1:4] / mass
    return mass, center, tensor - point_inertia(mass, center)


def unphysical(tensor: np.ndarray, tolerance: float = 1e-9) -> str:
    """Why no mass distribution has this central tensor; empty where one has."""
    tensor = tensor.astype(float)
    if not np.isfinite(tensor).all():
        return "central moments beyond all numbers"
    a, b, c = np.linalg.eigvalsh(tensor)
    slack = tolerance * max(abs(a), abs(c))
    moments = f"central principal moments {a:.6g}, {b:.6g}, {c:.6g} kg.m2"
    if a < -slack:
        return f"{moments}: negative"
    if c > a + b + slack:
        return f"{moments}: the largest exceeds the sum of the others"
    return ""


def negative_mass(data: Any, place: tuple[str, ...]) -> Iterator[Fault]:
    """A mass below zero at a place in raw data."""
    value = look(data, *place)
    fault = number_fault(value, ("mass",), "not negative") if is_given(data, *place) else None
    if fault is not None and fault.message == "negative":
        yield Fault(place, value, "negative mass", fault.expected)
