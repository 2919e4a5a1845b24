"""Base parameters: what of a robot's inertia, friction, … its motions can tell, and in which combinations.

The columns of the regressor over many assembled states are linearly dependent, Y_d = Y_b β: of π only the combinations
π_b + β π_d can be told (Gautier and Khalil 1990). How many there are is a rank, with the gap of the singular values beside it.
Which columns are kept follows from the joints where they say it (`transfers`), else from a pivoted QR decomposition.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, several, word, words
from gough.compilation.function import Function
from gough.errors import RankWarning, warn
from gough.identification._grouping import group
from gough.identification._polynomial import Polynomial, join_terms, show_product
from gough.identification._transfers import Design
from gough.identification._unknowns import Unknown, tie_legs
from gough.identification.regressor import Regressor, regressor
from gough.program.ops import Op

if TYPE_CHECKING:
    from gough.model import Model

EQUATIONS = 3
"""Rows per unknown, at least."""
STEPS, STEP = 3, 0.3
"""Steps away from the configurations around home, and how long they are (robot sizes, rad)."""
OPEN = 0.03
"""Reciprocal condition of loops from which states say what can be told without much rounding."""
ROUNDING = 1e-10
"""Of a column, relative to the largest force, and of shares."""
DOUBTFUL = 1e-7
"""Singular values up to this one, relative to the largest, may be rounding."""
CLEAR = 1e9
"""A gap beyond which its size is that of rounding errors."""
SAFE_GAP = 1e3
"""Ratio of neighbouring singular values from which a rank is beyond doubt."""
NEARLY = 0.6
"""Of the largest distance from columns already kept: the first column beyond it is the next."""
SAME = 1e-6
"""Relative difference of a share from the formula that the joints give."""


@dataclass(frozen=True)
class BaseParameters:
    """What motions of a robot can tell.

    kept (rank,): unknowns that stand for a combination each; dependent: those in combinations of others; unseen: those that no
    motion tells; shares (rank, dependent): β; formulas: {(kept, dependent): β as a polynomial of the design} where the joints
    give it; singular_values: of the scaled regressor, largest first; gap: the last one that counts over the next; gravity (3,)
    m/s²; tied: how unknowns were tied.
    """

    regressor: Regressor
    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    unseen: tuple[int, ...]
    shares: np.ndarray
    formulas: Mapping[tuple[int, int], Polynomial]
    singular_values: np.ndarray
    gap: float
    gravity: np.ndarray
    tied: str | tuple[tuple[str, ...], ...]

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self.kept)

    @property
    def exact(self) -> bool:
        """Whether every combination follows from the joints alone, as a formula of the design."""
        return all(
            (k, d) in self.formulas
            for a, k in enumerate(self.kept)
            for b, d in enumerate(self.dependent)
            if self.shares[a, b]
        )

    @property
    def matrix(self) -> np.ndarray:
        """(rank, unknowns): base parameters are matrix @ π."""
        out = np.zeros((self.rank, len(self.regressor.unknowns)))
        out[np.arange(self.rank), list(self.kept)] = 1.0
        out[:, list(self.dependent)] = self.shares
        return out

    @property
    def values(self) -> np.ndarray:
        """Base parameters (rank,) of the description."""
        terms = self.matrix * self.regressor.values
        total = terms.sum(axis=1)
        return np.where(np.abs(total) > ROUNDING * np.abs(terms).sum(axis=1), total, 0.0)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        return tuple(self.regressor.units[k] for k in self.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """The combinations as text: "platform.M + leg0.rod.M"."""
        names = self.regressor.names
        out = []
        for a, k in enumerate(self.kept):
            terms = [(1.0, names[k])]
            for b, d in enumerate(self.dependent):
                if self.shares[a, b]:
                    terms += _written(self.shares[a, b], self.formulas.get((k, d)), names[d])
            out.append(join_terms(terms))
        return tuple(out)

    def columns(self, Y: Any) -> np.ndarray:
        """Columns (..., rank) of a regressor Y (..., unknowns) that belong to the base parameters."""
        return np.asarray(Y)[..., list(self.kept)]

    def __str__(self) -> str:
        model, names = self.regressor.model, self.regressor.names
        g = np.array2string(self.gravity, precision=4, separator=", ")
        tied = self.tied if isinstance(self.tied, str) else ", ".join(" = ".join(t) for t in self.tied)
        how = "as formulas of the design" if self.exact else "in numbers where no formula of the joints gives them"
        gap = "more than 1e9 times" if self.gap > CLEAR else f"{self.gap:.2g} times"
        lines = [
            f"{model.robot.name}: {self.rank} base parameters of {len(names)} ({', '.join(self._kinds())})",
            f"gravity {g} m/s2; {'tied: ' if tied != 'apart' else ''}{tied}",
            f"the last singular value that counts is {gap} the next; combinations {how}",
        ]
        lines += [
            f"  {value: .6g} {unit}  {text}"
            for value, unit, text in zip(self.values, self.units, self.names, strict=True)
        ]
        if self.unseen:
            lines.append(f"no motion tells: {', '.join(names[k] for k in self.unseen)}")
        return "\n".join(lines)

    def _kinds(self) -> list[str]:
        return sorted({name.rsplit(".", 1)[-1] for name in self.regressor.names})

    def __repr__(self) -> str:
        return (
            f"<gough.BaseParameters {self.regressor.model.robot.name}: {self.rank} of {len(self.regressor.unknowns)}>"
        )


def _written(share: float, formula: Polynomial | None, name: str) -> list[tuple[float, str]]:
    if formula is None:
        return [(share, name)]
    if len(formula.terms) == 1:
        [(names, factor)] = formula.terms.items()
        return [(factor, f"{show_product(names)} {name}".strip())]
    return [(1.0, f"({formula}) {name}")]


@checked(model=a_model, parameters=word | words, tied=word | several(words))
def base_parameters(
    model: "Model",
    parameters: str | Sequence[str] = "inertia",
    tied: str | Sequence[Sequence[str]] = "apart",
) -> BaseParameters:
    """What motions of a robot tell of its parameters; arguments as for `gough.regressor`.

    Gravity is that of the description. States are random and assembled, the same on every run.
    """
    some = parameters if isinstance(parameters, str) else tuple(parameters)
    groups = tied if isinstance(tied, str) else tuple(map(tuple, tied))
    found = model.cached(("base parameters", some, groups), lambda: _base_parameters(model, some, groups))
    if found.gap < SAFE_GAP:
        values, rank = found.singular_values, found.rank
        warn(
            f"base_parameters: singular values of {model.robot.name} fall from {values[rank - 1]:.2g} to {values[rank]:.2g} "
            f"where their rank is cut ({rank}): a gap this small may hide a parameter or invent one. Look at .singular_values",
            RankWarning,
        )
    return found


def _base_parameters(
    model: "Model", parameters: str | tuple[str, ...], tied: str | tuple[tuple[str, ...], ...]
) -> BaseParameters:
    y = regressor(model, parameters, tied, rows="freedoms")
    W = _stacked(y)
    size = np.linalg.norm(W, axis=0)
    unseen = [k for k in range(len(size)) if size[k] <= ROUNDING * size.max() or _is_nothing(y, k)]
    seen = [k for k in range(len(size)) if k not in unseen]
    scaled = W[:, seen] / size[seen]
    values = np.linalg.svd(scaled, compute_uv=False)
    rank, gap = _rank(values)
    design = Design(model.mechanism, model.pattern, _design_names(model, tied))
    told = group(design, y.unknowns, unseen)
    first = [k for k in seen if k not in told.shares]
    if _rank(np.linalg.svd(scaled[:, [seen.index(k) for k in first]], compute_uv=False))[0] < rank:
        first = seen  # joints say too much: mass moved to a body of whose weight another share acts
    kept = sorted(_independent(scaled[:, [seen.index(k) for k in first]], first, rank))
    dependent = [k for k in seen if k not in kept]
    shares = np.linalg.lstsq(W[:, kept] / size[kept], W[:, dependent], rcond=None)[0] / size[kept][:, None]
    formulas = {}
    scale = size[kept][:, None] / size[dependent]
    shares[np.abs(shares) * scale < ROUNDING * 100] = 0.0
    for b, d in enumerate(dependent):
        if d in told.shares and set(told.shares[d]) <= set(kept):
            for a, k in enumerate(kept):
                formula = told.shares[d].get(k, Polynomial.of(0.0))
                value = formula.value(told.numbers)
                if abs(value - shares[a, b]) * scale[a, b] <= SAME:
                    formulas[k, d], shares[a, b] = formula, value
    gravity = np.array([model.parameters[i] for i in model.mechanism.gravity])
    return BaseParameters(y, tuple(kept), tuple(dependent), tuple(unseen), shares, formulas, values, gap, gravity, tied)


def _rank(values: np.ndarray) -> tuple[int, float]:
    """(number of singular values that count, the last of them over the next): cut where they fall most, among those that may be
    rounding."""
    if not len(values):
        return 0, np.inf
    floor = np.maximum(values, np.finfo(float).eps * values[0])
    gaps = floor[:-1] / floor[1:]
    gaps[floor[1:] > DOUBTFUL * values[0]] = 0.0
    if not gaps.any():
        return len(values), np.inf
    cut = int(np.argmax(gaps))
    return cut + 1, float(gaps[cut])


def _stacked(y: Regressor) -> np.ndarray:
    """Rows of the regressor (n, unknowns) at random assembled states, rows of equal kind scaled alike, and those of every state
    to be of its own size: where loops are nearly folded forces are huge, and their rounding would bury all others."""
    layout, rng = y.model.layout, np.random.default_rng(19900801)
    q = _wander(y.model, rng)
    q = q[_is_open(y.model, q)]
    each = -(-EQUATIONS * len(y.unknowns) // (layout.nv * len(q))) + 1
    v, vdot = rng.normal(size=(2, each, len(q), layout.nv))
    f = y.function
    once = Function(f.program, f.table, f.pattern, interpreted=True)  # compiling it does not pay for so few states
    state = {"q": np.broadcast_to(q, (each, *q.shape)), "v": v, "vdot": vdot, "parameters": y.model.parameters}
    Y = once(**state).outputs["Y"].reshape(-1, layout.nv, len(y.unknowns))
    Y = Y[np.isfinite(Y).all(axis=(1, 2))]
    size = np.median(np.abs(Y).max(axis=2, initial=0.0), axis=0) if len(Y) else np.ones(layout.nv)
    largest = np.abs(Y).max(axis=(0, 2), initial=0.0)
    size = np.where(size > ROUNDING * largest, size, np.where(largest > 0, largest, 1.0))
    Y = Y / size[:, None]
    own = np.linalg.norm(Y, axis=(1, 2))
    return (Y / np.where(own > 0, own, 1.0)[:, None, None]).reshape(-1, len(y.unknowns))


def _is_open(model: "Model", q: np.ndarray) -> np.ndarray:
    """Which of the configurations (n, nq) are far from those where a leg or loop is folded: as far as half of them at least."""
    serial = model.singularity(q).serial
    if not serial.shape[-1]:
        return np.ones(len(q), dtype=bool)
    least = np.nan_to_num(serial.min(axis=-1))
    return least >= min(OPEN, float(np.median(least)))


def _wander(model: "Model", rng: np.random.Generator) -> np.ndarray:
    """Configurations (n, nq) far and near: from those around home on, some steps in random directions."""
    layout, found = model.layout, [model.sampled_states["q"]]
    reach = np.array([STEP * model.mechanism.length if unit.startswith("m") else STEP for unit in layout.v_units])
    reach[layout.rigid :] = 0.0  # what bends stays as it is
    for _ in range(STEPS):
        start = found[-1]
        moved = model.integrate(start, rng.normal(size=(len(start), layout.nv)) * reach, on_bad_state="mark")
        moved = moved[np.isfinite(moved).all(axis=-1)]
        found += [moved] if len(moved) else []
    return np.concatenate(found)


def _is_nothing(y: Regressor, k: int) -> bool:
    """Whether a column is 0 by structure."""
    program, n = y.function.program, len(y.unknowns)
    own = program.results[k::n]
    return all(program.ops[i] == Op.CONST and program.args[i][0] == 0.0 for i in own)


def _independent(columns: np.ndarray, names: Sequence[int], rank: int) -> list[int]:
    """As many of the columns (n, k) as the rank is: one after the other the first that is nearly as far from those before it as
    any. Which one is farthest is often decided by rounding alone, which differs from call to call."""
    if len(names) <= rank:
        return list(names)
    left: Any = np.linalg.qr(columns, mode="r")
    chosen: list[int] = []
    for _ in range(rank):
        size = np.linalg.norm(left, axis=0)
        size[chosen] = 0.0
        best = int(np.flatnonzero(size > NEARLY * size.max())[0])
        chosen.append(best)
        along = left[:, best] / size[best]
        left = left - np.outer(along, along @ left)
    return [names[i] for i in chosen]


def _design_names(model: "Model", tied: str | Sequence[Sequence[str]]) -> dict[int, str]:
    """What parameters are called in formulas: where legs are tied, what is equal in all of them has one name."""
    names = dict(enumerate(model.parameter_names))
    if tied == "legs":
        geometry = [Unknown(name, "", model.parameters[i], (i,)) for i, name in names.items()]
        names |= {i: u.name for u in tie_legs(geometry, [leg.name for leg in model.robot.legs]) for i in u.places}
    return names
