"""Poses: where a frame is in another one, in any of the ways people write it.

Rotations (columns of R are the axes of the placed frame):
    rpy_zyx [yaw, pitch, roll]   R = Rz(yaw) Ry(pitch) Rx(roll)
    bryant_xyz [a, b, c]         R = Rx(a) Ry(b) Rz(c)
    quaternion_wxyz              unit to 1e-6, normalised when used
    matrix                       three rows, orthonormal to 1e-9, determinant +1
    axes {x:, y:, z:}            any two or all three axes, unit and perpendicular to 1e-9
Angles within 1e-12 of a multiple of 90 degrees give exact zeros and ones.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from gough.robot.fields import Angle, Angles, FixedNumber, Length, Position, Vector, exactly, numbers
from gough.robot.item import Fault, Item, as_plain, is_given, look
from gough.scalar import array_of
from gough.spatial import about_axis, bryant_xyz, rpy_zyx
from gough.spatial.poses import rotation_of_quaternion

UNIT_TOLERANCE = 1e-9
QUATERNION_TOLERANCE = 1e-6
FORMS = ("rpy_zyx", "bryant_xyz", "quaternion_wxyz", "matrix", "axes")


class Axes(Item):
    """The directions of a frame's axes in its antecedent frame; two are enough."""

    x: Vector | None = None
    y: Vector | None = None
    z: Vector | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        named = [name for name in "xyz" if is_given(data, name)]
        if len(named) < 2:
            yield Fault((), data, f"{len(named)} axes", "at least two of x, y, z")
        for name in named:
            yield from axis_faults(data[name], (name,))
        vectors = {name: numbers(data[name], 3) for name in named}
        if len(named) < 2 or any(v is None or abs(np.linalg.norm(v) - 1) > UNIT_TOLERANCE for v in vectors.values()):
            return
        for first, second in (("x", "y"), ("y", "z"), ("x", "z")):
            if first in vectors and second in vectors:
                product = float(np.dot(vectors[first], vectors[second]))  # type: ignore[arg-type]
                if abs(product) > UNIT_TOLERANCE:
                    yield Fault((second,), data[second], f"not perpendicular to {first}", "perpendicular axes")
                    return
        if len(named) == 3:
            x, y, z = (np.array(vectors[name]) for name in "xyz")
            if float(np.dot(np.cross(x, y), z)) < 0:
                yield Fault(("z",), data["z"], "a left-handed frame", f"z = x cross y = {np.cross(x, y).tolist()}")

    def rotation(self) -> np.ndarray:
        """(3, 3), columns x, y, z."""
        x, y, z = (None if a is None else np.array(a) for a in (self.x, self.y, self.z))
        if x is None:
            x = np.cross(y, z)  # type: ignore[arg-type]
        if y is None:
            y = np.cross(z, x)  # type: ignore[arg-type]
        if z is None:
            z = np.cross(x, y)
        return np.column_stack([x, y, z]) + 0.0


class Pose(Item):
    """Position (m) and orientation of a frame in another frame; at most one form of orientation, default identity."""

    position: Position = (0.0, 0.0, 0.0)
    rpy_zyx: Angles | None = None
    bryant_xyz: Angles | None = None
    quaternion_wxyz: (
        Annotated[tuple[FixedNumber, FixedNumber, FixedNumber, FixedNumber], exactly(4, "four numbers [w, x, y, z]")]
        | None
    ) = None
    matrix: Annotated[tuple[Vector, Vector, Vector], exactly(3, "three rows of three numbers")] | None = None
    axes: Axes | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        forms = [form for form in FORMS if is_given(data, form)]
        if len(forms) > 1:
            yield Fault(
                (forms[1],), look(data, forms[1]), f"orientation given twice, by {' and '.join(forms)}", "one of them"
            )
        wxyz = numbers(look(data, "quaternion_wxyz"), 4)
        if wxyz is not None and abs(math.hypot(*wxyz) - 1) > QUATERNION_TOLERANCE:
            yield Fault(("quaternion_wxyz",), wxyz, f"a quaternion of norm {math.hypot(*wxyz):.9g}", "norm 1 to 1e-6")
        rows = as_plain(look(data, "matrix"))
        if isinstance(rows, list | tuple) and len(rows) == 3:
            checked = [numbers(row, 3) for row in rows]
            if None not in checked:
                yield from _matrix_faults(np.array(checked, dtype=float), rows)

    def rotation(self) -> np.ndarray:
        """(3, 3): the columns are the axes of the placed frame in its antecedent frame."""
        return self.varied_rotation().astype(float)

    def varied_rotation(self) -> np.ndarray:
        """The same; entries that follow variables are `VariedNumber`s."""
        if self.rpy_zyx is not None:
            return array_of(rpy_zyx(self.rpy_zyx))
        if self.bryant_xyz is not None:
            return array_of(bryant_xyz(self.bryant_xyz))
        if self.quaternion_wxyz is not None:
            wxyz = np.array(self.quaternion_wxyz)
            return rotation_of_quaternion(wxyz / math.hypot(*wxyz))
        if self.matrix is not None:
            return array_of(self.matrix)
        if self.axes is not None:
            return self.axes.rotation()
        return np.eye(3)

    @classmethod
    def identity(cls) -> Self:
        """The pose of a frame in itself."""
        return cls()

    @classmethod
    def from_matrix(cls, rotation: Any, position: Any = (0.0, 0.0, 0.0), source: str | None = None) -> Self:
        """From a rotation matrix (3, 3) and a position (3,), m."""
        rotation = array_of(rotation)
        rows = None if np.array_equal(rotation, np.eye(3)) else rotation.tolist()
        return cls.model_validate({"position": position, "matrix": rows, "source": source})


class CutPose(Pose):
    """Where a cut's joint frame is on the platform; orientation `home`: its axes are those of the cut's frame on the leg,
    with the joints as `home.joints` states them."""

    NEWER_KEYS: ClassVar = {"orientation": 2}

    orientation: Literal["home"] | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from super().faults(data)
        forms = [form for form in FORMS if is_given(data, form)]
        if forms and is_given(data, "orientation"):
            told = f"orientation given twice, by {forms[0]} and from home"
            yield Fault(("orientation",), data["orientation"], told, "one of them")

    @classmethod
    def of(cls, value: Any) -> Any:
        """A plain pose as one of these; anything else as it is."""
        return cls(**dict(value)) if type(value) is Pose else value

    def __eq__(self, other: object) -> bool:
        """Equal to a plain pose that says the same."""
        return super().__eq__(type(self).of(other))

    __hash__ = Pose.__hash__


class Mdh(Item):
    """Modified Denavit-Hartenberg parameters: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [Khalil-Kleinfinger].

    theta and r are the constants that the turn and the slide of a joint about or along z add to.
    """

    gamma: Angle = 0.0
    b: Length = 0.0
    alpha: Angle = 0.0
    d: Length = 0.0
    theta: Angle = 0.0
    r: Length = 0.0

    def pose(self) -> Pose:
        """The joint frame at zero coordinate, in the antecedent frame."""
        turn = about(2, self.gamma)
        tilt = turn @ about(0, self.alpha)
        position = turn @ array_of([self.d, 0.0, self.b]) + tilt @ array_of([0.0, 0.0, self.r])
        return Pose.from_matrix(tilt @ about(2, self.theta) + 0.0, position + 0.0, self.source)


def about(axis: int, angle: float) -> np.ndarray:
    """Rotation (3, 3) about coordinate axis 0, 1 or 2 by an angle in rad, exact at quarter turns."""
    return array_of(about_axis(axis, angle))


def are_perpendicular(axes: Any) -> bool:
    """Whether two unit vectors are perpendicular to 1e-9."""
    return abs(float(np.dot(*np.asarray(axes, dtype=float)))) <= UNIT_TOLERANCE


def axis_faults(value: Any, place: tuple[int | str, ...]) -> Iterator[Fault]:
    """What is wrong with a direction: it must have length 1 to 1e-9."""
    axis = numbers(value, 3)
    if axis is None:
        return
    norm = math.hypot(*axis)
    if norm == 0:
        yield Fault(place, value, "a direction of length zero", "a unit vector")
    elif abs(norm - 1) > UNIT_TOLERANCE:
        unit = [entry / norm for entry in axis]
        yield Fault(place, value, f"a direction of length {norm:.9g}", f"a unit vector, {unit}")


def _matrix_faults(matrix: np.ndarray, value: Any) -> Iterator[Fault]:
    error = float(np.max(np.abs(matrix.T @ matrix - np.eye(3))))
    if error > UNIT_TOLERANCE:
        yield Fault(("matrix",), value, "not a rotation: its columns are not orthonormal", f"to 1e-9, is {error:.2g}")
    elif np.linalg.det(matrix) < 0:
        yield Fault(("matrix",), value, "not a rotation: a mirror image", "determinant +1")
