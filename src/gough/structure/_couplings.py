"""Coupled joints as closures: one row each, linear in the coordinates of the tree, between joints of any bodies.

    residual = offset - sum of c_k q_k,  0 when it holds;  sum of c_k u_k = 0;  sum of c_k u̇_k = 0

The multiplier μ of a row is what keeps it: c_k μ is its force (or torque) along the coordinate k. Together they do the power
μ sum of c_k u_k = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gough.joints.measure import LENGTH
from gough.robot import Robot
from gough.robot.checks.couplings import PlacedCoupling, placed_couplings
from gough.structure.parameters import GrowingTable

if TYPE_CHECKING:
    from gough.structure.mechanism import Link


@dataclass(frozen=True)
class CoupledCoordinate:
    """One term: positions of the coordinate in q and of its rate in u, of the coefficient in parameters (None: it is 1), its
    sign. slides: whether it is in m, else in rad."""

    q: int
    u: int
    parameter: int | None
    sign: float
    slides: bool

    def coefficient(self, values: Sequence[float]) -> float:
        """c_k of a design."""
        return self.sign * (1.0 if self.parameter is None else float(values[self.parameter]))


@dataclass(frozen=True)
class LinearClosure:
    """A coupling of joints; offset and radius (of the first wheel or the pinion, None where not stated): positions of parameters.

    row: position of its closure among all rows. leg: whose it is, -1 for none.
    """

    name: str
    type: str
    leg: int
    terms: tuple[CoupledCoordinate, ...]
    offset: int
    radius: int | None
    row: int
    rows: int = 1

    @property
    def row_names(self) -> tuple[str, ...]:
        """A name of its closure equation."""
        return ("relation",)

    @property
    def columns(self) -> list[int]:
        """Positions in u of the rates it couples."""
        return [term.u for term in self.terms]

    @property
    def parameters(self) -> list[int]:
        """Positions of its numbers."""
        own = [*(term.parameter for term in self.terms), self.offset, self.radius]
        return list(dict.fromkeys(i for i in own if i is not None))

    def scale(self, size: float, values: Sequence[float]) -> float:
        """What its residual is measured by in a robot of a size (m): what a radian, or the size, of the coordinate that it feels
        most makes of it."""
        return max(abs(term.coefficient(values)) * (size if term.slides else 1.0) for term in self.terms)


def make_couplings(
    robot: Robot, links: "Sequence[Link]", q_names: Sequence[str], table: GrowingTable, first_row: int
) -> tuple[LinearClosure, ...]:
    """The couplings of a robot, their rows after `first_row` others; their numbers are added to the table."""
    places = {q_names[q]: (q, u, link) for link in links for q, u in link.plain}
    made = []
    for placed in placed_couplings(robot):
        made.append(_make(placed, places, table, first_row + len(made)))
    return tuple(made)


def _make(
    placed: PlacedCoupling, places: "dict[str, tuple[int, int, Link]]", table: GrowingTable, row: int
) -> LinearClosure:
    measures = [places[term.coordinate][2].motion.measure for term in placed.terms]
    own = [measure for term, measure in zip(placed.terms, measures, strict=True) if term.key is None] or measures
    alike = all(measure is own[0] for measure in own)
    kept: dict[str, int] = {}
    terms = []
    for term, measured in zip(placed.terms, measures, strict=True):
        q, u, _ = places[term.coordinate]
        if term.key is not None:
            plain = measured is own[0] or term.key.startswith("coefficient")
            unit = "1" if plain else f"{own[0].unit}/{measured.unit}"
            kept[term.key] = table.add(f"{placed.name}.{term.key}", term.value, unit)
        position = None if term.key is None else kept[term.key]
        terms.append(CoupledCoordinate(q, u, position, term.sign, measured is LENGTH))
    offset = table.add(f"{placed.name}.offset", placed.offset, own[0].spring[2] if alike else "SI")
    radius, stated = kept.get("radius"), placed.described.pitch_radius
    if radius is None and stated is not None:
        radius = table.add(f"{placed.name}.radius", stated, "m")
    return LinearClosure(placed.name, placed.described.type, placed.leg, tuple(terms), offset, radius, row)
