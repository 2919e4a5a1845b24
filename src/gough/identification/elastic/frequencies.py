"""Elastic numbers from measured natural frequencies.

Weighted nonlinear least squares (trust region, Gauss and Newton's model) of f(p) - f_measured over sigma, at one or several
poses, with exact derivatives: f = √λ / 2π, f' = λ' / (8 π² f). λ' holds all of it: masses, stiffness, and the equilibrium that
moves with the unknowns (see `_rest`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, demand_one_of, floats, numbers, word, words
from gough.errors import IdentificationWarning, UsageError, warn
from gough.identification.elastic._ambiguity import note_ambiguous
from gough.identification.elastic._channels import MotionChannel, channel_rows, read_channels
from gough.identification.elastic._doubts import nearer_modes, note_freedom, note_frequencies, note_lowest, note_unit
from gough.identification.elastic._eigen import Vibration, vibration
from gough.identification.elastic._pairing import Pairing
from gough.identification.elastic._problem import MOST, SHARED, FitProblem, read_deviations
from gough.identification.elastic._rest import RestingRobot, RestMatrices
from gough.identification.elastic.fit import ElasticFit

if TYPE_CHECKING:
    from gough.model import Model

AGREES = 0.5
"""MAC below which a pair is told."""


@dataclass(frozen=True)
class _Pose:
    """Frequencies measured at one pose; seen (k,): where they stand among all that were given."""

    robot: RestingRobot
    pairing: Pairing
    seen: np.ndarray
    sensors: tuple[MotionChannel, ...] | None

    def vibration(self, x: np.ndarray, slopes: bool) -> tuple[RestMatrices, Vibration]:
        at = self.robot.matrices(x, slopes)
        return at, vibration(at)

    def rows(self, at: RestMatrices) -> np.ndarray | None:
        """What the reference shapes are compared with: sensors, or all of v weighed by its typical size."""
        if self.pairing.shapes is None:
            return None
        return _in_sizes(at) if self.sensors is None else channel_rows(self.robot, at, self.sensors)[0]


def _in_sizes(at: RestMatrices) -> np.ndarray:
    """Rows whose product is the mass: MAC of shapes along y, orthogonal for different modes."""
    root = np.linalg.cholesky(at.M + 1e-14 * np.trace(at.M) * np.eye(len(at.M))).T
    return root @ np.linalg.pinv(at.N) @ at.N


@checked(**SHARED, measured_hz=numbers, sigma_hz=numbers, pairing=word | numbers, shapes=numbers, sensors=words)
def fit_frequencies(
    model: "Model",
    measured_hz: Any,
    unknowns: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    *,
    q: Any = None,
    drives: Any = "locked",
    sigma_hz: Any = None,
    pairing: str | Sequence[int] = "order",
    shapes: Any = None,
    sensors: Sequence[str] | None = None,
    prior: Mapping[str, Any] | None = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Any] | None = None,
    about: str = "equilibrium",
) -> ElasticFit:
    """Numbers of the robot with which its natural frequencies are the measured ones.

    measured_hz (k,), or (poses, k) with q (poses, nq) (default: home); NaN where a mode was not seen. unknowns: names or patterns
    with stars, or {name: names and patterns that are one number}: parameters, variables, "BODY.E", "BODY.density",
    "BODY.stiffness_factor" of flexible bodies, "FRAME.added_mass", "DRIVE.servo.stiffness" where drives={"stiffness": …}.
    drives, about: as for `natural_frequencies`. sigma_hz: deviations of the measurements, one or as measured_hz; without it the
    residuals say it. pairing: "order"; "shape" (shapes (k, sensors) as `sensors` see them, "FRAME.x" … "FRAME.rz" and drives;
    without shapes those of the model at the start); or the model's modes by number, from 0. prior: {name: deviation, or (value,
    deviation)}. start, bounds: {name: value}, {name: (lowest, highest)}.
    """
    measured, sigma, states = _read_measured(model, measured_hz, sigma_hz, q)
    problem = FitProblem.of("fit_frequencies", model, unknowns, drives, prior, start, bounds, about)
    begin, poses = problem.begin, []
    for k, state in enumerate(states):
        reference = None if shapes is None else floats("shapes", shapes)
        if reference is not None and reference.ndim == 3:
            reference = reference[k]
        poses.append(_pose(problem.robot_at(state), begin, measured[k], sigma[k], pairing, reference, sensors))

    def at(x: np.ndarray, slopes: bool) -> list[tuple[RestMatrices, Vibration]]:
        return [pose.vibration(x, slopes) for pose in poses]

    def residual(x: np.ndarray) -> np.ndarray:
        out = []
        for pose, (M, found) in zip(poses, at(x, False), strict=True):
            modes, _, _ = pose.pairing.pair(found, pose.rows(M))
            with np.errstate(invalid="ignore"):
                squares = found.squares[modes]
                if not np.array_equal(x, begin):  # NaN where it does not swing: such a step is not taken
                    squares = np.where(squares > 0, squares, np.nan)
                hz = np.sqrt(squares) / (2 * np.pi)
            out.append((hz - pose.pairing.measured) / pose.pairing.sigma)
        return np.concatenate(out)

    def jacobian(x: np.ndarray) -> np.ndarray:
        out = []
        for pose, (M, found) in zip(poses, at(x, True), strict=True):
            modes, bases, _ = pose.pairing.pair(found, pose.rows(M))
            hz = np.sqrt(found.squares[modes]) / (2 * np.pi)
            r = (hz - pose.pairing.measured) / pose.pairing.sigma
            slopes = pose.pairing.slopes(M, found, modes, bases, r)
            out.append(slopes / (8 * np.pi**2 * hz * pose.pairing.sigma)[:, None])
        return np.concatenate(out)

    if not np.isfinite(residual(begin)).all():
        raise UsageError(
            "fit_frequencies: at the start a measured mode of the model does not swing (it is free or unstable); see "
            "natural_frequencies(model).verdict, and start elsewhere or lock the drives"
        )
    known = sigma_hz is not None
    found = problem.search(residual, jacobian, known)
    left_open, notes = problem.left_open(found)
    fitted, modes = np.full(measured.shape, np.nan), np.full(measured.shape, -1)
    repeated, more = [], []
    for k, (pose, (M, vibrating)) in enumerate(zip(poses, at(found.values, False), strict=True)):
        chosen, _, mac = pose.pairing.pair(vibrating, pose.rows(M))
        fitted[k, pose.seen] = np.sqrt(vibrating.squares[chosen]) / (2 * np.pi)
        modes[k, pose.seen] = chosen
        repeated.append(vibrating.repeated)
        more += _doubts(k, len(poses), pose, chosen, mac, vibrating)
    seen = np.isfinite(measured)
    lowest = isinstance(pairing, str) and pairing == "order"
    told = _doubts_of_all(poses, at(begin, False), found.excess, fitted[seen], measured[seen], known, lowest)
    more += [*note_freedom("fit_frequencies", found, known, "frequencies", "sigma_hz"), *told]
    more += note_ambiguous(problem, found, residual, jacobian, known, measured[seen] / sigma[seen])
    return problem.result(found, measured, fitted, sigma, modes, tuple(repeated), left_open, (*notes, *more))


def _doubts_of_all(
    poses: Sequence[_Pose],
    start: Sequence[tuple[RestMatrices, Vibration]],
    times: float,
    fitted: np.ndarray,
    measured: np.ndarray,
    known: bool,
    lowest: bool,
) -> tuple[str, ...]:
    """Notes (IdentificationWarning) on all frequencies together: another unit, modes that were missed, residuals too large."""
    first = poses[0]
    hz = [np.sqrt(np.maximum(found.squares, 0.0)) / (2 * np.pi) for _, found in start]
    used = [p.pairing.pair(v, p.rows(M))[0] for p, (M, v) in zip(poses, start, strict=True)]
    unit = note_unit("fit_frequencies", np.concatenate([f[modes] for f, modes in zip(hz, used, strict=True)]), measured)
    if unit:
        return unit
    nearer = nearer_modes(hz[0], first.pairing.measured, used[0]) if first.pairing.shapes is None else None
    told = note_frequencies("fit_frequencies", times, fitted, measured, known, nearer)
    return told or (note_lowest("fit_frequencies", nearer, hz[0][used[0]], first.pairing.measured) if lowest else ())


def _doubts(k: int, count: int, pose: _Pose, modes: np.ndarray, mac: np.ndarray, found: Vibration) -> list[str]:
    """Notes on pairs at a pose: shapes that do not agree (IdentificationWarning), equal frequencies."""
    where = f" at pose {k}" if count > 1 else ""
    out = []
    poor = np.flatnonzero(mac < AGREES)
    if len(poor):
        some = ", ".join(f"{pose.pairing.measured[i]:g} Hz (MAC {mac[i]:.2f})" for i in poor[:4])
        out.append(f"shapes{where} do not agree with any mode for {some}: doubt these pairs")
        warn(f"fit_frequencies: {out[-1]}", IdentificationWarning)
    for group in found.repeated:
        if set(group) & set(modes.tolist()):
            names = ", ".join(str(mode + 1) for mode in group)
            out.append(
                f"modes {names}{where} have equal frequencies: their slopes are those of the basis that all unknowns share"
            )
    return out


def _pose(
    robot: RestingRobot,
    begin: np.ndarray,
    measured: np.ndarray,
    sigma: np.ndarray,
    pairing: str | Sequence[int],
    shapes: np.ndarray | None,
    sensors: Sequence[str] | None,
) -> _Pose:
    at = robot.matrices(begin, False)
    seen = np.flatnonzero(np.isfinite(measured))
    count = len(at.M)
    numbers = _numbered(pairing, len(measured), count)
    if numbers is None:
        demand_one_of("pairing", pairing, ("order", "shape"))
        numbers = np.arange(len(measured))
    if len(seen) and numbers[seen].max() >= count:
        raise UsageError(
            f"fit_frequencies: {len(measured)} frequencies, and the robot has {count} modes with its drives as they are; give "
            "fewer, or describe its bodies with more modes"
        )
    if not isinstance(pairing, str) or pairing == "order":
        if shapes is not None:
            raise UsageError("fit_frequencies: shapes are given; say pairing='shape' to use them")
        rising = measured[seen][np.argsort(numbers[seen])]
        if (np.diff(rising) < 0).any():
            raise UsageError(
                "fit_frequencies: measured frequencies are not in increasing order of their modes, which pairing by order means. "
                "Where noise swapped near ones, sort each row: np.sort(measured_hz, axis=-1); where the modes are known, say it: "
                "pairing='shape', or their numbers"
            )
        return _Pose(robot, Pairing(measured[seen], sigma[seen], numbers[seen]), seen, None)
    channels = None if sensors is None else read_channels(robot.model, "sensors", sensors)
    plain = _Pose(robot, Pairing(measured[seen], sigma[seen], numbers[seen], np.zeros((0, 0))), seen, channels)
    rows = plain.rows(at)
    assert rows is not None
    if shapes is None:
        reference = (rows @ vibration(at).shapes)[:, numbers[seen]].T
    else:
        if channels is None or shapes.shape != (len(measured), len(channels)):
            raise UsageError(
                f"shapes has shape {shapes.shape}; give ({len(measured)}, sensors), one row a frequency, and name the sensors: "
                "sensors=['tool.x', …]"
            )
        reference = shapes[seen]
    if reference.size == 0 or not np.isfinite(reference).all():
        raise UsageError("shapes: a row of a measured frequency has no numbers")
    return replace(plain, pairing=replace(plain.pairing, shapes=reference))


def _numbered(pairing: str | Sequence[int], count: int, modes: int) -> np.ndarray | None:
    if isinstance(pairing, str):
        return None
    given = np.asarray(pairing, dtype=float)
    if given.shape != (count,) or (given != np.round(given)).any() or (given < 0).any() or len(set(given)) < count:
        raise UsageError(
            f"pairing={pairing!r}: give 'order', 'shape', or {count} different numbers of modes, counted from 0 (there are "
            f"{modes})"
        )
    return given.astype(int)


def _read_measured(
    model: "Model", measured_hz: Any, sigma_hz: Any, q: Any
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray | None]]:
    """(frequencies (poses, k), deviations (poses, k), configurations)."""
    measured = np.atleast_1d(np.asarray(measured_hz, dtype=float))
    states: list[np.ndarray | None] = [None] if q is None else list(np.atleast_2d(floats("q", q)))
    if measured.ndim == 1:
        measured = measured[None]
    if measured.ndim != 2 or len(measured) != len(states):
        raise UsageError(
            f"measured_hz has shape {np.shape(measured_hz)} for {len(states)} poses; give (k,), or (poses, k) with q (poses, nq)"
        )
    if any(state is not None and state.shape != (model.layout.nq,) for state in states):
        raise UsageError(f"q: give configurations ({model.layout.nq},) or (poses, {model.layout.nq})")
    seen = measured[np.isfinite(measured)]
    if not len(seen) or not ((seen > 0) & (seen < MOST)).all() or np.isinf(measured).any():
        raise UsageError("measured_hz: give positive frequencies in Hz, NaN where a mode was not seen")
    if sigma_hz is None:
        return measured, np.ones(measured.shape), states
    sigma = read_deviations("sigma_hz", sigma_hz, measured.shape, np.isfinite(measured))
    return measured, sigma, states
