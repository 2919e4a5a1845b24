"""What an optimiser sees of a study, and the optimisers: IPOPT through CasADi, SciPy's SLSQP.

IPOPT is the default where CasADi is there: it goes on where SLSQP's line search gives up. SLSQP takes fewer points on smooth
studies, keeps them in the ranges, and several descents run at once.

Points at which a design is no robot give no number: IPOPT takes a shorter step, SLSQP's line search turns back.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy.optimize import minimize

from gough.errors import GoughError, UsageError
from gough.locks import make_lock

REACHED = 1e-7
NOWHERE = 1e3
"""What is added to an objective where there is no robot, in sizes of the objective."""


class NoDesignError(ArithmeticError):
    """A point at which there is no robot."""


LOST = (NoDesignError, GoughError)
"""Points that the optimiser turns back from: no robot, or numbers that a call refuses."""


class DescentProblem(Protocol):
    """Of y, variables in the unit cube and `extra` bounds t, first `first_t`: an objective, and rows that are to be ≤ 0."""

    first_t: np.ndarray

    @property
    def extra(self) -> int:
        """Bounds t."""
        ...

    def objective(self, y: np.ndarray) -> tuple[float, np.ndarray]:
        """(value, slopes)."""
        ...

    def rows(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values, slopes)."""
        ...


Solver = Callable[[DescentProblem, np.ndarray, int], tuple[np.ndarray, bool, str]]


def choose_solver(name: str) -> Solver:
    if name not in ("auto", "ipopt", "slsqp"):
        raise UsageError(f"solver={name!r}; use 'ipopt', 'slsqp', or leave it out")
    if name == "slsqp":
        return _by_slsqp
    try:
        import casadi  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        if name == "auto":
            return _by_slsqp
        raise UsageError("solver='ipopt' needs CasADi: pip install 'gough[casadi]'; or use 'slsqp'") from None
    return _by_ipopt


def _by_slsqp(problem: DescentProblem, z: np.ndarray, iterations: int) -> tuple[np.ndarray, bool, str]:
    k, y = len(z), np.concatenate([z, problem.first_t])
    last = [problem.objective(y), problem.rows(y)]

    def asked(which: int, of: Callable[[np.ndarray], Any], y: np.ndarray) -> Any:
        try:
            last[which] = of(y)
            return last[which]
        except LOST:  # the line search turns back from a large number
            value, slope = last[which]
            return (abs(value) + NOWHERE, slope) if which == 0 else (value, slope)

    constraints: Any = []
    if len(last[1][0]):
        rows = [lambda y, part=part: -asked(1, problem.rows, y)[part] - (1 - part) * REACHED for part in (0, 1)]
        constraints = [{"type": "ineq", "fun": rows[0], "jac": rows[1]}]
    found = minimize(
        lambda y: asked(0, problem.objective, y),
        y,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * k + [(None, None)] * problem.extra,
        constraints=constraints,
        options={"maxiter": iterations, "ftol": REACHED**1.5},
    )
    return np.nan_to_num(found.x[:k], nan=0.5), bool(found.success), f"SLSQP: {found.message}"


def _by_ipopt(problem: DescentProblem, z: np.ndarray, iterations: int) -> tuple[np.ndarray, bool, str]:
    with _one_ipopt:
        return _run_ipopt(problem, z, iterations)


_one_ipopt = make_lock()
"""IPOPT's linear solver, MUMPS, is not made for threads: one at a time in a process."""


def _run_ipopt(problem: DescentProblem, z: np.ndarray, iterations: int) -> tuple[np.ndarray, bool, str]:
    import casadi  # pyright: ignore[reportMissingImports]

    k, y0 = len(z), np.concatenate([z, problem.first_t])
    n, c = len(y0), len(problem.rows(y0)[0])

    ended: list[BaseException] = []  # what a tick raised, which may not pass through IPOPT

    def both(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The objective, then the rows; NaN where there is no robot, and IPOPT takes a shorter step."""
        try:
            if not ended:
                (f, by_y), (g, rows) = problem.objective(y), problem.rows(y)
                return np.append(f, g), np.concatenate([by_y[None], rows])
        except LOST:
            pass
        except BaseException as problem_:
            ended.append(problem_)
        return np.full(1 + c, np.nan), np.full((1 + c, n), np.nan)

    class AskedSlopes(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct("slopes", {})

        def get_n_in(self) -> int:
            return 2

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(n, 1) if i == 0 else casadi.Sparsity(1 + c, 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(1 + c, n)

        def eval(self, arg: Any) -> Any:
            return [both(np.array(arg[0]).ravel())[1]]

    slopes = AskedSlopes()

    class AskedNumbers(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct("numbers", {})

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(n, 1)

        def get_sparsity_out(self, i: int) -> Any:
            return casadi.Sparsity.dense(1 + c, 1)

        def eval(self, arg: Any) -> Any:
            return [both(np.array(arg[0]).ravel())[0]]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> Any:
            return slopes

    numbers, y = AskedNumbers(), casadi.MX.sym("y", n)
    all_ = numbers(y)
    options = {
        "print_time": False,
        "show_eval_warnings": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "max_iter": iterations,
            "tol": REACHED,
            "hessian_approximation": "limited-memory",
            "bound_relax_factor": 0.0,
            "mu_strategy": "adaptive",
        },
    }
    solver = casadi.nlpsol("study", "ipopt", {"x": y, "f": all_[0], "g": all_[1:]}, options)
    free = np.full(problem.extra, np.inf)
    low, high = np.concatenate([np.zeros(k), -free]), np.concatenate([np.ones(k), free])
    found = solver(x0=y0, lbx=low, ubx=high, lbg=-np.inf, ubg=0.0)
    if ended:
        raise ended[0]
    said = solver.stats()
    end = np.array(found["x"]).ravel()[:k]
    return np.nan_to_num(end, nan=0.5), bool(said["success"]), f"IPOPT: {said['return_status']}"
