"""What a study asks of a design: one number each, with its gradient.

A measure of states is a quantity of `gough.sensitivity` at the states of a case, reduced to a number: "peak" of "tau" is the
largest drive force. People write it by name (PRESETS), or as {of: quantity, reduce: how}. Measures of the design alone need no
states: its mass, its footprint.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gough.errors import BadStateError, UsageError
from gough.robot.item import nearest
from gough.studies.quantities import (
    Conditions,
    FrameCompliance,
    FrameDeflection,
    JointCoordinates,
    MayRepeat,
    OfOutput,
    StudiedQuantity,
    find_quantity,
    slowest_frequencies,
)
from gough.studies.study.cases import CaseStates, StudyCase
from gough.studies.study.footprint import footprint
from gough.studies.study.reductions import REDUCTIONS, Reduction, shares

if TYPE_CHECKING:
    from gough.model import Model

PRESETS = {
    "peak force": ("tau", "peak"),
    "rms force": ("tau", "rms"),
    "peak power": ("power", "peak"),
    "peak total power": ("total power", "peak"),
    "peak drawn power": ("drawn power", "largest"),
    "energy": ("power", "work"),
    "stroke": ("coordinate", "range"),
    "dexterity": ("condition:drives", "smallest"),
    "mean dexterity": ("condition:drives", "mean"),
    "singularity": ("condition", "smallest"),
    "margin": ("margin", "smallest"),
    "frequency": ("frequency", "smallest"),
    "stiffness": ("stiffness", "smallest"),
    "deflection": ("deflection", "peak"),
    "cone": ("tilt", "largest"),
    "leg distance": ("distance", "smallest"),
}
"""Names that stand for a quantity and its reduction; what follows a colon goes to the quantity ("stroke:leg0.slide")."""
OF_DESIGN = ("mass", "footprint")
ENERGIES = ("kinetic", "potential")
QUANTITIES_OF_POWER = ("power", "total power", "drawn power")
POWERS = ("peak power", "peak total power", "peak drawn power", "energy", *QUANTITIES_OF_POWER)
FORCES = ("peak force", "rms force", "tau", *POWERS)
"""What is made of drive forces."""


@dataclass(frozen=True)
class StateMeasure:
    """A quantity at the states of a case, reduced. name: in the study; case: by name; text, reduce: as people wrote it."""

    name: str
    case: str
    quantity: StudiedQuantity
    reduction: Reduction
    text: str
    reduce: str | None = None

    @property
    def words(self) -> list[str]:
        """What it is, as plain data."""
        return [self.name, self.text, self.reduce or "", self.case]

    @property
    def sense(self) -> float:
        """1 where a large number is bad, -1 where a small one is: of a least number, and of conditions on average."""
        least = self.reduction.bounds is not None and self.reduction.bounds[0] < 0
        return -1.0 if least or isinstance(self.quantity, Conditions) else 1.0

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries, each once."""
        return tuple(dict.fromkeys(self.quantity.units))

    @property
    def unit(self) -> str:
        """Of the number."""
        unit = " or ".join(self.units)
        return {"W": "J", "N m/s": "J"}.get(unit, f"{unit} s") if self.reduction.timed else unit

    def entries(self, found: CaseStates) -> np.ndarray:
        """Of the quantity (g, s, m), of designs that take all states."""
        g = int(found.good.sum())
        values = self.quantity.evaluate(found.states)
        return values.reshape(g, -1 if g else found.missed.shape[1], values.shape[-1])

    def values(self, found: CaseStates) -> np.ndarray:
        """(d,), NaN for designs that do not take all states."""
        out = np.full(len(found.good), np.nan)
        if found.good.any():
            x = self._known_entries(found)
            out[found.good] = self.reduction.apply(x, shares(found.time, x.shape[1]))[0]
        return out

    def _known_entries(self, found: CaseStates) -> np.ndarray:
        """`entries`, NaN of designs that have none: at a state they come to no rest, say."""
        try:
            return self.entries(found)
        except BadStateError:
            rows = [self._own_entries(found, k) for k in range(int(found.good.sum()))]
        shape = next((x.shape for x in rows if x is not None), (found.missed.shape[1], 1))
        return np.stack([np.full(shape, np.nan) if x is None else x for x in rows])

    def _own_entries(self, found: CaseStates, k: int) -> np.ndarray | None:
        """Of the k-th design that takes all states (s, m)."""
        try:
            return self.quantity.evaluate(found.states.of_design(k))
        except BadStateError:
            return None

    def gradients(self, found: CaseStates, slopes: np.ndarray) -> np.ndarray:
        """(g, k) by numbers along which the designs move by slopes (g, k, parameters)."""
        x = self.entries(found)
        weights = self.reduction.apply(x, shares(found.time, x.shape[1]))[1]
        return self._pulled(found, weights, slopes)

    def all_entries(self, found: CaseStates, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(entries (s · m,), their slopes (s · m, k)) of one design, for a reduction with bounds: the number is their largest,
        or smallest, and, of a peak, of entries of either sign."""
        x = self.entries(found)[0]
        s, m = x.shape
        weights = np.repeat(np.eye(m), s, axis=0)  # all states for the first entry, all for the next, …
        pulled = self.quantity.pull(found.states.repeat(m), weights)
        out = (pulled @ slopes[0].T).reshape(m, s, -1).transpose(1, 0, 2)
        if isinstance(self.quantity, MayRepeat) and (repeated := self.quantity.repeated_values(found.states)).any():
            out[repeated] = self.quantity.branch_slopes(found.states, slopes[0])[repeated]
        both = self.reduction.bounds is not None and self.reduction.bounds[1]
        turn = np.where(x < 0, -1.0, 1.0) if both else np.ones_like(x)
        return (turn * x).reshape(-1), (turn[..., None] * out).reshape(s * m, -1)

    def _pulled(self, found: CaseStates, weights: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        g, s, m = weights.shape
        by_design = self.quantity.pull(found.states, weights.reshape(g * s, m)).reshape(g, s, -1).sum(axis=1)
        return np.einsum("gp,gkp->gk", by_design, slopes)


@dataclass(frozen=True)
class DesignMeasure:
    """A number of the design alone: "mass" (kg, of all bodies; payloads of the description counted, those of cases not) or
    "footprint" (m², of the joints on the base)."""

    name: str
    kind: str
    model: "Model"
    sense: ClassVar[float] = 1.0

    @property
    def words(self) -> list[str]:
        """What it is, as plain data."""
        return [self.name, self.kind]

    @property
    def unit(self) -> str:
        """Of the number."""
        return {"mass": "kg", "footprint": "m2"}[self.kind]

    def of_designs(self, designs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values (d,), gradients (d, parameters)) of designs (d, m)."""
        if self.kind == "footprint":
            return footprint(self.model, designs)
        own = mass_places(self.model)
        slopes = np.zeros_like(designs)
        slopes[:, own] = 1.0
        # row after row, so that a design's sum has the same bits beside others as alone
        return np.ascontiguousarray(designs[:, own]).sum(axis=1), slopes


def mass_places(model: "Model") -> list[int]:
    """Parameters that are masses of bodies."""
    return [k for k, name in enumerate(model.parameter_names) if name.endswith(".M")]


@dataclass(frozen=True)
class WorkspaceMeasure:
    """Part of a grid that a design reaches within the description's limits, with reciprocal conditions above `condition`: the
    number of its poses times what each stands for (m³ of a grid of x, y, z). It has no gradient."""

    name: str
    case: str
    model: "Model"
    cell: float
    unit: str
    condition: float = 0.0
    length: float | None = None
    sense: ClassVar[float] = -1.0

    @property
    def words(self) -> list[str]:
        """What it is, as plain data."""
        return [self.name, "workspace", str(self.condition), self.case]

    def values(self, found: CaseStates) -> np.ndarray:
        """(d,)."""
        taken = ~found.missed
        P = found.designs[:, None]
        margins = self.model.limit_margins(found.q, parameters=P).margins
        if margins.shape[-1]:
            taken = taken & (np.nan_to_num(margins, nan=-1.0) >= 0).all(axis=-1)
        if self.condition > 0:
            near = self.model.singularity(found.q, parameters=P, length=self.length)
            least = np.minimum(near.parallel, near.serial.min(axis=-1, initial=1.0))
            taken = taken & (np.nan_to_num(least) >= self.condition)
        return taken.sum(axis=1) * self.cell


Measure = StateMeasure | DesignMeasure | WorkspaceMeasure


def make_measure(name: str, what: str, model: "Model", case: StudyCase | None, reduce: str | None = None) -> Measure:
    """By the words that people write; UsageError that says what is wrong with them."""
    head, _, rest = what.partition(":")
    if head == "energy" and rest in ENERGIES:
        head = what  # a quantity; "energy" of drives is their work
    if head in OF_DESIGN:
        if reduce is not None or case is not None or rest:
            raise UsageError(f"{name}: {head} is one of the design alone, without case, reduce and names")
        return DesignMeasure(name, head, model)
    if case is None:
        raise UsageError(f"{name}: {what!r} is taken at states; name its case")
    if head == "workspace":
        return _workspace(name, model, case, rest, reduce)
    if head in PRESETS and reduce is not None:
        raise UsageError(f"{name}: {head!r} has its own reduction, {PRESETS[head][1]!r}; leave reduce out")
    demand_measure(name, what, reduce)
    quantity, how = PRESETS.get(head, (what, str(reduce)))
    if head in PRESETS and rest:
        quantity = f"{quantity.partition(':')[0]}:{rest}"
    if how not in REDUCTIONS:
        raise UsageError(f"{name}: no reduction {how!r}; use {nearest(how, list(REDUCTIONS))}")
    if REDUCTIONS[how].timed and case.time is None:
        raise UsageError(
            f"{name}: {how!r} is taken over time, and case {case.name!r} is one of poses; use one with a motion"
        )
    if quantity.partition(":")[0] in QUANTITIES_OF_POWER and case.sample is None:
        raise UsageError(
            f"{name}: {what!r} is 0 where nothing moves, and case {case.name!r} has no motion; use one that has"
        )
    asked = slowest_frequencies() if quantity == "frequency" else find_quantity(model, quantity)
    _demand_one_unit(name, what, asked)
    if model.layout.v_elastic and quantity.startswith("reaction"):
        raise UsageError(
            f"{name}: bodies of {model.robot.name} bend, and studies take forces of bodies that do not; what joints bear of "
            "those is not defined where loops are closed through them. Ask gough.sensitivity at a configuration of rest"
        )
    return StateMeasure(name, case.name, asked, REDUCTIONS[how], what, reduce)


def demand_measure(name: str, what: str, reduce: str | None) -> None:
    """UsageError for words that are no measure, whatever its case."""
    known, (head, _, rest) = [*PRESETS, *OF_DESIGN, "workspace"], what.partition(":")
    head = what if head == "energy" and rest in ENERGIES else head
    if head not in known and reduce is None:
        raise UsageError(
            f"{name}: {what!r} is no measure; use {nearest(head, known)}, or a quantity with reduce: {', '.join(REDUCTIONS)}"
        )


def _demand_one_unit(name: str, what: str, asked: StudiedQuantity) -> None:
    """UsageError for numbers in m and rad, or in N and N m, of which one would be the largest, where entries can be named."""
    units = dict.fromkeys(asked.units)
    if len(units) == 1:
        return
    own = [entry for entry, unit in zip(asked.names, asked.units, strict=True) if unit == asked.units[0]]
    if isinstance(asked, FrameCompliance | FrameDeflection):
        own = [entry.rpartition(" ")[2].rpartition(".")[2] for entry in own]
        own = [entry for entry in own if isinstance(asked, FrameDeflection) or entry[0] == entry[1]]
        shown = f"{what.partition(',')[0]},{','.join(own)}"
    elif isinstance(asked, OfOutput | JointCoordinates):
        shown = f"{what.partition(':')[0]}:{','.join(own)}"
    else:
        return
    raise UsageError(
        f"{name}: {what!r} would compare numbers in {', '.join(units)}; name entries of one unit, '{shown}'"
    )


def _workspace(name: str, model: "Model", case: StudyCase, rest: str, reduce: str | None) -> WorkspaceMeasure:
    if case.grid is None:
        raise UsageError(f"{name}: a workspace is counted on a grid; case {case.name!r} has none")
    if reduce is not None:
        raise UsageError(f"{name}: a workspace has its own reduction; leave reduce out")
    try:
        condition = float(rest) if rest else 0.0
    except ValueError:
        raise UsageError(
            f"{name}: write the least reciprocal condition behind it, 'workspace:0.1', not {rest!r}"
        ) from None
    if not 0 <= condition <= 1:
        raise UsageError(f"{name}: a reciprocal condition is between 0 and 1, not {rest}")
    return WorkspaceMeasure(name, case.name, model, case.grid.cell, case.grid.unit, condition, model.size)
