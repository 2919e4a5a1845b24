"""`gough.identify`: from measurements to an `Identification`, in five steps: samples, equations, estimate, numbers, words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_law,
    a_model,
    a_motion,
    checked,
    demand_one_of,
    flag,
    mapping,
    nothing,
    number,
    numbers,
    several,
    whole,
    word,
    words,
)
from gough.distribution import a_cluster
from gough.errors import IdentificationWarning, UsageError, warn
from gough.identification._doubts import Told, doubts_of, doubts_of_loop, named_contents
from gough.identification._standard import Prior, Standard, lift
from gough.identification._unknowns import DEFAULT
from gough.identification.base_parameters import BaseParameters, base_parameters
from gough.identification.data.conditioning import condition
from gough.identification.data.record import Record
from gough.identification.data.samples import Samples
from gough.identification.estimation.closed_loop import ClosedLoop
from gough.identification.estimation.consistent import WAYS, consistent_values, inconsistent_names
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.freed import FreedModel
from gough.identification.estimation.gains import REMEDY
from gough.identification.estimation.hands import Hands, open_hands
from gough.identification.estimation.instruments import estimate_by_instruments
from gough.identification.estimation.least_squares import estimate_linear
from gough.identification.estimation.output_error import estimate_by_output
from gough.identification.estimation.rows import ForceEquations, Rows, Thinning, deflections_are_still, drop_short_runs
from gough.identification.estimation.simulating import SimulatedRobot
from gough.identification.identification import METHODS, Identification, fit_of
from gough.simulation.control.law import Law
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.spline import spline

if TYPE_CHECKING:
    from gough.model import Model

GAINS = "gains"
KNOWN = 1e-9
"""Part of the measured forces, at least, that is known where gains are not."""
AS_TOLD = 1e-7
"""Error of a reference between its knots, over how far a drive was told to move."""


@checked(
    model=a_model,
    method=word,
    parameters=word | words,
    tied=word | several(words),
    controller=a_law,
    motion=a_motion | several(a_motion),
    begin=numbers,
    prior=number(above=0) | mapping(number(above=0)),
    consistent=word | flag,
    thin=whole(1),
    cluster=a_cluster | nothing,
    mixed=flag,
)
def identify(
    model: "Model",
    data: Any,
    *,
    method: str = "ls",
    parameters: str | Sequence[str] = DEFAULT,
    tied: str | Sequence[Sequence[str]] = "apart",
    controller: Law | None = None,
    motion: Motion | Sequence[Motion] | None = None,
    begin: float | Sequence[float] = 0.0,
    validation: Any = None,
    prior: float | Mapping[str, float] | None = None,
    consistent: str | bool = True,
    thin: int | None = None,
    cluster: Any = None,
    mixed: bool = False,
) -> Identification:
    """Masses, inertias, friction, … of a robot from measured motions and forces.

    data, validation: `Samples` (from `gough.condition`), `Record`s or one. parameters, tied: as for `gough.regressor`; "gains"
    among them adds a gain of every drive's measured force, which something known must fix (a wrench, a body that is left out).
    method: "ls" (weighted least squares: quick, leans where positions are noisy), "iv" (instrumental variables: no such bias) or
    "didim" (output error: forces alone); the last two simulate the robot under controller= along motion= (one or one a run;
    default: the references in the records), which began at begin= (s, by the data's clock). prior: relative spread of the
    description's numbers, or {name: spread}; None: the description decides only what the data leave open. consistent: True,
    "log-cholesky" or "lmi": numbers that a robot of matter can have. thin: keep one of so many samples, filtered; None: as the
    data were conditioned. cluster, mixed: as for `gough.simulate_many`; equations and runs are gone through there.
    """
    demand_one_of("method", method, tuple(METHODS))
    way = "log-cholesky" if consistent is True else consistent or ""
    if way:
        demand_one_of("consistent", way, WAYS)
    data = with_own_names(data)
    samples = samples_of(model, data, "data")
    demand_different(samples)
    told: tuple[Told, ...] = ()
    if method == "ls":
        _demand_nothing_simulated(controller, motion, begin)
    else:
        if motion is None and np.any(begin):
            raise UsageError(
                "begin= says when motion= began, and there is none: references in records have the times of their rows; leave it "
                "out, or give motion="
            )
        motion, begin = followed_references(data, samples) if motion is None else (motion, begin)
        told = _told(motion, begin, samples.runs)
    checked_against = None if validation is None else samples_of(model, validation, "validation")
    named = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    base = base_parameters(model, tuple(n for n in named if n != GAINS), tied)
    thinning = Thinning(samples.block if thin is None else thin)
    samples, left, short = drop_short_runs(samples, thinning)
    still = any(deflections_are_still(s) for s in (samples, checked_against) if s is not None)
    rows = Rows.of(model, base, GAINS in named, still)
    _demand_known(rows, samples, method)
    known, equations = Prior.of(model, base, prior), ForceEquations(rows, samples, thinning)
    simulated, followed = None, tuple(told[run] for run in left if told)
    said = [f"data: {short}"] if short else []
    with open_hands(cluster, mixed) as hands:
        if method == "ls":
            estimate, _ = estimate_linear(equations, rows.first, hands)
        else:
            estimate, simulated = _in_closed_loop(equations, known, method, controller, followed, hands)
        squares = None if method == "didim" else estimate.residuals.squares  # of the simulated robot's forces
        fits = [fit_of(equations, estimate.phi, "training", squares, hands)]
        if checked_against is not None:
            thinner = thinning.at_spacing(samples.spacing, checked_against.spacing)
            checked_against, _, short = drop_short_runs(checked_against, thinner)
            said += [f"validation: {short}"] if short else []
            others = ForceEquations(rows, checked_against, thinner)
            fits.append(fit_of(others, estimate.phi, "validation", None, hands))
    standard = _numbers(base, estimate, known, way)
    found = Identification(
        model, base, estimate, known, standard, way, rows, samples, checked_against, thinning, tuple(fits)
    )
    said += [*doubts_of(found), *([] if simulated is None else doubts_of_loop(found, simulated, followed))]
    for text in said:
        warn(f"identify: {text}", IdentificationWarning)
    return replace(found, warnings=tuple(said))


def with_own_names(data: Any) -> Any:
    """Records of one name get names of their own: what they followed is found by their names."""
    if not isinstance(data, Sequence) or not all(isinstance(r, Record) for r in data):
        return data
    seen: dict[str, int] = {}
    out = []
    for record in data:
        seen[record.name] = seen.get(record.name, 0) + 1
        again = seen[record.name] > 1
        out.append(replace(record, name=f"{record.name or 'run'} #{seen[record.name]}") if again else record)
    return out


def demand_different(samples: Samples) -> None:
    """UsageError for a run that is there twice: deviations would be too small."""
    seen: dict[bytes, str] = {}
    for key, name in named_contents(samples):
        if key in seen:
            raise UsageError(
                f"data: run {name!r} is run {seen[key]!r} once more, number by number; give every record once, since the same "
                "noise twice tells nothing new and would make deviations too small"
            )
        seen[key] = name


def samples_of(model: "Model", data: Any, name: str) -> Samples:
    """Samples of what was given: as they are, or of records."""
    if isinstance(data, Samples):
        if data.model is not model and data.model.layout != model.layout:
            raise UsageError(f"{name}: samples of {data.model.robot.name}, whose layout of q and v is another one")
        if not len(data):
            raise UsageError(f"{name}: no samples")
        return data.runs_of_equal_steps()
    records = [data] if isinstance(data, Record) else list(data) if isinstance(data, Sequence) else []
    if not records or not all(isinstance(r, Record) for r in records):
        several = any(isinstance(r, Samples) for r in records)
        remedy = (
            "Samples hold several runs: gough.condition(model, [record, record])" if several else f"not {data!r:.60}"
        )
        raise UsageError(f"{name}: give Samples (gough.condition makes them) or Records (gough.read_record); {remedy}")
    return condition(model, records).runs_of_equal_steps()


def followed_references(data: Any, samples: Samples) -> "tuple[tuple[Motion, ...] | None, tuple[float, ...]]":
    """(a motion a run, when they began) of the references that records hold; (None, ()) where not all do."""
    records = [data] if isinstance(data, Record) else list(data) if isinstance(data, Sequence) else []
    drives, found = samples.model.layout.drive_names, {}
    for record in records:
        if not isinstance(record, Record) or any(d not in record.reference for d in drives):
            return None, ()
        told = np.stack([record.reference[d] for d in drives], axis=1)
        start = float(record.time[0])
        found[record.name] = reference_motion(record.time - start, told, drives), start
    of = [found.get(name) or found.get(whole_run(name)) for name in samples.runs]
    if not records or any(x is None for x in of):
        return None, ()
    return tuple(x[0] for x in of if x), tuple(x[1] for x in of if x)


def reference_motion(time: np.ndarray, told: np.ndarray, drives: tuple[str, ...]) -> Motion:
    """What drives were told to follow (n, drives): a spline through every so many samples, as few as tell all of them. A run
    takes its time for every piece of a motion."""
    size = np.maximum(np.ptp(told, axis=0), 1e-12)
    for stride in (64, 32, 16, 8, 4, 2, 1):
        knots = np.unique(np.append(np.arange(0, len(time), stride), len(time) - 1))
        if len(knots) < 12 and stride > 1:
            continue
        made = spline(times=time[knots], drives=told[knots], names=drives, degree=5, ends="free")
        if stride == 1 or np.abs((made.at(time).position - told) / size).max() < AS_TOLD:
            break
    return made


def for_parts(given: tuple[Any, ...], runs: Sequence[str]) -> tuple[Any, ...]:
    """What was given for every run, for every part of them: runs are cut in parts where rows are missing."""
    whole = list(dict.fromkeys(map(whole_run, runs)))
    if len(given) != len(whole):
        return given
    return tuple(given[whole.index(whole_run(name))] for name in runs)


def whole_run(name: str) -> str:
    """The run that a part or piece of a run was cut from."""
    return re.sub(r"( \((part|piece) \d+\))+$", "", name)


def _demand_nothing_simulated(controller: Law | None, motion: Any, begin: Any) -> None:
    """UsageError where least squares are told what only simulations use."""
    given = {"controller": controller is not None, "motion": motion is not None, "begin": bool(np.any(begin))}
    idle = [f"{name}=" for name, there in given.items() if there]
    if idle:
        raise UsageError(
            f"method='ls' simulates nothing, so that {', '.join(idle)} would count nothing; leave it out, or use method='iv' or "
            "'didim'"
        )


def _told(motion: Any, begin: Any, names: Sequence[str]) -> tuple[Told, ...]:
    """What every run followed; nothing where no motion was given."""
    if motion is None:
        return ()
    runs = len(names)
    motions = (motion,) * runs if isinstance(motion, Motion) else for_parts(tuple(motion), names)
    if len(motions) != runs:
        raise UsageError(f"motion: {len(motions)} motions for {runs} runs ({', '.join(names)}); give one, or one a run")
    given = np.asarray(begin, dtype=float)
    begins = np.array(for_parts(tuple(given), names)) if given.ndim else np.full(runs, float(given))
    if begins.shape != (runs,):
        raise UsageError(f"begin: {len(begins)} times for {runs} runs; give one, or one a run")
    unknown = np.flatnonzero(~np.isfinite(begins))
    if len(unknown):
        k = int(unknown[0])
        raise UsageError(
            f"begin: {begins[k]} of run {names[k]!r}; give the time (s) by the data's clock at which its motion began"
        )
    return tuple(Told(m, float(b)) for m, b in zip(motions, begins, strict=True))


def _demand_known(rows: Rows, samples: Samples, method: str) -> None:
    """UsageError where nothing fixes the scale of gains."""
    if not rows.gains:
        return
    if not _has_known_force(rows, samples):
        raise UsageError(
            "parameters='gains': with every mass unknown too, gains and masses may grow together. " + REMEDY
        )
    if method == "didim":
        raise UsageError("parameters='gains': what the controller commands is not what acts then; use method='iv'")


def _has_known_force(rows: Rows, samples: Samples) -> bool:
    """Whether some force does not grow with gains and unknowns."""
    if rows.remainder is None and samples.wrench is None:
        return False
    pieces = rows.pieces(samples, Thinning(1))
    return any(np.abs(p.target).max(initial=0.0) > KNOWN * np.abs(p.force).max(initial=0.0) for p in pieces)


def _in_closed_loop(
    equations: ForceEquations, known: Prior, method: str, controller: Law | None, told: tuple[Told, ...], hands: Hands
) -> tuple[Estimate, Samples]:
    """Instrumental variables or output error; and the simulated robot."""
    rows, samples = equations.rows, equations.samples
    if controller is None or not told:
        raise UsageError(
            f"method={method!r} simulates the robot under its controller: give controller= (gough.laws.JointPD(…), …) and "
            "motion=, what it was told to follow, or records with the reference of every drive; or use method='ls'"
        )
    if samples.wrench is not None and np.any(samples.wrench):
        raise UsageError(
            f"method={method!r}: the simulated robot does not feel the measured wrench; use method='ls', or data without a wrench"
        )
    base = rows.base
    freed = FreedModel.of(rows.model, base.regressor.unknowns)
    loop = ClosedLoop(freed.model, controller, tuple(t.motion for t in told), tuple(t.begin for t in told))
    nearly = np.diag(1.0 / np.sqrt((base.matrix**2) @ (1e-3 * known.spreads) ** 2))
    masses = [k for k, name in enumerate(base.regressor.names) if name.endswith(".M")]

    def design(phi: np.ndarray) -> np.ndarray:
        values = lift(base, phi[: base.rank], 0.0 * nearly, replace(known, stated=False)).values
        if (values[masses] < 0).any():  # no robot can run: the nearest one that can
            values = consistent_values(base, phi[: base.rank], nearly, known)
        return freed.design(values)

    there = SimulatedRobot(loop, samples, rows, freed, hands)
    if method == "iv":
        return estimate_by_instruments(equations, rows.first, lambda phi: there.simulate_filtered(design(phi)), hands)
    return estimate_by_output(equations, rows.first, lambda phi: there.simulate(design(phi)), there.slopes, hands)


def _numbers(base: BaseParameters, estimate: Estimate, known: Prior, way: str) -> Standard:
    """The robot's own numbers."""
    phi, covariance = estimate.phi[: base.rank], estimate.covariance[: base.rank, : base.rank]
    if len(estimate.directions):  # there the description's own spread is left
        blind, _ = np.linalg.qr(estimate.directions[:, : base.rank].T)
        spread = blind.T @ (base.matrix * known.spreads)
        covariance = covariance + blind @ (spread @ spread.T) @ blind.T
    if not np.isfinite(phi).all() or not np.isfinite(covariance).all():
        raise UsageError(
            f"{METHODS[estimate.method]} found no finite numbers: the data hardly move the robot, or do not fit it at all; check "
            "units and columns, controller=, motion= and begin="
        )
    plain = lift(base, phi, covariance, known)
    if not way or not inconsistent_names(base.regressor.names, plain.values):
        return plain
    return replace(plain, values=consistent_values(base, phi, estimate.information_of(base.rank), known, way))
