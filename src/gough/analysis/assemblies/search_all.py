"""Forward geometry in all its answers: the assemblies a mechanism can have with given drive coordinates.

Many random starts of Newton's iteration find assemblies; for mechanisms with a closed solution it also gives them all, and
says so. Everything reported closes the loops to `closing.CLOSED`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.assemblies._likeness import ALIKE, groups, normal_form, rods, signature
from gough.analysis.assemblies._places import reach
from gough.analysis.assemblies._proofs import candidates
from gough.arguments import a_model, checked, design, numbers, whole
from gough.compilation.function import Function
from gough.errors import UsageError
from gough.kinematics.closing import CLOSED, close, closure_errors, directed_rows, row_scales
from gough.kinematics.retraction import normalise_quaternions, retract, step_units
from gough.model import Model
from gough.structure import Mechanism


@dataclass(frozen=True)
class Assemblies:
    """q (n, nq): the assemblies found, in an order that does not depend on chance.

    drives (drives,): what they have in common (m or rad). starts: random starts made; hits (n,): how many of them led to
    each assembly (0: known from the proof alone). closure_errors (n,): relative to the robot's size. conditions (n,):
    reciprocal condition of the closures with the drives held, 0 at a singularity. complete: whether there is a proof that
    there are no others; proof: by what. doubt: why it is not complete.
    """

    q: np.ndarray
    drives: np.ndarray
    starts: int
    hits: np.ndarray
    closure_errors: np.ndarray
    conditions: np.ndarray
    complete: bool
    proof: str
    doubt: str

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        verdict = f"complete: {self.proof}" if self.complete else "not proved complete"
        return f"<gough.Assemblies: {len(self.q)} from {self.starts} starts, {verdict}>"


@checked(model=a_model, drives=numbers, starts=whole(0, 10**7), seed=whole(0, 2**63), parameters=design)
def assemblies(
    model: Model,
    drives: Any,
    *,
    starts: int = 1024,
    seed: int = 0,
    parameters: Mapping[str, float] | np.ndarray | None = None,
) -> Assemblies:
    """All configurations found with drive coordinates (drives,), m or rad.

    starts: random starts, chosen by `seed`; more find more. Configurations that differ by full turns, or by rods turned
    about themselves in their universal joints, are one assembly. Idle freedoms are as at home: a wheel, a load that swings.
    Joint limits do not count.

    complete is True with a proof only: planar mechanisms that are built up from rods and platforms on three rods (five-bar,
    3-RRR, 3-RPR, 3-PRR and chains of such, at any tilt), and platforms that translate on rods.
    """
    values = np.asarray(drives, dtype=float)
    numbers = _parameters(model, parameters)
    if not model.mechanism.drives:
        raise UsageError(f"{model.robot.name} has no drives: there are no assemblies for drive positions")
    if values.shape != (len(model.mechanism.drives),):
        raise UsageError(f"drives has shape {values.shape}; expected ({len(model.mechanism.drives)},), one set")
    if not np.isfinite(values).all():
        raise UsageError("drives are not all finite")
    if isinstance(starts, bool) or int(starts) != starts or starts < 0:
        raise UsageError(f"starts={starts!r}; give a whole number, 0 or more")
    if model.mechanism.couplings:
        names = ", ".join(c.name for c in model.mechanism.couplings)
        raise UsageError(
            f"{model.robot.name} has couplings ({names}): whole turns of its wheels are other configurations, without end. "
            "Use model.configuration(drives=…, near=…)"
        )
    _demand_held(model)
    if model.mobility > len(model.mechanism.drives):
        raise UsageError(
            f"{model.robot.name} has {model.mobility} freedoms and {len(values)} drives: they do not fix its configuration"
        )
    found = search(model, values, numbers, int(starts), np.random.default_rng(seed))
    known = candidates(model, values, numbers)
    q, hits, doubts = _gathered(model, found, known, numbers)
    q = normal_form(model, q, numbers)
    order = np.lexsort(np.round(q, 6).T[::-1]) if len(q) else np.zeros(0, dtype=int)
    q, hits = q[order], hits[order]
    complete = known is not None and not doubts
    return Assemblies(
        q=q,
        drives=values,
        starts=int(starts),
        hits=hits,
        closure_errors=closure_errors(model, q, numbers) if len(q) else np.zeros(0),
        conditions=_conditions(model, q, numbers),
        complete=complete,
        proof=known.proof if known is not None and complete else "",
        doubt="; ".join(dict.fromkeys(doubts)),
    )


def _gathered(
    model: Model, found: np.ndarray, known: Any, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list]:
    """(assemblies, hits, doubts): finds and proved ones closed, judged and merged."""
    doubts = ["no method for this mechanism that finds all"] if known is None else list(known.doubts)
    parts = groups(signature(model, found))
    q, good = finish(model, found[[part[0] for part in parts]], parameters)
    hits = np.array([len(part) for part in parts], dtype=int)
    q, hits = q[good], hits[good]
    proved = np.zeros(len(q), dtype=bool)
    if known is not None and len(known.q):
        closed, sound = finish(model, known.q, parameters)
        moved = np.abs(signature(model, closed) - signature(model, known.q)).max(axis=1, initial=0.0)
        if not (sound & (moved < 1e2 * ALIKE)).all():
            doubts.append("a computed assembly does not close")
        q = np.concatenate([closed[sound], q])
        hits = np.concatenate([np.zeros(sound.sum(), dtype=int), hits])
        proved = np.concatenate([np.ones(sound.sum(), dtype=bool), proved])
    merged = groups(signature(model, q), _conditions(model, q, parameters))
    if known is not None and not known.doubts and not all(proved[part].any() for part in merged):
        doubts.append("the search has found an assembly that the computation does not have")
    return q[[part[0] for part in merged]], np.array([hits[part].sum() for part in merged], dtype=int), doubts


def _conditions(model: Model, q: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    columns = np.flatnonzero(free_columns(model))
    if not len(q) or not len(columns):
        return np.ones(len(q))
    G = model.function("closure_rows").values(q=q, parameters=parameters)["G"]
    scaled = (G / row_scales(model)[:, None] * step_units(model.mechanism, model.size))[:, :, columns]
    s = np.linalg.svd(scaled, compute_uv=False)
    idle = sum(len(rod.turning) == 1 for rod in rods(model.mechanism))
    last = len(columns) - idle - 1
    return s[:, last] / s[:, 0] if last < s.shape[1] else np.zeros(len(q))


def _parameters(model: Model, parameters: Any) -> np.ndarray:
    if parameters is None:
        return model.parameters[None]
    given = (
        model.parameters_with(parameters) if isinstance(parameters, Mapping) else np.asarray(parameters, dtype=float)
    )
    if given.size != len(model.parameters):
        raise UsageError(
            f"parameters has shape {given.shape}; assemblies are of one design, ({len(model.parameters)},)"
        )
    model.mechanism.table.check(given.reshape(-1), model.pattern)
    return given.reshape(1, -1)


# Newton's iteration on all loops at once from many random starts, drives held: assemblies a mechanism may have.

ITERATIONS = 60
POINTING = 4
"""Iterations with the platform held: rods turn towards their joints on it."""
LARGEST_STEP = 0.6
"""Largest step of an angle (rad), or of a length relative to the robot's reach."""
CHUNK = 1024
NEARLY = 1e-8
"""Closure error below which a start counts as arrived; the last digits come from `close`."""


def search(
    model: Model, drives: np.ndarray, parameters: np.ndarray, starts: int, rng: np.random.Generator
) -> np.ndarray:
    """Closed configurations (found, nq), as many as starts arrived, with drive coordinates (drives,)."""
    free = free_columns(model)
    out = [np.zeros((0, model.layout.nq))]
    for begin in range(0, starts, CHUNK):
        q = random_starts(model, drives, parameters, min(CHUNK, starts - begin), rng)
        held = free.copy()
        if model.mechanism.has_platform:
            held[:6] = False
            if held.any():
                q = newton(model, q, parameters, held, POINTING)[0]
        q, error = newton(model, q, parameters, free, ITERATIONS)
        out.append(q[error < NEARLY])
    return np.concatenate(out)


def finish(model: Model, q: np.ndarray, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq) closed to the last digits with drives held, whether each is closed, the right way round)."""
    q, error = close(model, normalise_quaternions(model.mechanism, q), parameters, free_columns(model))
    return q, error < CLOSED


def free_columns(model: Model) -> np.ndarray:
    """Mask (nu,) of the tree velocities that are no drive's, and no idle joint's."""
    free = np.ones(model.layout.nu, dtype=bool)
    free[[model.mechanism.links[d.link].u for d in model.mechanism.drives]] = False
    for i in idle_links(model.mechanism):
        free[model.mechanism.links[i].columns] = False
    return free


def idle_links(mechanism: Mechanism) -> list[int]:
    """Links that stay as at home: all their rates are idle. Rods on balls are not among them, `groups` knows these."""
    spinning = {i for rod in rods(mechanism) for i in rod.turning}
    idle = set(mechanism.selection.idle)
    own = [(i, link.columns) for i, link in enumerate(mechanism.links)]
    return [i for i, columns in own if len(columns) and idle.issuperset(columns) and i not in spinning]


def _demand_held(model: Model) -> None:
    """Refuse idle freedoms that are part of a joint only, which cannot be held as they are at home."""
    mechanism = model.mechanism
    known = {*idle_links(mechanism), *(i for rod in rods(mechanism) if len(rod.turning) == 1 for i in rod.turning)}
    held = {c for i in known for c in mechanism.links[i].columns}
    loose = [mechanism.layout.u_names[c] for c in mechanism.selection.idle if c not in held]
    if loose:
        raise UsageError(
            f"assemblies: {model.robot.name} turns idly by {', '.join(loose)}, about axes that differ from assembly to assembly: "
            "there are assemblies without end. Use model.configuration(drives=…, near=…)"
        )


def random_starts(
    model: Model, drives: np.ndarray, parameters: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Starts (count, nq): the platform anywhere within reach and turned anyhow, passive joints likewise."""
    centre, radius = reach(model, parameters)
    q = np.repeat(model.home[None], count, axis=0)
    idle = idle_links(model.mechanism)
    for i, link in enumerate(model.mechanism.links):
        if i in idle:
            continue
        own = parameters.reshape(-1)[list(link.dimensions)]
        found = link.motion.random(rng, count, (-radius, radius), own)
        if link.is_platform:
            found[:, :3] += centre
        elif link.motion.slides:
            found += q[:, link.coordinates]
        q[:, link.coordinates] = found
    q[:, model.drive_index] = drives
    return q


def newton(
    model: Model, q: np.ndarray, parameters: np.ndarray, free: np.ndarray, iterations: int
) -> tuple[np.ndarray, np.ndarray]:
    """(q, closure errors (n,)) after steps of least squares on all closures; only the columns `free` (nu,) move."""
    function = model.cached("closures in many states", lambda: _compiled(model))
    unit = step_units(model.mechanism, model.size)
    columns = np.flatnonzero(free)
    q, error = q.copy(), np.full(len(q), np.inf)
    largest = np.where(unit == 1.0, LARGEST_STEP, LARGEST_STEP * reach(model, parameters)[1] / model.size)[columns]
    active = np.arange(len(q))
    for _ in range(iterations):
        residual, G = directed_rows(model, function.values(q=q[active], parameters=parameters))
        G = G[:, :, columns]
        found = np.abs(residual).max(axis=1, initial=0.0)
        error[active] = np.where(np.isfinite(found), found, np.inf)
        going = (found >= NEARLY * 1e-3) & np.isfinite(found)
        active, residual, G = active[going], residual[going], G[going]
        if not len(active):
            break
        transposed = np.swapaxes(G, 1, 2)
        normal = transposed @ G
        trace = np.trace(normal, axis1=1, axis2=2)
        normal += (1e-13 * trace + 1e-300)[:, None, None] * np.eye(len(columns))
        part = np.linalg.solve(normal, transposed @ residual[..., None])[..., 0]
        part /= np.maximum((np.abs(part) / largest).max(axis=1), 1.0)[:, None]
        step = np.zeros((len(active), len(unit)))
        step[:, columns] = part
        q[active] = retract(model.mechanism, q[active], step * unit)
    else:
        residual, _ = directed_rows(model, function.values(q=q[active], parameters=parameters))
        error[active] = np.abs(residual).max(axis=1, initial=0.0)
    return q, error


def _compiled(model: Model) -> Function:
    return Function(model.function("closure_rows").program, model.mechanism.table, model.pattern)
