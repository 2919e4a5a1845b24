"""The result of an identification: numbers, how far they spread, how well they predict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, number, path, whole
from gough.errors import UsageError
from gough.frozen import FrozenDict
from gough.identification._standard import TOLD, Prior, Standard, typical_sizes
from gough.identification._unknowns import OFFSET, Unknown
from gough.identification.base_parameters import BaseParameters
from gough.identification.data.samples import Samples
from gough.identification.estimation.consistent import inconsistent_names
from gough.identification.estimation.estimate import Estimate, blur
from gough.identification.estimation.hands import HERE, Hands
from gough.identification.estimation.rows import EquationPart, ForceEquations, Rows, Thinning, stretches
from gough.identification.saved import save_identification, saved_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from gough.model import Model
    from gough.robot import Robot
    from gough.simulation.results.run import Run

MANY = 40
"""Lines of a table that a report writes out."""
LONG = 72
"""Letters of a combination that a line writes out; `.base.names` has them all."""
NOTHING = 1e-6
"""Deviations between numbers and estimate that are rounding."""
DUST = 1e-9
"""Of what numbers of a kind usually are in a robot: below that they are rounding, and written as 0."""


@dataclass(frozen=True)
class Fit:
    """How well forces are predicted: samples counted, rms (rows,) of what is missing (N, N m), share (rows,): of the rms of the
    force itself; name: of the data; spacing: of its samples (s), of which an equation takes the more the closer they are."""

    name: str
    count: int
    rms: np.ndarray
    share: np.ndarray
    spacing: float = 1.0

    @property
    def error(self) -> float:
        """|missing| / |force| of all rows together, each over its own rms force."""
        return float(np.sqrt(np.mean(self.share**2)))

    def worse_than(self, other: "Fit") -> bool:
        """Whether more is missing than noise explains: twice the share and half as much again in force. A small force alone has
        a large share of the same noise, and so have few samples an equation."""
        noisier = max(1.0, float(np.sqrt(self.spacing / other.spacing)))
        grown = float(np.sqrt(np.mean((self.rms / np.maximum(other.rms, 1e-300)) ** 2)))
        return self.error > 2 * noisier * other.error and grown > 1.5 * noisier


@dataclass(frozen=True)
class Identification:
    """A robot's numbers from measurements. Make one with `gough.identify`.

    model: of the description that it began with. base: which combinations were estimated; estimate: of these. standard: of the
    robot's own numbers. consistent: how these were kept consistent, "" where they were not. samples, validation: the data; fits:
    of both. warnings: what was said.
    """

    model: "Model"
    base: BaseParameters
    estimate: Estimate
    prior: Prior
    standard: Standard
    consistent: str
    rows: Rows
    samples: Samples
    validation: Samples | None
    thinning: Thinning
    fits: tuple[Fit, ...]
    warnings: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """Of the estimator: "ls", "iv" or "didim"."""
        return self.estimate.method

    @property
    def method_words(self) -> str:
        """The same in words."""
        return METHODS[self.estimate.method]

    @property
    def condition(self) -> float:
        """Of the data: largest over smallest singular value, columns of unit length; below 100 is good."""
        return self.estimate.condition

    @property
    def noise_names(self) -> tuple[str, ...]:
        """Of what `estimate.sigma` is the noise: of the rows, or of the drives where their forces were compared (didim)."""
        return self.model.layout.drive_names if self.method == "didim" else self.rows.names

    @cached_property
    def sizes(self) -> np.ndarray:
        """What numbers of these kinds usually are in such a robot (n,), for rounding."""
        return typical_sizes(self.model, self.base)

    @cached_property
    def base_sizes(self) -> np.ndarray:
        """The same of base parameters (rank,)."""
        return np.sqrt((self.base.matrix**2) @ self.sizes**2)

    @property
    def base_values(self) -> np.ndarray:
        """Base parameters (rank,) as estimated; `base.names` says what they are."""
        return self.estimate.phi[: self.base.rank]

    @property
    def base_deviations(self) -> np.ndarray:
        """Their standard deviations (rank,); infinite where the data tell nothing."""
        return self.estimate.deviations[: self.base.rank]

    @property
    def gains(self) -> np.ndarray:
        """Gains (drives,) of measured forces, true over measured; none where they were taken as right."""
        return self.estimate.phi[self.base.rank :]

    @property
    def gain_deviations(self) -> np.ndarray:
        """Their standard deviations (drives,)."""
        return self.estimate.deviations[self.base.rank :]

    @property
    def at_joints(self) -> str:
        """What is to be said of rotors behind gears; nothing where there are none."""
        geared = any(unit != plain_unit(unit) for unit in self.base.regressor.units)
        return "rotor inertias are at the joint: gear^2 is in them" if geared else ""

    @checked(level=number(above=0, most=1 - 1e-9))
    def intervals(self, level: float = 0.95) -> np.ndarray:
        """Confidence intervals (rank, 2) of the base parameters; level: of 0 … 1."""
        width = self.estimate.half_width(level)[: self.base.rank]
        return np.stack([self.base_values - width, self.base_values + width], axis=1)

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """{name: number} of the robot (SI)."""
        return FrozenDict(zip(self.base.regressor.names, map(float, self.standard.values), strict=True))

    @cached_property
    def deviations(self) -> Mapping[str, float]:
        """{name: standard deviation}; of what the data do not tell, that of the description (see `prior`)."""
        return FrozenDict(zip(self.base.regressor.names, map(float, self.standard.deviations), strict=True))

    @property
    def undetermined_base(self) -> tuple[str, ...]:
        """Base parameters that motions tell, but these data do not."""
        rows = zip(self.base.names, self.base_deviations, self.base_sizes, strict=True)
        return tuple(name for name, s, size in rows if not s < TOLD * size)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of parameters of which the data say less than the description: they rest on it, and move with others only."""
        return tuple(n for n, told in zip(self.base.regressor.names, self.standard.told, strict=True) if not told)

    @property
    def distance(self) -> float:
        """How far the robot's numbers are from the estimate, in deviations: √ of the mean square over the base parameters; 0
        where consistency took nothing."""
        off = self.base.matrix @ self.standard.values - self.base_values
        told = blur(
            self.estimate.information_of(self.base.rank), self.base_sizes, DUST
        )  # rounding, of data without noise
        return float(np.linalg.norm(told @ off) / np.sqrt(max(1, len(told))))

    @property
    def consistency_words(self) -> str:
        """Whether a robot of matter can have the numbers, and what it took."""
        if not self.consistent:
            return "not made consistent"
        if self.distance < NOTHING:
            return "consistent as they were estimated"
        return f"consistent ({self.consistent}), {self.distance:.3g} deviations from the estimate"

    @property
    def inconsistent(self) -> tuple[str, ...]:
        """Bodies and numbers that no robot of matter can have."""
        return tuple(inconsistent_names(self.base.regressor.names, self.standard.values))

    @cached_property
    def design(self) -> np.ndarray:
        """Parameters (n,) of the model with the new numbers; those that are offsets are not among them."""
        out = np.array(self.model.parameters)
        for unknown, value in zip(self.base.regressor.unknowns, self.standard.values, strict=True):
            out[list(unknown.places)] = value
        return out

    @cached_property
    def robot(self) -> "Robot":
        """The description with the new numbers, each with its deviation as `source`."""
        return identified_robot(self)

    def predict(self, samples: Samples) -> np.ndarray:
        """Forces (n, rows) of the identified robot at samples, as they are measured: of drives, under the samples' wrench, over
        the gains; along v, drives and wrench together, where `rows.at_drives` is False."""
        self._demand_own(samples)
        phi, parts = self.estimate.phi, []
        for piece in self.rows.pieces(samples, Thinning()):
            missing = piece.target - piece.Y @ phi
            parts.append(piece.force - (missing / self.gains if len(self.gains) else missing))
        return np.concatenate(parts)

    @checked(run=whole(0))
    def playback(self, run: int = 0) -> "tuple[Run, Run]":
        """(measured, predicted): a run of the data twice, with the forces that were measured and with those of the identified
        robot along the same motion; `gough.view(*found.playback())` shows them one beside the other."""
        from gough.simulation.results.run import Run

        if run >= len(self.samples.runs):
            raise UsageError(f"playback: run {run}; there are {len(self.samples.runs)}: {', '.join(self.samples.runs)}")
        if not self.rows.at_drives:
            raise UsageError(
                "playback: drives are redundant, or freedoms idle or elastic: there are no forces of its own"
            )
        part = self.samples.rows(self.samples.run == run)
        states = (part.time - part.time[0], part.q, part.v)
        load: dict[str, Any] = {} if part.wrench is None else {"wrench": part.wrench}
        forces = part.force, self.predict(part)
        measured, predicted = (
            Run.from_states(self.model, *states, tau, acceleration=part.acceleration, **load) for tau in forces
        )
        return measured, predicted

    def fit(self, samples: Samples, name: str) -> Fit:
        """How well it predicts the forces of samples, by equations as far apart in time as those of the training."""
        self._demand_own(samples)
        thinner = self.thinning.at_spacing(self.samples.spacing, samples.spacing)
        return fit_of(ForceEquations(self.rows, samples, thinner), self.estimate.phi, name)

    def _demand_own(self, samples: Samples) -> None:
        """UsageError for what are no samples of this robot."""
        if not isinstance(samples, Samples):
            raise UsageError(f"samples={samples!r:.60}; give gough.Samples: gough.condition(model, record) makes them")
        if samples.model.layout != self.model.layout:
            raise UsageError(f"samples of {samples.model.robot.name}, whose layout of q and v is another one")

    def __repr__(self) -> str:
        return (
            f"<gough.Identification {self.model.robot.name}: {self.base.rank} base parameters by {self.method}, "
            f"error {self.fits[0].error:.2%}>"
        )

    def __str__(self) -> str:
        return self.report()

    @checked(path=path)
    def save(self, path: Any) -> "Path":
        """Keep the robot's numbers and their covariance in a file (.npz), for `gough.load_identification` and for `tolerances:`
        of studies; samples and equations are not in it."""
        return save_identification(saved_numbers(self), path)

    @checked(path=path)
    def report(self, path: Any = None) -> str:
        """What was found, as text; with a path (report.html) also as a page with figures, written there."""
        if path is not None:
            from gough.identification.report.page import write_report

            write_report(self, path)
        e, base = self.estimate, self.base
        fits = [f"  {f.name}: {f.error:.3%} of the force over {f.count} equations a row" for f in self.fits]
        runs = len(self.samples.runs)
        told = f"{e.residuals.count} equations a row of {runs} run{'s' * (runs > 1)}"
        lines = [
            f"{self.model.robot.name}: {base.rank} base parameters by {self.method_words} from {told}",
            f"condition of the data {e.condition:.3g}; noise "
            + ", ".join(f"{n} {s:.3g}" for n, s in zip(self.noise_names, e.sigma, strict=True)),
            "what is not predicted:",
            *fits,
            "     identified          ±       described  unit    base parameter",
        ]
        rows = zip(self.base_values, self.base_deviations, base.values, base.units, base.names, strict=True)
        for k, (x, s, was, unit, name) in enumerate(rows):
            if k == MANY:
                lines.append(
                    f"  … and {base.rank - MANY} more, in the page of report() and in .base_values, .base_deviations, .base.names"
                )
                break
            now, then = (write_number(number, self.base_sizes[k]) for number in (x, was))
            lines.append(f"  {now:>13s} {s:10.2g} {then:>13s}  {plain_unit(unit):7s} {_cut(name)}")
        if len(self.gains):
            own = zip(self.rows.names, self.gains, self.gain_deviations, strict=True)
            lines.append("gains: " + ", ".join(f"{n} {g:.5g} ± {s:.2g}" for n, g, s in own))
        if self.at_joints:
            lines.append(self.at_joints)
        if self.consistent:
            lines.append(f"the robot's numbers are {self.consistency_words}")
        elif self.inconsistent:
            lines.append(
                f"no robot of matter can have: {_shortened(self.inconsistent)}; consistent=True finds the nearest"
            )
        if self.undetermined:
            lines.append(
                f"hardly told by the data, so that they rest on the description: {_shortened(self.undetermined)}"
            )
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)


def write_number(x: float, size: float) -> str:
    """A number as text; rounding, beside what is usual there, as 0."""
    return "0" if abs(x) < DUST * size else f"{x:.6g}"


def plain_unit(unit: str) -> str:
    """A unit without what is said of it: of rotors, that it is at the joint."""
    return unit.partition(" at the joint")[0]


def _cut(name: str) -> str:
    return name if len(name) <= LONG else name[: LONG - 2].rstrip() + " …"


def _shortened(names: Sequence[str]) -> str:
    """Names of one body together: left_rod.{XX,XY}."""
    groups: dict[str, list[str]] = {}
    for name in names:
        body, _, last = name.rpartition(".")
        groups.setdefault(body, []).append(last)
    return ", ".join(f"{b}.{v[0]}" if len(v) == 1 else f"{b}.{{{','.join(v)}}}" for b, v in groups.items())


METHODS = {"ls": "least squares", "iv": "instrumental variables", "didim": "output error"}


def missing_squares(part: EquationPart, phi: np.ndarray) -> np.ndarray:
    """Σ of squares (rows,) of what φ does not predict in a part of the equations."""
    return np.sum([((piece.target - piece.Y @ phi) ** 2).sum(axis=0) for (piece,) in part], axis=0)


def fit_of(
    equations: ForceEquations, phi: np.ndarray, name: str, squares: np.ndarray | None = None, hands: Hands = HERE
) -> Fit:
    """How well φ predicts forces; squares (rows,): of what it does not predict, where they are known."""
    count, thinning, missing = equations.count, equations.thinning, squares
    if missing is None:
        nothing = np.zeros(len(equations.rows.names))
        missing = sum(hands.over(missing_squares, equations.parts(), phi), nothing)
    force = equations.force_squares()
    if not count:
        longest = max(end - begin for _, begin, end in stretches(equations.samples))
        raise UsageError(
            f"{name}: nothing is left of runs of up to {longest} samples, of which an equation takes {2 * thinning.reach + 1}; "
            "record for longer, give a log of its own where a part of one was held out, or thin out less (thin=)"
        )
    rms = np.sqrt(missing / count)
    return Fit(name, count, rms, rms / np.where(force > 0, np.sqrt(force / count), 1.0), equations.samples.spacing)


def identified_robot(found: Identification) -> "Robot":
    """The description with identified numbers: those that the data tell say so with their deviation."""
    names, values, sources = found.base.regressor.unknowns, {}, {}
    standard = found.standard
    rows = zip(
        names,
        standard.values,
        standard.deviations,
        standard.told,
        found.sizes,
        found.base.regressor.values,
        strict=True,
    )
    begun: set[str] = set()
    for unknown, value, deviation, told, size, was in rows:
        now, then = write_number(value, size), write_number(was, size)
        if told:
            how = f"± {deviation:.2g} {unknown.unit}"
        else:
            how = f"{unknown.unit} as described" if now == then else f"{unknown.unit}, moved with others from {then}"
        for name in _own_names(found.model, unknown):
            place, _, last = name.rpartition(".")
            lead = "" if place in begun else f"identified by {found.method_words}: "
            begun.add(place)
            values[name] = float(value)
            sources[name] = f"{lead}{last} = {now} {how}"
    return found.model.robot.with_parameters(values, sources)


def _own_names(model: "Model", unknown: Unknown) -> list[str]:
    """Names of the parameters and offsets that an unknown stands for."""
    offsets = [model.layout.u_names[e] + OFFSET for e in unknown.entries]
    return [model.parameter_names[i] for i in unknown.places] + offsets
