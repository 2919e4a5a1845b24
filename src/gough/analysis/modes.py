"""Natural vibrations of the closed robot, linearised about static equilibrium with its prestress.

M δ̈ + C δ̇ + K δ = S δτ along v (linear_forces). Drives locked: δ = N y with Sᵀ N = 0 and δτ whatever holds them; free:
δτ = 0; servoed: δτ = -kp Sᵀδ - kd Sᵀδ̇.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.equilibrium import Equilibrium, start_faults, static_equilibrium
from gough.analysis.linear_forces import RestForces
from gough.arguments import a_model, checked, design, mapping, number, numbers, show_value, take, word, wrenches
from gough.compilation.status import complain
from gough.errors import BadStateError, UsageError
from gough.files import write_figure
from gough.kinematics.lost import lost_direction
from gough.kinematics.retraction import step_units
from gough.model import Model
from gough.model.linear import FRICTION
from gough.text import short_repr

STILL = 1e-6
"""An eigenvalue this small beside the largest is a free motion: a double one at 0 splits by the root of rounding."""
GROWING = 1e-5
"""A real part this large beside the largest eigenvalue is growth."""
ROUNDED = 1e-11
"""A real part this small beside the largest eigenvalue is none: what swings so never rests."""


@dataclass(frozen=True)
class Modes:
    """Vibrations about one state.

    frequencies_hz (k,): natural (undamped) ones, slowest first; 0 where nothing swings (no stiffness, or unstable).
    shapes (nv, k): their motions along v. eigenvalues (m,) complex, 1/s: of the damped robot, of a pair the one above the real
    axis, slowest first; damping (m,): their ratios, 1 where nothing swings, negative where it grows. q, tau: the state.
    verdict: "stable", "unstable: …" or "free: …" in plain words.
    """

    frequencies_hz: np.ndarray
    shapes: np.ndarray
    eigenvalues: np.ndarray
    damping: np.ndarray
    q: np.ndarray
    tau: np.ndarray
    verdict: str

    @property
    def stable(self) -> bool:
        """Whether nothing grows and nothing moves freely."""
        return self.verdict == "stable"

    @property
    def grows(self) -> bool:
        """Whether something does: the state is unstable."""
        return _grows(self.eigenvalues)

    @checked(to=number(above=0, most=1))
    def decay_times(self, to: float = 0.02) -> np.ndarray:
        """How long (s) each of the eigenvalues (m,) takes to die down to a part of what it was, 0.02 for 2 %: ln(1/to)/(-Re λ),
        which is ln(1/to)/(ζω) of a damping ratio ζ and a frequency ω (rad/s); inf of those that do not."""
        rate = -np.real(self.eigenvalues)
        dies = rate > ROUNDED * np.abs(self.eigenvalues).max(initial=0.0)
        return np.where(dies, np.log(1.0 / to) / np.where(dies, rate, 1.0), np.inf)

    __repr__ = short_repr


@checked(
    model=a_model,
    q=numbers,
    drives=word | mapping(numbers),
    about=word,
    wrench=wrenches,
    parameters=design,
    friction=word,
)
def natural_frequencies(
    model: Model,
    q: Any = None,
    drives: Any = "locked",
    *,
    about: str = "equilibrium",
    wrench: Any = None,
    parameters: Any = None,
    friction: str = "viscous",
) -> Modes:
    """Vibrations at q (nq,) (default: home).

    drives: "locked", "free", or {"stiffness": kp, "damping": kd} of servos (N/m or N m/rad a drive, one or one each).
    about: "equilibrium" (elastic coordinates and drive forces that balance gravity and the wrench, with their prestress) or
    "undeformed" (nothing bent, no gravity, no load). friction: "viscous", or "smoothed": with the slope that smoothed Coulomb
    friction has at rest, which is that of a very strong damper.
    """
    if friction not in FRICTION:
        raise UsageError(f"friction={friction!r}; use one of {', '.join(FRICTION)}")
    state, forces = reference_state(model, q, about, wrench, parameters)
    here, tau = state.q[None], state.tau[None]
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    terms = forces.mass(here), forces.damping(here, tau, friction), forces.stiffness(here, tau)
    M, C, K = (A[0] * unit[:, None] * unit for A in terms)
    moving = model.mechanism.moving
    M, C, K = (A[np.ix_(moving, moving)] for A in (M, C, K))
    N, K, C = free_motions((forces.drive_map(here)[0] * unit[:, None])[moving], K, C, drives)
    M, C, K = (N.T @ A @ N for A in (M, C, K))
    squares, shapes = undamped_modes(M, K)
    eigenvalues = quadratic_eigenvalues(M, C, K)
    frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)
    return Modes(
        frequencies,
        unit[:, None] * (np.eye(model.layout.nv)[:, moving] @ N @ shapes),
        eigenvalues,
        ratios(eigenvalues),
        state.q,
        state.tau,
        verdict_of(eigenvalues),
    )


def one_design(model: Model, parameters: Any) -> np.ndarray:
    """Parameters (n,) of one design: the model's, an array, or {name: value} changed."""
    if parameters is None:
        return model.parameters
    given = (
        model.parameters_with(parameters) if isinstance(parameters, Mapping) else np.asarray(parameters, dtype=float)
    )
    if given.shape != model.parameters.shape:
        raise UsageError(f"parameters has shape {given.shape}; give one design ({len(model.parameters)},)")
    return given


def reference_state(model: Model, q: Any, about: str, wrench: Any, parameters: Any) -> tuple[Equilibrium, RestForces]:
    """(state to linearise about, its forces)."""
    numbers = one_design(model, parameters)
    start = model.home if q is None else np.asarray(q, dtype=float)
    if start.shape != (model.layout.nq,):
        raise UsageError(
            f"q has shape {start.shape}; give one configuration ({model.layout.nq},), as "
            "model.configuration(drives=…) makes it, or (pose=…) of a platform"
        )
    if about == "equilibrium":
        slack = np.zeros(len(model.mechanism.drives))
        held: dict[str, Any] = {"tau": slack, "near": start} if len(slack) < model.mobility else {"q": start}
        state = static_equilibrium(model, **held, wrench=wrench, parameters=numbers)
        return state, RestForces(model, numbers, wrench)
    if about != "undeformed":
        raise UsageError(f"about={about!r}; use 'equilibrium' or 'undeformed'")
    numbers = numbers.copy()
    numbers[..., list(model.mechanism.gravity)] = 0.0
    layout = model.layout
    if layout.n_elastic and start[layout.elastic].any():
        raise UsageError("about='undeformed': q has elastic coordinates that are not 0")
    faults = start_faults(model, start[None], numbers[None])
    if faults[0]:
        complain(
            f"about={about!r}", faults, (), start, lambda _, name: partial(lost_direction, model, start.copy(), name)
        )
    none = np.zeros(len(layout.drive_names))
    state = Equilibrium(start, none, start[layout.elastic], np.zeros(()), np.zeros((), dtype=np.uint8))
    return state, RestForces(model, numbers, None)


def free_motions(S: np.ndarray, K: np.ndarray, C: np.ndarray, drives: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N (nv, k): motions that are left, K, C with the servos)."""
    nv, count = S.shape
    if isinstance(drives, str):
        if drives not in ("locked", "free"):
            raise UsageError(f"drives={drives!r}; use 'locked', 'free' or {{'stiffness': …, 'damping': …}}")
        if drives == "free" or not count:
            return np.eye(nv), K, C
        _, s, vt = np.linalg.svd(S.T)
        rank = int((s > 1e-10 * s[0]).sum()) if len(s) else 0
        return vt[rank:].T, K, C
    if not isinstance(drives, dict) or set(drives) - {"stiffness", "damping"}:
        raise UsageError(f"drives={drives!r}; use 'locked', 'free' or {{'stiffness': …, 'damping': …}}")
    gains = [_gains(k, drives.get(k, 0.0), count) for k in ("stiffness", "damping")]
    return np.eye(nv), K + (S * gains[0]) @ S.T, C + (S * gains[1]) @ S.T


def _gains(name: str, value: Any, count: int) -> np.ndarray:
    x = take(f"drives[{name!r}]", numbers, value)
    if x.shape not in ((), (count,)) or not np.isfinite(x).all() or (x < 0).any():
        raise UsageError(
            f"drives[{name!r}]={show_value(value)}; give one finite number, not negative, or one for each of {count} drives"
        )
    return np.broadcast_to(x, (count,))


def undamped_modes(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(squares of angular frequencies (n,), shapes (n, n), largest entry 1) of M and the symmetric part of K."""
    from scipy import linalg

    if not len(M):
        return np.zeros(0), np.zeros((0, 0))
    try:
        squares, shapes = linalg.eigh((K + K.T) / 2, (M + M.T) / 2)
    except linalg.LinAlgError:
        raise BadStateError(_no_inertia(M), None) from None
    return squares, shapes / np.abs(shapes).max(axis=0)


def _no_inertia(M: np.ndarray) -> str:
    size = np.sqrt(np.abs(np.diag(M)))
    size = np.where(size > 0.0, size, 1.0)
    lowest = float(np.linalg.eigvalsh((M + M.T) / 2 / np.outer(size, size))[0])
    return (
        f"the mass matrix is not positive definite at this state (smallest eigenvalue {lowest:.1e}, scaled by its diagonal): "
        "some motion has no inertia. Give massless bodies and shapes a mass or fewer coordinates; a flexible body with "
        "stiffening: rigid_motion is bent too far for it: use stiffening: on or moments, or cut it into several bodies"
    )


def quadratic_eigenvalues(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Eigenvalues (k,) of λ² M + λ C + K, slowest first, one of every complex pair; M need not be symmetric."""
    from scipy import linalg

    n = len(M)
    if not n:
        return np.zeros(0, dtype=complex)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    values = np.asarray(linalg.eigvals(A), dtype=complex)
    real = np.abs(np.imag(values)) <= 1e-9 * np.abs(values).max()
    values = np.where(real, np.real(values) + 0j, values)
    kept = values[real | (np.imag(values) > 0)]
    return kept[np.lexsort((np.real(kept), np.round(np.abs(kept), 12)))]


def ratios(eigenvalues: np.ndarray) -> np.ndarray:
    """Damping ratios (k,)."""
    size = np.abs(eigenvalues)
    return np.where(size > 0, -np.real(eigenvalues) / np.where(size > 0, size, 1.0), 1.0)


def verdict_of(eigenvalues: np.ndarray) -> str:
    """Stable, or what grows or moves freely."""
    if not len(eigenvalues):
        return "stable"
    largest, real = np.abs(eigenvalues).max(), np.real(eigenvalues)
    free = int(np.ceil((np.abs(eigenvalues) <= STILL * largest).sum() / 2))  # two eigenvalues near 0 a motion
    if _grows(eigenvalues):
        swinging = np.imag(eigenvalues[int(np.argmax(real))]) != 0
        how = "an oscillation grows" if swinging else "it departs from equilibrium without swinging"
        return f"unstable: {how}, at {float(real.max()):+.4g} 1/s"
    return f"free: {free} motion{'s' * (free > 1)} without stiffness" if free else "stable"


def _grows(eigenvalues: np.ndarray) -> bool:
    """Whether one of the eigenvalues (1/s) grows by more than rounding."""
    largest = np.abs(eigenvalues).max(initial=0.0)
    return bool(np.real(eigenvalues).max(initial=-np.inf) > GROWING * largest)


# A picture of natural vibrations: frequencies, and how much each coordinate moves.


def shapes_in_typical_size(model: Model, modes: Modes) -> np.ndarray:
    """Shapes (nv, modes) with every entry of v over its typical size, the largest of each mode 1: metres, radians and
    elastic coordinates can be compared."""
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    shapes = modes.shapes / unit[:, None]
    return shapes / np.maximum(np.abs(shapes).max(axis=0, initial=0.0), 1e-300)


def draw_modes(model: Model, modes: Modes, path: str | Path, count: int = 12) -> None:
    """Shapes of the first `count` modes as a chart: a column a mode, a row an entry of v (in its typical size)."""
    from matplotlib.figure import Figure

    n = min(count, len(modes.frequencies_hz))
    if not n:
        raise UsageError(f"{path}: {model.robot.name} has no modes to draw: nothing of it can move")
    shapes = shapes_in_typical_size(model, modes)[:, :n]
    names = model.layout.v_names
    made = Figure(figsize=(2.4 + 0.62 * max(n, 4), 1.6 + 0.22 * len(names)), layout="constrained")
    ax = made.subplots()
    image = ax.imshow(shapes, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_xticks(range(n), [f"{f:.4g}" for f in modes.frequencies_hz[:n]], rotation=45, fontsize=8)
    ax.set_xlabel("natural frequency (Hz)")
    ax.set_title(f"{model.robot.name}: {modes.verdict.split(',')[0]}", fontsize=9)
    made.colorbar(image, ax=ax, label="motion (largest = 1)")
    write_figure(path, made, 130)
