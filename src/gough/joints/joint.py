"""What a joint type is: its coordinates, the elementary motions it is made of, and the closures it owes when cut.

In a tree a joint moves its body by elementary motions in turn: rotations and translations along fixed axes, or a ball.
As a cut joint it owes closure rows between a frame L on the leg and a frame P on the platform side (axis = z, or for a
universal joint x of L and y of P):

    point      the origins coincide                                    3 rows
    (a, b)     direction a of L is perpendicular to direction b of P   1 row
    along a    the origin of P has no offset along direction a of L    1 row
    distance   the origins keep their distance                         1 row

Reversed axes fulfil perpendicular rows too. What tells them apart is `common_axes`, which follows from the motions.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Motion:
    """An elementary motion: "rotation" or "translation" along the joint's axis `axis` (0 or 1; for fixed directions
    use `direction`), or "ball" (a unit quaternion)."""

    kind: str
    axis: int = 0
    direction: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a joint: suffix of its name and its units."""

    suffix: str
    unit: str


@dataclass(frozen=True)
class Closure:
    """One closure of a cut joint; `kind` is point, perpendicular, along or distance; a and b are axis numbers 0…2."""

    kind: str
    a: int = 0
    b: int = 0

    @property
    def rows(self) -> int:
        """Number of scalar equations."""
        return 3 if self.kind == "point" else 1


@dataclass(frozen=True)
class JointType:
    """A member of the family; `axes` is how many axes its description states."""

    name: str
    axes: int
    motions: tuple[Motion, ...] | None
    coordinates: tuple[Coordinate, ...]
    closures: tuple[Closure, ...] | None
    scalar: bool = False
    rotational: bool = False
    free_axes: tuple[tuple[str, int], ...] = ()
    """Freedoms left when cut, for friction: ("leg" | "platform", axis number) or ("ball", 0)."""

    @property
    def common_axes(self) -> tuple[int, ...]:
        """Axes of L and P that are the same, pointing the same way, however the joint moves; z is the stated axis."""
        if self.motions is None or self.closures is None or any(m.kind == "ball" for m in self.motions):
            return ()
        turning = {m.axis for m in self.motions if m.kind == "rotation"}
        return (0, 1, 2) if not turning else (2,) if turning == {0} and self.axes == 1 else ()
