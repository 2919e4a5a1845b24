"""DIDIM: the force of the simulated robot, under the same controller and motion, brought to the measured one (Gautier, Janot and
Vandanjon 2013).

Only measured forces enter, no velocities nor accelerations. φ by Gauss and Newton with the slopes of the simulated forces
themselves (`closed_loop`), not with the usual shortcut that the motion does not depend on φ. Slopes are kept while φ stays within
a few deviations of where they were taken: there they change by less than noise does.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.identification.data.samples import Samples
from gough.identification.estimation._linear import solve_scaled
from gough.identification.estimation.closed_loop import Simulated
from gough.identification.estimation.estimate import Estimate
from gough.identification.estimation.hands import HERE, Hands
from gough.identification.estimation.least_squares import estimate_linear
from gough.identification.estimation.rows import ForceEquations, Piece, stretches
from gough.identification.estimation.spread import block_squares, gather_residuals, spread_matrices

TURNS = 25
SETTLED = 0.01
"""Largest change of a parameter over its deviation that ends the turns."""
NEAR = 3.0
"""Largest distance, in deviations, over which slopes are kept."""
HALVINGS = 8


def estimate_by_output(
    equations: ForceEquations,
    first: np.ndarray,
    simulate: Callable[[np.ndarray], Simulated],
    slopes: Callable[[Simulated], np.ndarray],
    hands: Hands = HERE,
) -> tuple[Estimate, Samples]:
    """Output error, begun with least squares, or with `first` (p,) where that robot cannot run; and the simulated robot.
    simulate: φ to the simulated robot; slopes: of its forces by φ (n, drives, p)."""
    phi = estimate_linear(equations, first, hands)[0].phi
    here = _tried(simulate, phi)
    if here is None:
        phi, here = first, simulate(first)
    taken, J, changes = phi, _thinned(equations, slopes(here)), []
    e = _missing(equations, here)
    sigma = _noise(equations, e, 0)
    for turn in range(TURNS):
        weighed: Any = np.column_stack([(J / sigma[:, None]).reshape(-1, len(phi)), (e / sigma).ravel()])
        R: Any = np.linalg.qr(weighed, mode="r")
        step, inverse, directions, singular = solve_scaled(R[:-1, :-1], R[:-1, -1], np.zeros(len(phi)))
        covariance = inverse @ inverse.T
        spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
        most = _cost(e, sigma) + SETTLED**2 * len(phi)  # what a settled change is worth
        for _ in range(HALVINGS):
            there = _tried(simulate, phi + step)
            if there is not None and _cost(_missing(equations, there), sigma) <= most:
                break
            step = step / 2
        else:
            raise UsageError(
                f"didim: forces of the simulated robot do not come nearer to the measured ones (turn {turn + 1}); check "
                "controller= and motion=, or begin with method='iv'"
            )
        phi, e = phi + step, _missing(equations, there)
        changes.append(float(np.max(np.abs(step) / spread, initial=0.0)))
        sigma = _noise(equations, e, len(phi))
        far = float(np.max(np.abs(phi - taken) / spread, initial=0.0)) > NEAR
        if changes[-1] < SETTLED and not far:
            break
        if far:
            taken, J = phi, _thinned(equations, slopes(there))
    # residuals are those of φ already: of pieces without columns
    left = [Piece(np.zeros_like(Z), own, run, 0, own) for Z, own, run in _by_runs(equations, J, e)]
    seen = gather_residuals(left, phi)
    pairs = ((piece, Z) for piece, (Z, _, _) in zip(left, _by_runs(equations, J, e), strict=True))
    even, rank = R[:-1, :-1] @ inverse, len(phi) - len(directions)
    told = spread_matrices(
        lambda *x: [block_squares(pairs, *x)], phi, sigma, inverse, inverse, even.T @ even, seen, rank
    )
    settled, matrices = changes[-1] < SETTLED, (told.covariance, told.information)
    return Estimate("didim", phi, *matrices, sigma, directions, singular, seen, tuple(changes), settled), there.samples


def _tried(simulate: Callable[[np.ndarray], Simulated], phi: np.ndarray) -> Simulated | None:
    """The simulated robot, None where its controller does not hold it."""
    try:
        return simulate(phi)
    except UsageError:
        return None


def _thinned(equations: ForceEquations, x: np.ndarray) -> np.ndarray:
    """What is left of x (samples, ...), run after run."""
    return np.concatenate([equations.thinning.apply(x[b:n]) for _, b, n in stretches(equations.samples)])


def _missing(equations: ForceEquations, here: Simulated) -> np.ndarray:
    """Of the measured force (n, drives)."""
    return _thinned(equations, equations.samples.force - here.samples.force)


def _by_runs(equations: ForceEquations, J: np.ndarray, e: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """(slopes, what is missing, run) of every run."""
    at = 0
    for run, begin, end in stretches(equations.samples):
        own = slice(at, at + equations.thinning.size_of(end - begin))
        at = own.stop
        yield J[own], e[own], run


def _noise(equations: ForceEquations, e: np.ndarray, parameters: int) -> np.ndarray:
    """σ (drives,) of what is missing."""
    floor = 1e-9 * np.abs(equations.samples.force).max(initial=0.0) + 1e-300
    return np.maximum(np.sqrt((e**2).sum(axis=0) / max(1.0, len(e) - parameters / e.shape[1])), floor)


def _cost(e: np.ndarray, sigma: np.ndarray) -> float:
    return float(((e / sigma) ** 2).sum())
