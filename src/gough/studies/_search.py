"""How a study looks for designs, and how much of it.

grid, sobol, latin hypercube   `count` points (of a grid: levels of variables without a step)
gradient                       from `starts` points of a Sobol sequence, the description's own first, `iterations` each
evolution                      `count` designs in `generations` (nsga2; nsga3 spreads many objectives along reference directions)
                               of `population` (the last of them whole) and between those of the front; on top of these the
                               points of `polish` descents

With a `budget` (s) each of them ends when that time is over, with what is done.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from gough.errors import UsageError
from gough.robot.item import nearest
from gough.studies.methods.sweep import SWEEPS

METHODS = (*SWEEPS, "gradient", "evolution")
USED = {
    "grid": ("count",),
    "sobol": ("count", "seed"),
    "latin hypercube": ("count", "seed"),
    "gradient": ("starts", "iterations", "solver", "seed"),
    "evolution": ("count", "population", "generations", "polish", "iterations", "solver", "seed"),
}
DEFAULTS = {
    "count": 1024,
    "starts": 8,
    "iterations": 100,
    "solver": "auto",
    "population": 100,
    "generations": "nsga2",
    "polish": 10,
    "seed": 0,
}
LEVELS = 5
"""Of a grid's variables without a step."""


REMEDY = "method: evolution needs pymoo: pip install 'gough[studies]'"
NO_CASADI = "solver: ipopt needs CasADi: pip install 'gough[studies]'; or leave it out, or use slsqp"


def demand_optimisers(method: str, solver: str) -> None:
    """UsageError where a package is missing that the search needs: said before anything takes long."""
    if method == "evolution" and find_spec("pymoo") is None:
        raise UsageError(REMEDY)
    if method in ("evolution", "gradient") and solver == "ipopt" and find_spec("casadi") is None:
        raise UsageError(NO_CASADI)


@dataclass(frozen=True)
class StudySearch:
    """A method and its numbers; see the head."""

    method: str = "sobol"
    count: int = DEFAULTS["count"]
    seed: int = 0
    starts: int = DEFAULTS["starts"]
    iterations: int = DEFAULTS["iterations"]
    solver: str = DEFAULTS["solver"]
    population: int = DEFAULTS["population"]
    polish: int = DEFAULTS["polish"]
    generations: str = DEFAULTS["generations"]
    budget: float | None = None

    @classmethod
    def of(cls, method: str, **given: int | float | str | None) -> "StudySearch":
        """From what was written, None for what was not; UsageError for what the method has no use for."""
        if method not in METHODS:
            raise UsageError(f"search: no method {method!r}; use {nearest(method, list(METHODS))}")
        known = {key: value for key, value in given.items() if value is not None}
        idle = [key for key in known if key != "budget" and key not in USED[method] and known[key] != DEFAULTS[key]]
        if idle:
            raise UsageError(
                f"search: method {method!r} has no use for {', '.join(idle)}; it takes {', '.join(USED[method])}"
            )
        if known.get("solver", "auto") not in ("auto", "ipopt", "slsqp"):
            raise UsageError(f"search: no solver {known['solver']!r}; use auto, ipopt or slsqp")
        if known.get("generations", "nsga2") not in ("nsga2", "nsga3"):
            raise UsageError(f"search: no generations {known['generations']!r}; use nsga2 or nsga3")
        if method == "grid":
            known.setdefault("count", LEVELS)
        if method == "evolution":
            known.setdefault("count", 20 * int(known.get("population") or DEFAULTS["population"]))
        return cls(method, **known)  # type: ignore[arg-type]
