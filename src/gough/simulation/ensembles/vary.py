"""Numbers that differ from run to run, by name: random draws (Monte Carlo) or all combinations (sweeps).

Names    a parameter of the robot (`model.parameter_names`), or a variable of its description (`model.variables`), which moves
         all parameters that follow it; "at.NAME", a coordinate at the start (m, rad), as in
         `model.configuration(coordinates=…)`; "rate.NAME", an entry of v at the start; "wrench.fx" … "wrench.mz" on the platform,
         "wrench.FRAME.fx" on a frame (N, N·m); "BODY.stiffness_factor" of flexible bodies, which multiplies all its
         stiffness, with stars ("leg*.rod.stiffness_factor", "*.stiffness_factor") one factor for several.
Draws    every name has a stream of its own, from the seed and the name: one more name leaves the numbers of the others as they
         are, and so do more runs, unless draws are stratified.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, flag, floats, mapping, number, numbers, several, whole
from gough.errors import UsageError
from gough.robot.expressions.varying import name_followers
from gough.simulation.coordinates import units_of
from gough.simulation.ensembles._stiffness import is_stiffness_factor, nearest_name, scale_stiffness
from gough.simulation.ensembles._walk import draw_inside
from gough.simulation.ensembles.physical import PossibleSet, expand_names, square_root
from gough.simulation.integration.wrenches import by_frames, is_load, platform_key
from gough.simulation.loads.constant import OfRuns
from gough.simulation.loads.load import loads_of
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

__all__ = ["Draw", "Varied", "draw_estimates", "monte_carlo", "normal", "spread", "sweep", "uniform", "within"]
Array = np.ndarray
MOST_RUNS = 100_000_000
MOST_DRAWN = 2e9
"""Bytes of all numbers that are drawn, and of what drawing them takes."""
TRIED, ENOUGH = 1000, 0.02
"""Draws that are tried, and the part of them that must be possible for the others to be left out; else draws are walked to."""
ALONG = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True)
class Draw:
    """How a number is drawn. kind: "normal" (mean, standard deviation) or "uniform" (low, high); relative: of the number the
    description has."""

    kind: str
    first: float
    second: float
    relative: bool = False

    def at(self, u: Array) -> Array:
        """The numbers of probabilities u (n,), each in 0 … 1."""
        if self.kind == "uniform":
            return self.first + (self.second - self.first) * u
        from scipy.special import ndtri

        return self.first + self.second * ndtri(u)


@checked(mean=number(), deviation=number(0))
def normal(mean: float, deviation: float) -> Draw:
    """Numbers around a mean with a standard deviation, in SI units."""
    return Draw("normal", mean, deviation)


@checked(low=number(), high=number())
def uniform(low: float, high: float) -> Draw:
    """Numbers between two, in SI units."""
    if high < low:
        raise UsageError(f"uniform({low!r}, {high!r}): give finite numbers, the lower number first")
    return Draw("uniform", low, high)


def _demand_share(call: str, part: float) -> None:
    """UsageError for a part of a number that is more than all of it: a percentage, most likely."""
    if part > 1:
        raise UsageError(
            f"{call}({part:g}): a part of the number, at most 1; {part:g} % is {call}({part / 100:g}). Where a number may change "
            "its sign, give normal or uniform, in SI units"
        )


@checked(deviation=number(0))
def spread(deviation: float) -> Draw:
    """A parameter's or variable's own number times a normal one of mean 1: spread(0.05) for 5 % standard deviation."""
    _demand_share("spread", deviation)
    return Draw("normal", 1.0, deviation, relative=True)


@checked(part=number(0))
def within(part: float) -> Draw:
    """A parameter's or variable's own number times one between 1 - part and 1 + part: within(0.1) for ±10 %."""
    _demand_share("within", part)
    return Draw("uniform", 1.0 - part, 1.0 + part, True)


@dataclass(frozen=True, eq=False)
class Varied:
    """values: {name: (runs,)}; relative: names whose values are factors of the description's numbers. rejected: how many draws
    were left out because no robot has such numbers; 0 where draws were walked to (`draw_estimates`)."""

    values: Mapping[str, Array]
    relative: frozenset[str] = frozenset()
    rejected: int = 0

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(next(iter(self.values.values())))

    def parameters(self, model: "Model", base: Any = None) -> Array | None:
        """Designs (runs, n), None where no parameter varies. base (n,) or (runs, n): what the others are."""
        names = [n for n in self.values if not n.startswith(("at.", "rate.", "wrench."))]
        factors = {n: self.values[n] for n in names if is_stiffness_factor(model, n)}
        if not names:
            return None
        known = model.parameters if base is None else np.asarray(base, dtype=float)
        out = np.broadcast_to(known, (self.runs, len(model.parameters))).copy()
        places = {n: k for k, n in enumerate(model.parameter_names)}
        variables = self._variables(model)
        _demand_moving(model, list(variables))
        if variables:
            followed = [places[n] for n in {x for name in variables for x in model.moved_parameters(name)}]
            out[:, followed] = model.parameters_with(variables=variables)[..., followed]
        for name in (n for n in names if n not in variables and n not in factors):
            if name not in places:
                if name.endswith(".spring.preload"):
                    raise UsageError(
                        f"{model.robot.name} has no {name}, which an offset becomes: build a model that has, "
                        f"gough.build(model.robot.with_parameters({{'{name.removesuffix('.spring.preload')}.offset': 0.0}}), "
                        f"free=[{name!r}])"
                    )
                raise UsageError(
                    f"{model.robot.name} has no parameter or variable {name!r}{nearest_name(model, name)}; see "
                    "model.parameter_names and model.variables, or `gough show ROBOT --parameters`. States at the start are "
                    "named at.NAME and rate.NAME, loads wrench.fx or wrench.FRAME.fx, one factor for the stiffness of a flexible "
                    "body BODY.stiffness_factor"
                )
            if name in self.relative and not out[:, places[name]].any():
                unit = self.unit(model, name)
                raise UsageError(
                    f"{name} is 0, and so is every part of it: spread and within vary nothing. Give normal or uniform in {unit}, "
                    f"and build the model with free=[{name!r}]"
                )
            factor = out[:, places[name]] if name in self.relative else 1.0
            out[:, places[name]] = factor * self.values[name]
        if factors:
            scale_stiffness(model, factors, [n for n in names if n not in factors], out)
        return out

    def _variables(self, model: "Model") -> dict[str, Array]:
        """{name: (runs,)} of variables, not factors."""
        own = dict(zip(model.variables.names, model.variables.values, strict=True))
        found = {n: x * own[n] if n in self.relative else x for n, x in self.values.items() if n in own}
        still = [n for n in found if n in self.relative and own[n] == 0]
        if still:
            raise UsageError(f"{still[0]} is 0, and so is every part of it: give normal or uniform")
        return found

    def told(self, model: "Model", designs: Array | None) -> dict[str, Array]:
        """{name: (runs,)}: the numbers that runs had; of parameters those of their designs (runs, n), not factors."""
        places, variables = {n: k for k, n in enumerate(model.parameter_names)}, self._variables(model)
        return {
            n: np.array(designs[:, places[n]]) if n in places and designs is not None else variables.get(n, x)
            for n, x in self.values.items()
        }

    def unit(self, model: "Model", name: str) -> str:
        """Of a number by its name."""
        head, _, rest = name.partition(".")
        if name in model.parameter_names:
            return model.mechanism.table.units[model.parameter_names.index(name)]
        if is_stiffness_factor(model, name):
            return "1"
        if name in model.variables.names:
            return model.variables.units[model.variables.names.index(name)]
        layout, units = model.layout, units_of(model)
        if head == "rate" and rest in layout.v_names:
            return units.v[layout.v_names.index(rest)]
        if head == "at":
            known = dict(zip(layout.q_names, units.q, strict=True))
            return known.get(rest, "rad")  # yaw, pitch, roll
        return "N m" if name.rpartition(".")[2].startswith("m") else "N"

    def started(self, word: str) -> dict[str, Array]:
        """{NAME: (runs,)} of all "word.NAME"."""
        found = {n.removeprefix(f"{word}."): x for n, x in self.values.items() if n.startswith(f"{word}.")}
        wrong = [n for n in found if f"{word}.{n}" in self.relative]
        if wrong:
            raise UsageError(f"{word}.{wrong[0]}: spread and within are for parameters; give normal or uniform")
        return found

    def loads(self, model: "Model", wrench: Any) -> Any:
        """wrench with the components that vary in place: {frame: (runs, 6)}; as it is where none does."""
        parts = self.started("wrench")
        if not parts:
            return wrench
        swings, out = dict[str, list[Any]](), dict[str, Any]()
        for f, w in by_frames(wrench).items():
            if is_load(w):
                swings[platform_key(model, f)] = list(loads_of(w))
            else:
                out[platform_key(model, f)] = np.broadcast_to(np.asarray(w, dtype=float), (self.runs, 6))
        for name, x in parts.items():
            frame, _, along = name.rpartition(".")
            if along not in ALONG:
                raise UsageError(f"wrench.{name}: ends in one of {', '.join(ALONG)}")
            frame = platform_key(model, frame)
            rows = np.array(out.get(frame, np.zeros((self.runs, 6))))
            rows[:, ALONG.index(along)] = x
            out[frame] = rows
        return out | {f: [*more, *([OfRuns(out[f])] if f in out else [])] for f, more in swings.items()}

    __repr__ = short_repr


def _demand_moving(model: "Model", variables: Sequence[str]) -> None:
    """UsageError where variables move nothing of a run: its numbers would differ, and runs would not."""
    still = [n for n in variables if not model.moved_parameters(n)]
    if still:
        raise UsageError(
            f"vary: no parameter follows {name_followers(model.robot, still)}, so runs would be the same with every value. "
            "Leave it out; where runs start is varied as at.NAME, and for limits and home build robot.with_variables({…})"
        )


@checked(what=mapping(), runs=whole(1, MOST_RUNS), seed=whole(0, 2**64) | several(whole(0, 2**64)), stratified=flag)
def monte_carlo(
    what: Mapping[str, Draw], runs: int, seed: int | Sequence[int] = 0, *, stratified: bool = False
) -> Varied:
    """Random draws for `gough.simulate_many(…, vary=…)`. what: {name: normal(…), uniform(…), spread(…) or within(…)}, of
    `gough.vary`. stratified: Latin hypercube, one draw in each of `runs` equally likely slices of every number."""
    if not what or not all(isinstance(d, Draw) for d in what.values()):
        raise UsageError("monte_carlo: give {name: draw} with draws of gough.vary: normal, uniform, spread or within")
    if (size := 8.0 * runs * (len(what) + 3)) > MOST_DRAWN:
        raise UsageError(
            f"runs={runs}: drawing {len(what)} numbers of so many takes {size / 1e9:.3g} GB, {MOST_DRAWN / 1e9:g} GB are the "
            f"most; draw at most {int(MOST_DRAWN / 8 / (len(what) + 3))} at a time, each time with another seed"
        )
    values = {}
    for name, draw in what.items():
        rng = _stream(name, seed)
        u = rng.random(runs)
        if stratified:
            u = (rng.permutation(runs) + u) / runs
        values[name] = draw.at(np.clip(u, 1e-16, 1 - 1e-16))
    return Varied(values, frozenset(n for n, d in what.items() if d.relative))


def _stream(name: str, seed: int | Sequence[int]) -> np.random.Generator:
    """Random numbers of a name."""
    return np.random.default_rng([zlib.crc32(name.encode()), *map(int, _seeds(seed))])


def _seeds(seed: int | Sequence[int]) -> Array:
    seeds = np.atleast_1d(floats("seed", seed))
    if (seeds > 2**53).any():
        raise UsageError(f"seed={seed!r}: give a whole number that is not negative, or several")
    return seeds


@checked(
    model=a_model,
    means=mapping(number()),
    covariance=numbers,
    runs=whole(1, MOST_RUNS),
    seed=whole(0, 2**64) | several(whole(0, 2**64)),
)
def draw_estimates(
    model: "Model", means: Mapping[str, float], covariance: Any, runs: int, seed: int | Sequence[int] = 0
) -> Varied:
    """Correlated draws of estimated parameters, {name: mean} with their covariance (n, n), as an identification gives them.

    Names may have stars, "leg*.rod.M", or be tied, "{left_rod,right_rod}.M": parameters that are one number. JOINT.offset becomes
    the preload of the joint's spring, the model's own less the offset. The distribution is normal, cut off where no robot is:
    masses, frictions, stiffnesses, … are not below 0, pseudo-inertias of bodies are positive definite. Where borders are far,
    draws have the means and the covariance given; near by, means move inwards and deviations shrink. Draws beyond are left out
    and counted in `rejected`; where hardly any would stay (less than one of fifty), as where data leave numbers open, draws are
    the ends of random walks inside (30 sweeps of slice sampling). What is not so with the means themselves is not judged.
    """
    C = floats("covariance", covariance)
    if not means or C.shape != (len(means), len(means)):
        raise UsageError(
            f"draw_estimates: covariance has shape {C.shape}; expected {(len(means), len(means))}, as means"
        )
    if (size := 8.0 * runs * (3 * len(means) + 10)) > MOST_DRAWN:
        raise UsageError(f"runs={runs}: drawing takes {size / 1e9:.3g} GB, {MOST_DRAWN / 1e9:g} GB are the most")
    stands_for, preloads = expand_names(model, list(means))
    root, mean = square_root(C), np.array(list(means.values()))
    possible = PossibleSet.of(model, stands_for, mean)
    tried = mean + np.random.default_rng(0).standard_normal((TRIED, len(mean))) @ root
    if possible.holds(tried).mean() < ENOUGH:
        drawn, rejected = draw_inside(possible, mean, root, runs, [int(s) for s in _seeds(seed)]), 0
    else:
        drawn, rejected = _without_impossible(possible, mean, root, runs, [_stream(name, seed) for name in means])
    values = {name: drawn[:, k].copy() for k, own in enumerate(stands_for) for name in own}
    known = dict(zip(model.parameter_names, model.parameters, strict=True))
    for offset, preload in preloads.items():
        values[preload] = values.get(preload, known.get(preload, 0.0)) - values.pop(offset)
    return Varied(values, rejected=rejected)


def _without_impossible(
    possible: PossibleSet, mean: Array, root: Array, runs: int, streams: Sequence[np.random.Generator]
) -> tuple[Array, int]:
    """(draws (runs, n), how many were left out)."""
    kept: list[Array] = []
    found = drawn = 0
    while found < runs:
        x = mean + np.column_stack([rng.standard_normal(runs) for rng in streams]) @ root
        good = np.flatnonzero(possible.holds(x))[: runs - found]
        kept.append(x[good])
        found += len(good)
        drawn += runs if found < runs else int(good[-1]) + 1
    return np.concatenate(kept), drawn - runs


@checked(what=mapping(numbers))
def sweep(what: Mapping[str, Any]) -> Varied:
    """All combinations of {name: numbers (n,)}, SI units; the last name changes fastest."""
    rows = [floats(f"sweep: {name}", x).ravel() for name, x in what.items()]
    if not rows or not all(len(x) and np.isfinite(x).all() for x in rows):
        raise UsageError("sweep: give {name: finite numbers}, at least one of each")
    grid = np.meshgrid(*rows, indexing="ij")
    return Varied({name: x.ravel() for name, x in zip(what, grid, strict=True)})
