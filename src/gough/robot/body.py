"""A body: mass, mass centre, inertia, named frames, payload, telescopic inertia, looks; or flexible, and all that follows."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, WrapValidator

from gough.robot._shapes import EvenShape, sum_of_shapes
from gough.robot.fields import (
    FullName,
    Mass,
    Name,
    NonZero,
    Number,
    Position,
    PositiveNumber,
    exactly,
    number,
    number_fault,
    numbers,
    quantity,
    schema,
)
from gough.robot.files import FilePath
from gough.robot.flexible.flexible import Flexible, beside_flexible, flexible_or_object
from gough.robot.inertia import (
    ENTRIES,
    Inertia,
    Parameters,
    central,
    from_origin,
    negative_mass,
    point_inertia,
    symmetric,
    ten_parameters,
)
from gough.robot.item import Fault, Item, as_error, as_plain, is_given, look
from gough.robot.platform.limits import PlatformLimits
from gough.robot.pose import Pose
from gough.scalar import VariedNumber, array_of

SUFFIXES = (".stl", ".obj", ".ply")
STAGES = (".usd", ".usda", ".usdc", ".usdz")
"""Files that can be read: a surface, or a stage with prims that are surfaces."""
MOST_SHARE = 100.0
"""Of a body's weight, either way: what is lighter than the air or water around it is lifted by many times its own."""


def _colour(value: Any) -> tuple[int, int, int]:
    value = as_plain(value)
    expected = "three whole numbers [red, green, blue] from 0 to 255"
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise as_error([Fault((), value, "not a colour", expected)])
    wrong = [
        Fault((index,), entry, "not a whole number from 0 to 255", expected)
        for index, entry in enumerate(value)
        if isinstance(entry, bool) or not isinstance(entry, int | float) or entry not in range(256)
    ]
    if wrong:
        raise as_error(wrong)
    red, green, blue = (int(entry) for entry in value)
    return red, green, blue


Colour = Annotated[
    tuple[int, int, int],
    BeforeValidator(_colour),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 255},
            "minItems": 3,
            "maxItems": 3,
        }
    ),
]


class BodyMesh(Item):
    """A surface that the viewer draws instead of rods and plates. It is for looks only: no mass, inertia or contact follows.

    file: .stl, .obj or .ply, relative to the description; or a USD file, and prim: the path of a surface in it. scale: of its
    lengths to m, 0.001 for a file in mm. stretch: further factors along its own x, y, z; a negative one mirrors it. pose: its
    axes in the body's frame. color: [red, green, blue] from 0 to 255, default the viewer's.
    """

    NEWER_KEYS: ClassVar = {"prim": 2, "stretch": 2}

    file: FilePath
    prim: str | None = None
    scale: PositiveNumber = 1.0
    stretch: Annotated[tuple[NonZero, NonZero, NonZero], exactly(3, "three factors [along x, y, z]")] = (1.0, 1.0, 1.0)
    placement: Pose = Field(default_factory=Pose, alias="pose")
    color: Colour | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        file = look(data, "file")
        if not isinstance(file, str) or not file:
            return
        kind = Path(file).suffix.lower()
        if kind in STAGES and not is_given(data, "prim"):
            yield Fault(("prim",), look(data, "prim"), "a stage without a prim", "the path of a surface in it")
        elif kind in SUFFIXES and is_given(data, "prim"):
            yield Fault(("prim",), look(data, "prim"), f"a prim of a {kind} file", f"one of {', '.join(STAGES)}")
        elif kind not in (*SUFFIXES, *STAGES):
            yield Fault(("file",), file, "a kind of file that cannot be drawn", f"one of {', '.join(SUFFIXES)}")


LINEAR = ("inertia per length", "inertia per angle")
SQUARE = ("inertia per length squared", "inertia per angle squared")
Polynomial = Annotated[
    tuple[
        Annotated[float, quantity("inertia"), schema("inertia")],
        Annotated[float, quantity(*LINEAR), schema(*LINEAR)],
        Annotated[float, quantity(*SQUARE), schema(*SQUARE)],
    ],
    exactly(3, "three coefficients [c0, c1, c2] of c0 + c1 q + c2 q^2"),
]
ZERO = (0.0, 0.0, 0.0)


class TelescopicInertia(Item):
    """Coefficients (c0, c1, c2) of each entry of the central tensor that depends on a joint coordinate."""

    xx: Polynomial = ZERO
    yy: Polynomial = ZERO
    zz: Polynomial = ZERO
    xy: Polynomial = ZERO
    xz: Polynomial = ZERO
    yz: Polynomial = ZERO


class Telescopic(Item):
    """Adds c0 + c1 q + c2 q^2 to the central inertia of a body, q the coordinate of a scalar joint.

    joint: of a leg's body, a joint of the same leg; of a body under `bodies`, any joint of the robot by its full name.
    """

    joint: FullName
    inertia: TelescopicInertia

    def coefficients(self) -> np.ndarray:
        """(3, 3, 3): entry [k] is the symmetric matrix that multiplies q**k."""
        return self.varied_coefficients().astype(float)

    def varied_coefficients(self) -> np.ndarray:
        """The same; entries that follow variables are `VariedNumber`s."""
        xx, yy, zz, xy, xz, yz = (array_of(getattr(self.inertia, name)) for name in ENTRIES)
        return np.stack([symmetric(xx[k], xy[k], xz[k], yy[k], yz[k], zz[k]) for k in range(3)])


class Payload(Item):
    """A load fixed to a body; its numbers are in its own axes, which stand at the pose `at` in the body."""

    mass: Mass
    center_of_mass: Position = ZERO
    inertia: Inertia | None = None
    at: Pose = Field(default_factory=Pose)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from negative_mass(data, ("mass",))

    def ten_parameters(self) -> np.ndarray:
        """(10,) about the body's origin in the body's axes."""
        own = _own_parameters(self.mass, self.center_of_mass, self.inertia)
        mass, center, tensor = central(own) if own.dtype != object else self._varied_center()
        rotation = self.at.varied_rotation()
        placed = array_of(self.at.position) + rotation @ array_of(self.center_of_mass if mass == 0 else center)
        return ten_parameters(mass, placed, rotation @ tensor @ rotation.T, "center_of_mass")

    def _varied_center(self) -> tuple[float, np.ndarray, np.ndarray]:
        """`central` without a division by the mass, which may follow a variable through 0."""
        center = array_of(self.center_of_mass)
        tensor = np.zeros((3, 3)) if self.inertia is None else self.inertia.tensor()
        if self.inertia is not None and self.inertia.about == "origin":
            tensor = tensor - point_inertia(self.mass, center)
        return self.mass, center, tensor


def _several(value: Any) -> Any:
    """One thing, or several."""
    value = as_plain(value)
    if value is None:
        return ()
    if isinstance(value, list) and not value:
        raise as_error([Fault((), value, "an empty list", "a mapping, or a list of them")])
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _has_shape(data: Mapping[str, Any]) -> bool:
    return is_given(data, "shape") and data["shape"] not in ((), [])


class Body(Item):
    """A body in its own frame.

    Either a `shape` of even density, or several, from which mass, mass centre and inertia follow; or mass (kg), center_of_mass
    (m, default the origin) and inertia (default none: a point mass); or the ten `parameters` about the origin. With shape or
    parameters, mass and center_of_mass are filled in from them. Or flexible: a description, or any Python object whose
    `elastic_body(points)` gives the body's constants; then mass and inertia here are those of no body at all (0), the model has
    the true ones. weight_share: how much of its weight acts, the payload's included (1: all, 0: none, below 0: it is pulled
    up); its inertia is whole. mesh: how a rigid body looks, one or several; nothing is computed from it. limits: of the platform
    alone, bounds of its pose.
    """

    NEWER_KEYS: ClassVar = {"shape": 2, "limits": 2, "weight_share": 2}

    name: Name = "body"
    mass: Mass = 0.0
    center_of_mass: Position = ZERO
    inertia: Inertia | None = None
    parameters: Parameters | None = None
    shape: Annotated[tuple[EvenShape, ...], BeforeValidator(_several)] = ()
    frames: dict[Name, Pose] = Field(default_factory=dict)
    payload: Payload | None = None
    weight_share: Number = 1.0
    telescopic: Telescopic | None = None
    flexible: Annotated[Flexible | None, WrapValidator(flexible_or_object)] = None
    mesh: Annotated[tuple[BodyMesh, ...], BeforeValidator(_several)] = ()
    limits: PlatformLimits | None = None

    def newer_values(self) -> Mapping[str, int]:
        return {"mesh": 2} if len(self.mesh) > 1 else {}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        share = look(data, "weight_share")
        if number_fault(share, ("number",)) is None and abs(number(share, ("number",))) > MOST_SHARE:
            expected = (
                f"a share from {-MOST_SHARE:g} to {MOST_SHARE:g}: 1 is all of its weight, 0 none; a mass is `mass`"
            )
            yield Fault(("weight_share",), share, "not a share of the body's weight", expected)
        if is_given(data, "flexible"):
            yield from beside_flexible(data)
            return
        yield from negative_mass(data, ("mass",))
        yield from negative_mass(data, ("parameters", "M"))
        if _has_shape(data):
            yield from _beside_shape(data)
        elif is_given(data, "parameters"):
            yield from _twice(data, _mass_and_center(data["parameters"]), "parameters")
        elif not is_given(data, "mass"):
            for key in ("inertia", "center_of_mass"):
                if is_given(data, key):
                    yield Fault(("mass",), look(data, "mass"), f"{key} without a mass", "the mass in kg")
                    break

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        if is_given(data, "mass") or is_given(data, "center_of_mass"):
            return data
        if _has_shape(data):
            mass, center = _mass_and_center_of_shapes(data["shape"])
        elif is_given(data, "parameters"):
            mass, center = _mass_and_center(data["parameters"])
        else:
            return data
        return {**data, "mass": mass, "center_of_mass": center}

    def overruled_fields(self, update: Mapping[str, Any]) -> Mapping[str, str]:
        told = {
            "shape": "follows from its `shape`; change the shape, or take it away with shape=()",
            "parameters": "follows from its `parameters`; change those, or take them away with parameters=None",
            "flexible": "follows from its `flexible`; change that, or take it away with flexible=None",
        }
        ruling = next((key for key in told if update.get(key, getattr(self, key))), None)
        if ruling is None:
            return {}
        empty = Body() if ruling in update else self  # what follows from a new one may be cleared with it
        changed = (key for key in ("mass", "center_of_mass", "inertia") if key in update)
        return {k: told[ruling] for k in changed if update[k] not in (getattr(self, k), getattr(empty, k))}

    def ten_parameters(self) -> np.ndarray:
        """(10,): M, MX, MY, MZ, XX, XY, XZ, YY, YZ, ZZ about the body origin in body axes.

        The payload is included, telescopic inertia is not.
        """
        return self.varied_parameters().astype(float)

    def varied_parameters(self) -> np.ndarray:
        """The same; entries that follow variables are `VariedNumber`s."""
        if self.shape:
            own = sum_of_shapes(self.shape)
        elif self.parameters is not None:
            own = self.parameters.vector()
        else:
            own = _own_parameters(self.mass, self.center_of_mass, self.inertia)
        return own if self.payload is None else own + self.payload.ten_parameters()

    def central_inertia(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass (kg), mass centre (3,) and inertia about it (3, 3), payload included, telescopic inertia not."""
        if (
            not self.shape
            and self.parameters is None
            and self.payload is None
            and (self.inertia is None or self.inertia.about != "origin")
        ):
            tensor = np.zeros((3, 3)) if self.inertia is None else self.inertia.tensor().astype(float)
            return float(self.mass), np.array(self.center_of_mass, dtype=float), tensor
        return central(self.ten_parameters())


def _own_parameters(mass: float, center: Any, inertia: Inertia | None) -> np.ndarray:
    if inertia is None:
        return from_origin(mass, mass * array_of(center), point_inertia(mass, center))
    return ten_parameters(mass, center, inertia.tensor(), inertia.about)


def _mass_and_center(parameters: Any) -> tuple[float, tuple[float, float, float]]:
    """Of parameters that may be raw; zeros where they cannot be read (the field then complains)."""
    try:
        return _center(Parameters.model_validate(parameters).vector())
    except ValueError:
        return 0.0, ZERO


def _mass_and_center_of_shapes(shapes: Any) -> tuple[float, tuple[float, float, float]]:
    """The same of shapes."""
    try:
        return _center(sum_of_shapes(tuple(EvenShape.model_validate(shape) for shape in _several(shapes))))
    except ValueError:
        return 0.0, ZERO


def _center(ten: np.ndarray) -> tuple[float, tuple[float, float, float]]:
    mass = ten[0] if isinstance(ten[0], VariedNumber) else float(ten[0])
    if float(mass) == 0.0:
        return 0.0, ZERO
    x, y, z = (first / mass if isinstance(first, VariedNumber) else float(first) / mass for first in ten[1:4])
    return mass, (x, y, z)


def _beside_shape(data: dict[str, Any]) -> Iterator[Fault]:
    if is_given(data, "parameters"):
        yield Fault(("parameters",), data["parameters"], "inertia given twice", "either parameters or shape")
    yield from _twice(data, _mass_and_center_of_shapes(data["shape"]), "shape")


def _twice(data: dict[str, Any], own: tuple[float, Any], by: str) -> Iterator[Fault]:
    """own: mass and mass centre that follow from what is called `by`."""
    if is_given(data, "inertia"):
        yield Fault(("inertia",), data["inertia"], "inertia given twice", f"either inertia or {by}")
    mass, center = own
    if is_given(data, "mass") and number_fault(data["mass"], ("mass",)) is None and data["mass"] != mass:
        yield Fault(("mass",), data["mass"], "mass given twice", f"either mass or {by}")
    written = numbers(look(data, "center_of_mass"), 3)
    if written is not None and tuple(written) != tuple(map(float, center)):
        yield Fault(("center_of_mass",), written, "mass centre given twice", f"either center_of_mass or {by}")
