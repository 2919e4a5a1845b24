"""Stiffness, masses and damping from measured frequency responses.

H(ω) = (iω)ⁿ c Z⁻¹ b with Z = K + iω C - ω² M along the motions y that drives leave; n = 0, 1, 2 for displacement, velocity and
acceleration. With Z x = b and Zᵀ w = c, H' = (iω)ⁿ (c' x + w b' - w Z' x): one solution for each, however many unknowns.
Peaks are narrow, so that a start beside them has no slope towards them: the logarithm of |H| is fitted first, then H itself.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, demand_one_of, number, numbers, word, words
from gough.errors import UsageError
from gough.identification.elastic._channels import MotionChannel, channel_rows, read_channels
from gough.identification.elastic._doubts import note_freedom, note_noise, note_pattern, say
from gough.identification.elastic._least_squares import minimise_squares
from gough.identification.elastic._problem import MOST, SHARED, FitProblem, read_deviations
from gough.identification.elastic._rest import RestingRobot, RestMatrices
from gough.identification.elastic.fit import ElasticFit

if TYPE_CHECKING:
    from gough.model import Model

POWERS = {"displacement": 0, "velocity": 1, "acceleration": 2}
EXPLAINS = 0.9
"""Part of the response's power that a fit explains; below it, it is told."""
MOST_COHERENT = 1.0 - 1e-6
"""Largest coherence that is believed."""
STILL = 1e-12
"""Part of other motions, or of the answer at the force itself, that is none."""
CLEARER = 1.0 / 3.0
"""Part of the misfit at the start (logarithm of |H|, rms) that must be left where frequencies are taken for rad/s."""
NEAR = np.geomspace(0.75, 1 / 0.75, 15)
"""Factors of frequencies by which a described robot may be off: the nearest to what was measured counts in either unit."""


@checked(
    **SHARED,
    frequencies_hz=numbers,
    force=word,
    motion=word | words,
    quantity=word,
    sigma=numbers,
    coherence=numbers,
    averages=number(above=0),
)
def fit_response(
    model: "Model",
    frequencies_hz: Any,
    response: Any,
    unknowns: str | Sequence[str] | Mapping[str, str | Sequence[str]],
    *,
    force: str,
    motion: str | Sequence[str],
    quantity: str = "acceleration",
    q: Any = None,
    drives: Any = "locked",
    sigma: Any = None,
    coherence: Any = None,
    averages: float = 1.0,
    prior: Mapping[str, Any] | None = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Any] | None = None,
    about: str = "equilibrium",
) -> ElasticFit:
    """Numbers of the robot with which it answers a force as was measured.

    frequencies_hz (n,); response (n,) or (n, outputs), complex: motion per force, SI. force: "FRAME.x" … "FRAME.rz" (world axes)
    or a drive; motion: the same, one or one for each output; quantity: displacement, velocity or acceleration. unknowns, q,
    drives, prior, start, bounds, about: as for `fit_frequencies`, damping among them. sigma: deviation of real and imaginary
    part, one or as response; or coherence γ² (one or as response, as `scipy.signal.coherence` gives it) and the number of
    averages it is from: σ = |H| √((1 - γ²) / (2 γ² averages)). Without both, all count alike and the residuals say how large they
    are.
    """
    demand_one_of("quantity", quantity, tuple(POWERS))
    outputs = read_channels(model, "motion", motion)
    (source,) = read_channels(model, "force", force)
    omega, measured = _read_response(frequencies_hz, response, [channel.name for channel in outputs])
    spread, known = _read_spread(measured, sigma, coherence, averages)
    problem = FitProblem.of("fit_response", model, unknowns, drives, prior, start, bounds, about)
    if problem.kind == "locked" and (source.drive >= 0 or any(channel.drive >= 0 for channel in outputs)):
        raise UsageError("fit_response: a drive excites or is measured while drives='locked'; use 'free' or servos")
    robot, begin = problem.robot_at(q), problem.begin
    _demand_answer(robot, robot.matrices(begin, False), omega, source, outputs)
    factor = (1j * omega) ** POWERS[quantity]

    def model_response(x: np.ndarray, slopes: bool) -> tuple[np.ndarray, np.ndarray]:
        H, dH = linear_response(robot, robot.matrices(x, slopes), omega, source, outputs)
        return H * factor[:, None], dH * factor[:, None]

    level = np.maximum(np.abs(measured), 1e-12 * np.abs(measured).max())

    def log_misfit(w: np.ndarray) -> float:
        H = linear_response(robot, robot.matrices(begin, False), w, source, outputs)[0]
        return float(np.sqrt(np.mean(np.log(np.abs(H * ((1j * w) ** POWERS[quantity])[:, None]) / level) ** 2)))

    def log_residual(x: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(np.abs(model_response(x, False)[0]), 1e-300) / level).ravel()

    def log_jacobian(x: np.ndarray) -> np.ndarray:
        H, dH = model_response(x, True)
        return np.real(dH / H).reshape(len(begin), -1).T

    def residual(x: np.ndarray) -> np.ndarray:
        return _parts((model_response(x, False)[0] - measured) / spread)

    def jacobian(x: np.ndarray) -> np.ndarray:
        return np.stack([_parts(part) for part in model_response(x, True)[1] / spread], axis=1)

    rough = minimise_squares(problem.unknowns, log_residual, log_jacobian, {}, False)
    found = problem.search(residual, jacobian, known, rough.values)
    left_open, notes = problem.left_open(found)
    at = robot.matrices(found.values)
    fitted = linear_response(robot, at, omega, source, outputs)[0] * factor[:, None]
    missed = float(np.sum(np.abs((fitted - measured) / spread) ** 2) / np.sum(np.abs(measured / spread) ** 2))
    told = _doubt_unit(*(min(log_misfit(near * w) for near in NEAR) for w in (omega, omega / (2 * np.pi))))
    if missed > 1 - EXPLAINS:
        told += say(
            "fit_response", f"the model explains {100 * (1 - missed):.0f} % of the response's power: doubt the numbers"
        )
    told = told or note_noise("fit_response", found.excess, "sigma" if coherence is None else "coherence")
    rising = np.argsort(omega)
    told = told or note_pattern("fit_response", (fitted - measured)[rising], measured[rising])
    told += note_freedom("fit_response", found, known, "real and imaginary parts", "sigma")
    return problem.result(found, measured, fitted, spread, np.zeros(0, dtype=int), (), left_open, (*notes, *told))


def linear_response(
    robot: RestingRobot, at: RestMatrices, omega: np.ndarray, source: MotionChannel, outputs: Sequence[MotionChannel]
) -> tuple[np.ndarray, np.ndarray]:
    """(displacement per force (n, outputs), slopes (k, n, outputs)) at angular frequencies (n,)."""
    b, db = source.row(robot, at)
    c, dc = channel_rows(robot, at, outputs)
    s = 1j * omega[:, None, None]
    Z = at.K + s * at.C + s * s * at.M
    x = np.linalg.solve(Z, b[None, :, None])[..., 0]
    H = x @ c.T
    if not len(db):
        return H, np.zeros((0, *H.shape), dtype=complex)
    w = np.swapaxes(np.linalg.solve(np.swapaxes(Z, 1, 2), np.broadcast_to(c.T, (len(omega), *c.T.shape))), 1, 2)
    moved = np.einsum("kij,fj->kfi", at.K_slopes, x)
    moved = moved + 1j * omega[:, None] * np.einsum("kij,fj->kfi", at.C_slopes, x)
    moved -= omega[:, None] ** 2 * np.einsum("kij,fj->kfi", at.M_slopes, x)
    direct = np.einsum("kcj,fj->kfc", dc, x) + np.einsum("fcj,kj->kfc", w, db)
    return H, direct - np.einsum("fci,kfi->kfc", w, moved)


def _demand_answer(
    robot: RestingRobot, at: RestMatrices, omega: np.ndarray, source: MotionChannel, outputs: Sequence[MotionChannel]
) -> None:
    """UsageError where a force, or a direction of motion, does not belong to any motion, or does not reach the sensor."""
    for what, channel in (("force", source), *(("motion", channel) for channel in outputs)):
        row = channel.row(robot, at)[0]
        size = np.abs(robot.frame_rows(at, channel.frame)[0]).max(initial=0.0) if channel.drive < 0 else 1.0
        if not len(row) or np.abs(row).max() <= STILL * max(size, 1e-300):
            raise UsageError(
                f"fit_response: {what}={channel.name!r} is a direction in which nothing moves with the drives as they are: name "
                "one that the robot's vibrations have (FRAME.x … FRAME.rz are along and about world axes), or free the drives"
            )
    H = np.abs(linear_response(robot, at, omega, source, outputs)[0]).max(axis=0)
    back = np.abs(linear_response(robot, at, omega, source, [source])[0]).max()
    for channel, largest in zip(outputs, H, strict=True):
        if not largest > STILL * back:
            raise UsageError(
                f"fit_response: force={source.name!r} does not move motion={channel.name!r} in this model: there is no response "
                "to fit. Look at the directions and at the order of the outputs"
            )


def _doubt_unit(in_hz: float, in_rad: float) -> tuple[str, ...]:
    """Notes (IdentificationWarning) where the robot at the start answers as measured if frequencies are rad/s."""
    if not in_rad < CLEARER * in_hz:
        return ()
    return say(
        "fit_response",
        f"the robot at the start misses |H| by a factor of {np.exp(in_hz):.3g} rms with frequencies off by up to 33 %, and by "
        f"{np.exp(in_rad):.3g} if they are in rad/s: frequencies_hz is in Hz; divide by 2π",
    )


def _parts(x: np.ndarray) -> np.ndarray:
    """Real and imaginary parts as one row."""
    return np.concatenate([np.real(x).ravel(), np.imag(x).ravel()])


def _read_response(frequencies_hz: Any, response: Any, outputs: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(angular frequencies (n,), response (n, outputs))."""
    hz = np.asarray(frequencies_hz, dtype=float)
    measured = np.asarray(response)
    if measured.dtype.kind not in "fiuc":
        raise UsageError("response: give complex numbers, motion per force")
    measured = measured.astype(complex)
    measured = measured[:, None] if measured.ndim == 1 else measured
    if hz.ndim != 1 or not outputs or measured.shape != (len(hz), len(outputs)):
        raise UsageError(
            f"response has shape {np.shape(response)} for {hz.shape} frequencies and {len(outputs)} outputs (motion=); give (n,) "
            "or (n, outputs)"
        )
    if not len(hz) or not np.isfinite(measured).all() or not np.isfinite(hz).all() or not (hz > 0).all():
        raise UsageError("response: give finite numbers at positive frequencies (leave out what was not measured)")
    size = np.abs(measured)
    strange = np.argwhere(~((size > 1 / MOST) & (size < MOST)))
    if len(strange):
        k, j = strange[0]
        raise UsageError(
            f"response: {measured[k, j]:.3g} at {hz[k]:.6g} Hz of {outputs[j]} is no measurement; leave out what was not measured"
        )
    twice = [name for name in outputs if list(outputs).count(name) > 1]
    if twice:
        raise UsageError(f"motion: {twice[0]} stands twice, and would count as two measurements; give each once")
    return 2 * np.pi * hz, measured


def _read_spread(measured: np.ndarray, sigma: Any, coherence: Any, averages: float) -> tuple[np.ndarray, bool]:
    """(deviation of each part (n, outputs), whether the noise is known)."""
    if sigma is not None and coherence is not None:
        raise UsageError("fit_response: give sigma or coherence, not both")
    if sigma is None and coherence is None:
        return np.full(measured.shape, float(np.sqrt(np.mean(np.abs(measured) ** 2)))), False
    name, given = ("sigma", sigma) if coherence is None else ("coherence", coherence)
    x = np.asarray(given, dtype=float)
    x = read_deviations(name, x[:, None] if x.ndim == 1 and measured.shape[1] == 1 else x, measured.shape)
    if coherence is None:
        return x, True
    if (x > 1).any():
        raise UsageError("coherence: give positive numbers, at most 1")
    believed = np.minimum(x, MOST_COHERENT)
    return np.abs(measured) * np.sqrt((1 - believed) / (2 * believed * averages)), True
