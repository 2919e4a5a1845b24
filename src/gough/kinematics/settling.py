"""The home configuration: from the description's guesses to closed loops, or an error that says what does not close."""

from typing import TYPE_CHECKING

import numpy as np

from gough.errors import StructureError
from gough.kinematics.closing import (
    CLOSED,
    ITERATIONS,
    best_fit,
    close,
    closure_errors,
    least_motion,
    loosened,
    rows_of,
)
from gough.kinematics.mobility import enough, null_space, regularity, scaled_closures
from gough.kinematics.openings import openings, turned_places
from gough.kinematics.retraction import neutral, normalised, periodic_coordinates
from gough.robot.checks.plausible import description_doubts
from gough.robot.tree import platform_joint
from gough.spatial.poses import (
    compose_poses,
    pose_array,
    pose_difference,
)

if TYPE_CHECKING:
    from gough.model.model import Model
    from gough.structure import CutJoint

STARTS = 192
NEARLY = 1e-4
"""Error up to which loops that stay open next to the guess are not given up for an assembly elsewhere."""
LITTLE = 1e-2
"""Error up to which loops are said to be open by a little."""
MOST_TRIED = 48
"""Assemblies that are looked at for one that is not singular."""
WELL_CONDITIONED = 0.05
"""Assemblies at least this well conditioned count as equally good: the nearest is taken."""
KEPT = 1e-6
"""Difference (rad, or relative to the robot's size) of a stated home coordinate from the one taken that is rounding."""


def home_guess(model: "Model") -> tuple[np.ndarray, np.ndarray]:
    """(q (nq,) with the description's home values, mask (nq,) of those that were given)."""
    robot, mechanism = model.robot, model.mechanism
    q = neutral(mechanism)
    known = np.zeros(len(q), dtype=bool)
    home = robot.home
    carrier = platform_joint(robot)
    if carrier is not None:
        q[:7] = pose_array(carrier.joint.placement)
        stated = None if home is None else home.joints.get(carrier.name)
        if stated is not None:
            q[:7] = compose_poses(q[:7], _unit(np.asarray(stated, dtype=float)))
            known[:7] = True
    if home is None:
        return q, known
    if home.pose is not None and mechanism.has_platform:
        q[:7] = pose_array(home.pose)
        known[:7] = True
    for name, values in home.joints.items():
        links = [link for link in mechanism.links if link.joint == name]  # none: the platform's, see above
        index = [link.q + j for link in links for j in range(link.nq)]
        if index:
            q[index] = values
            known[index] = True
    return normalised(mechanism, q), known


def stated_home(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """The home (nq,) that is stated: all joints as they are given where that closes the loops, the pose found to them where
    it is left out. None where joints are left out, or do not fit together."""
    joints = [c for link in model.mechanism.links if not link.is_platform for c in link.coordinates]
    if not joints or not known[joints].all():
        return None
    starts = start[None] if known.all() else random_starts(model, start, known)
    for tried in (starts[:1], starts[1:]):
        q, error = close(model, tried, model.parameters[None], _free(model, known))
        found = _nearest(model, q, error, start)
        if found:
            return q[found[0]]
    return None


def not_kept(model: "Model") -> list[tuple[float, str]]:
    """What `home.joints` states and the home does not have: how far off (rad, or of the robot's size), and in words
    "elbow: 30 deg stated, 34.2 deg taken"; the largest first."""
    stated, known = home_guess(model)
    out = _platform_not_kept(model)
    for link in model.mechanism.links:
        own = slice(link.q, link.q + link.nq)
        if link.is_platform or not link.nq or not known[own].all():
            continue
        was, now, unit = stated[own], model.home[own], model.layout.q_units[link.q]
        if link.quaternion is not None:
            off = 2.0 * float(np.arcsin(min(1.0, 0.5 * min(np.linalg.norm(was - now), np.linalg.norm(was + now)))))
        else:
            off = abs(float(_wrapped(model, model.home - stated)[link.q])) / (model.size if unit == "m" else 1.0)
        if off > KEPT:
            scale, word = (180.0 / np.pi, " deg") if unit == "rad" else (1e3, " mm") if unit == "m" else (1.0, "")
            texts = [", ".join(f"{x * scale:.6g}" for x in values) for values in (was, now)]
            texts = [f"[{text}]" if len(was) > 1 else text for text in texts]
            name = link.joint if link.quaternion is not None else model.layout.q_names[link.q]
            out.append((off, f"{name}: {texts[0]}{word} stated, {texts[1]}{word} taken"))
    return sorted(out, key=lambda x: -x[0])


def _platform_not_kept(model: "Model") -> list[tuple[float, str]]:
    """The same for the free joint that the platform's pose stands for."""
    carrier = platform_joint(model.robot)
    stated = None if carrier is None else model.robot.home.joints.get(carrier.name)
    if carrier is None or stated is None:
        return []
    pose = compose_poses(pose_array(carrier.joint.placement), _unit(np.asarray(stated, dtype=float)))
    off = np.abs(pose_difference(pose, model.home[:7])) / np.array([model.size] * 3 + [1.0] * 3)
    texts = [", ".join(f"{x:.6g}" for x in values) for values in (pose, model.home[:7])]
    said = f"{carrier.name}: the platform at [{texts[0]}] stated, at [{texts[1]}] taken"
    return [(float(off.max()), said)] if off.max() > KEPT else []


def _unit(pose: np.ndarray) -> np.ndarray:
    return np.concatenate([pose[:3], pose[3:] / np.linalg.norm(pose[3:])])


def settle(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Closed q (nq,) next to `start`: given values are kept where that is possible, then given as few as it takes.

    A start that runs into a joint put in turned is no answer to whether given values can be kept: more starts are.
    """
    mechanism = model.mechanism
    start = carry_platform(model, start, known)
    drives = np.zeros(len(start), dtype=bool)
    drives[model.drive_index] = True
    pose = np.zeros(len(start), dtype=bool)
    pose[: mechanism.layout.n_pose] = True

    def good(q: np.ndarray, held: np.ndarray) -> bool:
        return bool(not (known & pose).any() or held[pose].all() or may_adjust(model, q))

    for held in (known, known & (pose | drives), known & pose, known & drives):
        q, error = close(model, start[None], model.parameters[None], _free(model, held))
        if error[0] < CLOSED and good(q[0], held):
            return q[0]
        if turned_places(model, q, model.parameters[None])[0]:
            q, error = close(model, random_starts(model, start, held), model.parameters[None], _free(model, held))
            for k in _nearest(model, q, error, start):
                if good(q[k], held):
                    return q[k]
    stated = known & pose
    nearby = None if mechanism.tolerances else fitted_nearby(model, start, stated, NEARLY)
    if nearby is not None:
        q, error = close(model, nearby[None], model.parameters[None], _free(model, stated), iterations=4 * ITERATIONS)
        if error[0] < CLOSED and np.abs(q[0] - nearby).max() < NEARLY and good(q[0], stated):
            return q[0]
        text = f"the home configuration cannot be assembled: {open_loops(model, nearby)}"
        raise StructureError(f"{model.robot.name}: {text}")
    for guessed in (known, stated) if (known & ~pose).any() else (known,):  # then far guesses are no help either
        q, error = close(model, random_starts(model, start, guessed), model.parameters[None])
        closed = _nearest(model, q, error, start)
        if closed and good(q[closed[0]], np.zeros_like(known)):
            return q[closed[0]]
    best = best_fit(model, random_starts(model, start, stated), _free(model, stated))
    if closure_errors(model, best[None], model.parameters[None])[0] < CLOSED:
        return best
    raise StructureError(f"{model.robot.name}: the home configuration cannot be assembled: {open_loops(model, best)}")


def regular_home(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """Closed q (nq,) that is not singular, with all that is given; None where that leaves no choice.

    The nearest to `start` of those that are well conditioned, else the best conditioned one.
    """
    free = _free(model, known)
    if known.all() or not free.any():
        return None
    q, error = close(model, random_starts(model, start, known), model.parameters[None], free)
    best, merit = None, 0.0
    for k in _nearest(model, q, error, start)[:MOST_TRIED]:
        found = min(regularity(model, q[k]), WELL_CONDITIONED)
        if found > merit:
            best, merit = q[k], found
        if merit == WELL_CONDITIONED:
            break
    return best


def fitted_nearby(model: "Model", start: np.ndarray, held: np.ndarray, share: float) -> np.ndarray | None:
    """q (nq,) next to `start` where no loop is open by more than this share of the robot's size; None if there is none.

    Loops that do not quite fit may fit exactly elsewhere, far away; what is meant is here.
    """
    with loosened(model, share):
        q, error = close(model, start[None], model.parameters[None], _free(model, held))
    return q[0] if error[0] < CLOSED else None


def _nearest(model: "Model", q: np.ndarray, error: np.ndarray, start: np.ndarray) -> list[int]:
    """Those of q (n, nq) that are closed, the nearest to `start` first."""
    away = np.abs(_wrapped(model, q - start)).sum(axis=1)
    order = np.argsort(np.round(away, 9), kind="stable")
    return [int(k) for k in order if error[k] < CLOSED]


def carry_platform(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """`start` with the joints that carry a named platform led to its stated pose, as far as they can; without one the
    platform is where they are."""
    tie = _tie(model)
    carried = carried_pose(model, start, known)
    if carried is not None:
        return np.concatenate([carried, start[7:]])
    if tie is None or not known[:7].all():
        return start
    held = known.copy()
    for i, link in enumerate(model.mechanism.links):
        if i not in model.mechanism.path_to_root(tie.first):
            held[link.q : link.q + link.nq] = True
    q, error = close(model, start[None], model.parameters[None], _free(model, held), rows_of(model, [tie]))
    return q[0] if error[0] < 1e-3 else start


def carried_pose(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """Pose (7,) that the joints of `start` give a named platform, where none is stated; else None."""
    tie = _tie(model)
    if tie is None or known[:7].any():
        return None
    held = np.ones(len(start), dtype=bool)
    held[:7] = False
    starts = random_starts(model, start, held)
    q, error = close(model, starts, model.parameters[None], _free(model, held), rows_of(model, [tie]))
    return q[int(np.argmin(np.round(error, 9))), :7] if error.min() < CLOSED else None


def carriers_known(model: "Model", known: np.ndarray) -> bool:
    """Whether all joints that carry a named platform are given."""
    tie = _tie(model)
    carrying = [] if tie is None else [model.mechanism.links[i] for i in model.mechanism.path_to_root(tie.first)]
    return tie is not None and all(known[link.q : link.q + link.nq].all() for link in carrying)


def _tie(model: "Model") -> "CutJoint | None":
    """The fixed cut that ties a named platform to the joints that carry it."""
    mechanism = model.mechanism
    return next(
        (c for c in mechanism.cuts if mechanism.has_platform and c.name == f"{mechanism.platform.name}.platform"), None
    )


def may_adjust(model: "Model", q: np.ndarray) -> bool:
    """Whether a stated home pose may give way: only a platform with fewer than six freedoms follows from its legs."""
    _, null = null_space(scaled_closures(model, q[None])[0], least_motion(model))
    return bool(np.linalg.matrix_rank(null[:6], tol=1e-6) < 6)


def _free(model: "Model", held: np.ndarray) -> np.ndarray:
    """Mask (nu,) of tree velocities that may move when entries of q (nq,) are held."""
    free = np.ones(model.mechanism.layout.nu, dtype=bool)
    for link in model.mechanism.links:
        if link.elastic is not None:
            free[list(link.elastic.columns)] = False  # at home nothing is bent
        if link.nq and held[link.q : link.q + link.nq].all():
            free[list(link.columns)] = False
    return free


def random_starts(model: "Model", start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Starts (STARTS, nq): `start` itself, then random values for all joints that were not given."""
    rng = np.random.default_rng(77)
    q = np.repeat(start[None], STARTS, axis=0)
    for link in model.mechanism.links:
        if link.nq == 0 or known[link.q : link.q + link.nq].all():
            continue
        own = model.parameters[list(link.dimensions)]
        q[1:, link.coordinates] = link.motion.scattered(rng, q[1:, link.coordinates], model.size, own)
    return q


def _wrapped(model: "Model", difference: np.ndarray) -> np.ndarray:
    angular = np.isin(np.arange(model.layout.nq), periodic_coordinates(model.mechanism))
    return np.where(angular, np.remainder(difference + np.pi, 2 * np.pi) - np.pi, difference)


def open_loops(model: "Model", q: np.ndarray) -> str:
    """What is left open at q, the worst loops first, and what may be wrong."""
    q = _each_closed(model, q)
    left = [o for o in openings(model, q) if not o.error < CLOSED]
    parts = [f"{o.cut.name} stays {o.text or 'open'}" for o in left]
    shown = "; ".join(parts[:4]) + (f" and {len(parts) - 4} more" if len(parts) > 4 else "")
    change = (
        "Change home (pose or joints: guesses that choose the assembly), or the lengths and joint axes of these loops"
    )
    if any(o.turned for o in left):
        change += "; where a joint is meant to be put in that way round, turn its frame on one side"
    elif max(o.error for o in left) < LITTLE:
        change += f". If they may stay open a little, say so: `closure_tolerance: {enough(left)}`"
    doubts = [text for text in description_doubts(model.robot) if "millimetres" in text]
    return " ".join([f"{shown}. {change}.", *doubts])


def _each_closed(model: "Model", q: np.ndarray) -> np.ndarray:
    """q (nq,) with each loop closed that can be closed by itself, the platform held: far misses of others hide how near it is."""
    mechanism = model.mechanism
    held = np.zeros(len(q), dtype=bool)
    held[: mechanism.layout.n_pose] = True
    for opening in sorted(openings(model, q), key=lambda o: o.error):
        if opening.error < CLOSED:
            continue
        rows = rows_of(model, [opening.cut])
        tried, error = close(model, q[None], model.parameters[None], _free(model, held), rows)
        before, after = ({o.cut.name: o.error for o in openings(model, x)} for x in (q, tried[0]))
        if error[0] < CLOSED and all(after[n] <= max(before[n], CLOSED) * 1.01 for n in after):
            q = tried[0]
    return q
