"""Inertia that may as well belong to the neighbour: what no motion of a joint can tell, as combinations of ten parameters.

Sources   Gautier and Khalil (1990) for the joints of a tree; here for the joints that close loops, too.
Derivation  bodies a and b share a joint. An inertia that is seen alike from both, whatever the joint does, may be taken from a
            and given to b without a change of kinetic energy or of the work of gravity:
              no motion                 all ten
              slides                    the tensor J (6): ω is the same
              turns about e             mass at the axis, first moment m e, tensor λ (I - e eᵀ)
              turns about e and slides  λ (I - e eᵀ): only ω across e is the same
              turns about several axes  mass at their common point
            What is given to the world is gone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gough.identification._polynomial import Polynomial
from gough.spatial import RigidInertia
from gough.structure import WORLD, Link, Mechanism
from gough.structure.mechanism import CutJoint

Row = tuple[int, int]
"""(link, which of its ten parameters)."""
TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Transfer:
    """A change {row: amount} of ten parameters that no motion can tell; leg: the one it belongs to, -1 for none; number: which of
    that leg's it is."""

    amounts: Mapping[Row, Polynomial]
    leg: int
    number: int


class Design:
    """Placements of a mechanism in polynomials of its parameters; structural ones are numbers."""

    def __init__(self, mechanism: Mechanism, pattern: Mapping[int, float], names: Mapping[int, str]) -> None:
        self.mechanism, self.pattern, self.names = mechanism, pattern, names

    def numbers(self) -> dict[str, float]:
        """What the names in polynomials stand for."""
        out: dict[str, float] = {}
        for i, value in enumerate(self.mechanism.table.values):
            name = self.names[i]
            out |= {name: value, f"cos({name})": float(np.cos(value)), f"sin({name})": float(np.sin(value))}
        return out

    def placement(self, positions: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a placement."""
        if not positions:
            return _exact(np.eye(3)), np.array([Polynomial.of(0.0)] * 3, dtype=object)
        p = np.array([self._number(i) for i in positions[:3]], dtype=object)
        R = _exact(np.eye(3))
        for i, axis in zip(positions[3:], (2, 1, 0), strict=True):
            R = R @ self._turn(i, axis)
        return R, p

    def _number(self, i: int) -> Polynomial:
        return Polynomial.of(self.pattern[i]) if i in self.pattern else Polynomial.of_name(self.names[i])

    def _turn(self, i: int, axis: int) -> np.ndarray:
        if i in self.pattern:
            c, s = (Polynomial.of(float(np.round(f(self.pattern[i])))) for f in (np.cos, np.sin))
        else:
            c, s = (Polynomial.of_name(f"{f}({self.names[i]})") for f in ("cos", "sin"))
        R = _exact(np.eye(3))
        a, b = (axis + 1) % 3, (axis + 2) % 3
        R[a, a], R[b, b], R[a, b], R[b, a] = c, c, -s, s
        return R


def transfers(design: Design) -> list[Transfer]:
    """Of all joints, those farthest from the base first."""
    mechanism = design.mechanism
    found: list[tuple[int, dict[Row, Polynomial]]] = []
    for cut in mechanism.cuts:
        found += [(cut.leg, amounts) for amounts in _of_cut(design, cut)]
    for i in reversed(range(len(mechanism.links))):
        found += [(mechanism.links[i].leg, amounts) for amounts in _of_link(design, i)]
    counts: dict[int, int] = {}
    out = []
    for leg, amounts in found:
        out.append(Transfer(amounts, leg, counts.setdefault(leg, 0)))
        counts[leg] += 1
    return out


def _of_link(design: Design, i: int) -> Iterator[dict[Row, Polynomial]]:
    links = design.mechanism.links
    link = links[i]
    if link.is_platform or not _is_plain(link) or (link.parent != WORLD and not _is_plain(links[link.parent])):
        return
    turning = link.nu if link.motion.turns else 0
    R, p = design.placement(link.placement)
    for inertia in _alike(turning, link.motion.slides, link.axis):
        yield _change((i, inertia), (link.parent, _seen(inertia, R, p)))


def _of_cut(design: Design, cut: CutJoint) -> Iterator[dict[Row, Polynomial]]:
    links = design.mechanism.links
    ends = [i for i in (cut.first, cut.second) if i != WORLD]
    if cut.length is not None or not all(_is_plain(links[i]) for i in ends):
        return
    turning = [axis for side, axis in cut.free_axes if side != "along"]
    balls = any(side == "ball" for side, _ in cut.free_axes)
    slides = any(side == "along" for side, _ in cut.free_axes)
    axis = turning[0] if turning else 0
    placed = [design.placement(x) for x in (cut.on_first, cut.on_second)]
    for inertia in _alike(3 if balls else len(turning), slides, axis):
        sides = [(i, _seen(inertia, *place)) for i, place in zip((cut.first, cut.second), placed, strict=True)]
        yield _change(sides[0], sides[1])


def _is_plain(link: Link) -> bool:
    """Whether its inertia is ten constant numbers."""
    return link.elastic is None and link.tie is None and link.telescopic is None


def _alike(turning: int, slides: bool, axis: int) -> Iterator[RigidInertia]:
    """Inertias that are seen alike from both sides of a joint that turns about this many axes."""
    none = np.zeros((3, 3))
    if not slides and turning != 1:
        yield _inertia(1.0, np.zeros(3), none)
    if turning == 0:
        if not slides:
            yield from (_inertia(0.0, e, none) for e in np.eye(3))
        for a, b in TENSOR:
            J = none.copy()
            J[a, b] = J[b, a] = 1.0
            yield _inertia(0.0, np.zeros(3), J)
    if turning == 1:
        e = np.eye(3)[axis]
        if not slides:
            yield _inertia(1.0, np.zeros(3), none)
            yield _inertia(0.0, e, none)
        yield _inertia(0.0, np.zeros(3), np.eye(3) - np.outer(e, e))


def _inertia(mass: float, first: np.ndarray, tensor: np.ndarray) -> RigidInertia:
    return RigidInertia(Polynomial.of(mass), _exact(first), _exact(tensor))


def _exact(numbers: np.ndarray) -> np.ndarray:
    out = np.empty(numbers.shape, dtype=object)
    for k, x in np.ndenumerate(numbers):
        out[k] = Polynomial.of(float(x))
    return out


def _seen(x: RigidInertia, R: np.ndarray, p: np.ndarray) -> RigidInertia:
    """An inertia about a frame that is at R, p, about the origin of these axes."""
    c = R @ x.first_moments
    one = _exact(np.eye(3))
    pc, pp = sum(p * c, start=Polynomial.of(0.0)), sum(p * p, start=Polynomial.of(0.0))
    shift = 2.0 * pc * one - np.outer(p, c) - np.outer(c, p) + x.mass * (pp * one - np.outer(p, p))
    return RigidInertia(x.mass, c + x.mass * p, R @ x.tensor @ R.T + shift)


def _change(taken: tuple[int, RigidInertia], given: tuple[int, RigidInertia]) -> dict[Row, Polynomial]:
    """Taken from one link, given to another."""
    out: dict[Row, Polynomial] = {}
    for sign, (link, x) in ((-1.0, taken), (1.0, given)):
        if link == WORLD:
            continue
        ten = [x.mass, *x.first_moments, *(x.tensor[a, b] for a, b in TENSOR)]
        for k, amount in enumerate(ten):
            total = out.get((link, k), Polynomial.of(0.0)) + amount * sign
            out[link, k] = total
    return {row: amount for row, amount in out.items() if amount}
