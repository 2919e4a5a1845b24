"""The home configuration: from the description's guesses to closed loops, or an error that says what does not close."""

import numpy as np

from gough.errors import StructureError
from gough.kinematics.closing import (
    CLOSED,
    ITERATIONS,
    best_fit,
    close,
    closure_errors,
    least_motion,
    rows_of,
)
from gough.kinematics.linkage import Linkage, loosen
from gough.kinematics.mobility import allowance, null_space, regularity, scaled_closures
from gough.kinematics.openings import openings, turned_places
from gough.kinematics.retraction import (
    comparable_coordinates,
    coordinate_sizes,
    neutral,
    normalise_quaternions,
    pitch_of,
    wrap_angles,
)
from gough.kinematics.tilted_axes import say_odd_axes, worst_tilt
from gough.robot import Robot
from gough.robot.checks.plausible import description_doubts
from gough.robot.tree import guided_home, platform_joint
from gough.spatial.poses import (
    compose_poses,
    pose_array,
    pose_difference,
)
from gough.structure import CutJoint, LinearClosure, Structure

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


def home_guess(mechanism: Structure, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """(q (nq,) with the description's home values, mask (nq,) of those that were given)."""
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
    for name, values in (guided_home(robot) | home.joints).items():
        links = [link for link in mechanism.links if link.joint == name]  # none: the platform's, see above
        index = [link.q + j for link in links for j in range(link.nq)]
        if index:
            q[index] = values
            known[index] = True
    return normalise_quaternions(mechanism, q), known


def with_screws_counted(linkage: Linkage, q: np.ndarray, known: np.ndarray) -> np.ndarray:
    """q (nq,) with screws that are not given turned as often as the others' places say: what is left open along their axes."""
    structure = linkage.structure
    loose = [(i, link) for i, link in enumerate(structure.links) if pitch_of(structure, link) and not known[link.q]]
    if not loose or not structure.rows:
        return q
    out, rows = q.copy(), linkage.function("closure_rows").values(q=q[None], parameters=linkage.parameters)
    for i, link in loose:
        cut = next((c for c in structure.cuts if i in (c.first, c.second)), None)
        lengths = [cut.row + k for k, power in enumerate(cut.row_lengths) if power == 1] if cut is not None else []
        along, gap = rows["G"][0, lengths, link.u], rows["residual"][0, lengths]
        if along @ along > 0.0:
            out[link.q] += along @ gap / (along @ along)
    return out


def uncounted_screws(structure: Structure, robot: Robot) -> list[str]:
    """Screws of which the description's home does not say how often they are turned."""
    _, known = home_guess(structure, robot)
    return [structure.layout.q_names[k.q] for k in structure.links if pitch_of(structure, k) and not known[k.q]]


def stated_home(linkage: Linkage, start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """The home (nq,) that is stated: all joints as they are given where that closes the loops, the pose found to them where
    it is left out. None where joints are left out, or do not fit together."""
    joints = [c for link in linkage.structure.links if not link.is_platform for c in link.coordinates]
    if not joints or not known[joints].all():
        return None
    starts = start[None] if known.all() else random_starts(linkage, start, known)
    for tried in (starts[:1], starts[1:]):
        q, error = close(linkage, tried, linkage.parameters[None], _free(linkage, known))
        found = _nearest(linkage, q, error, start)
        if found:
            return q[found[0]]
    return None


def not_kept(structure: Structure, robot: Robot, home: np.ndarray) -> list[tuple[float, str]]:
    """What `home.joints` states and the home does not have: how far off (rad, or of the robot's size), and in words
    "elbow: 30 deg stated, 34.2 deg taken"; the largest first."""
    stated, known = home_guess(structure, robot)
    out, sizes = _platform_not_kept(structure, robot, home), coordinate_sizes(structure, structure.length)
    for link in structure.links:
        own = slice(link.q, link.q + link.nq)
        if link.is_platform or not link.nq or not known[own].all():
            continue
        was, now, unit = stated[own], home[own], structure.layout.q_units[link.q]
        if link.quaternion is not None:
            off = 2.0 * float(np.arcsin(min(1.0, 0.5 * min(np.linalg.norm(was - now), np.linalg.norm(was + now)))))
        else:
            way = structure.length / pitch if (pitch := pitch_of(structure, link)) else 1.0
            off = abs(float(wrap_angles(structure, home - stated)[link.q])) / max(sizes[link.q], way)
        if off > KEPT:
            scale, word = (180.0 / np.pi, " deg") if unit == "rad" else (1e3, " mm") if unit == "m" else (1.0, "")
            texts = [", ".join(f"{x * scale:.6g}" for x in values) for values in (was, now)]
            texts = [f"[{text}]" if len(was) > 1 else text for text in texts]
            name = link.joint if link.quaternion is not None else structure.layout.q_names[link.q]
            out.append((off, f"{name}: {texts[0]}{word} stated, {texts[1]}{word} taken"))
    return sorted(out, key=lambda x: -float(f"{x[0]:.6g}"))  # rounding does not put legs that are alike out of order


def _platform_not_kept(structure: Structure, robot: Robot, home: np.ndarray) -> list[tuple[float, str]]:
    """The same for the free joint that the platform's pose stands for."""
    carrier = platform_joint(robot)
    stated = None if carrier is None else robot.home.joints.get(carrier.name)
    if carrier is None or stated is None:
        return []
    pose = compose_poses(pose_array(carrier.joint.placement), _unit(np.asarray(stated, dtype=float)))
    off = np.abs(pose_difference(pose, home[:7])) / np.array([structure.length] * 3 + [1.0] * 3)
    texts = [", ".join(f"{x:.6g}" for x in values) for values in (pose, home[:7])]
    said = f"{carrier.name}: the platform at [{texts[0]}] stated, at [{texts[1]}] taken"
    return [(float(off.max()), said)] if off.max() > KEPT else []


def _unit(pose: np.ndarray) -> np.ndarray:
    return np.concatenate([pose[:3], pose[3:] / np.linalg.norm(pose[3:])])


def settle(linkage: Linkage, robot: Robot, start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Closed q (nq,) next to `start`: given values are kept where that is possible, then given as few as it takes.

    A start that runs into a joint put in turned is no answer to whether given values can be kept: more starts are. So they are
    where nothing but drives is given: the robot may stand there in another assembly. Joints that no closure contains stay.
    """
    mechanism = linkage.structure
    start = carry_platform(linkage, start, known)
    apart = apart_from_loops(linkage, known)
    drives = np.zeros(len(start), dtype=bool)
    drives[mechanism.drive_index] = True
    pose = np.zeros(len(start), dtype=bool)
    pose[: mechanism.layout.n_pose] = True

    def good(q: np.ndarray, held: np.ndarray) -> bool:
        return bool(not (known & pose).any() or held[pose].all() or may_adjust(linkage, q))

    for held in (known, known & (pose | drives), known & pose, known & drives):
        still = held | apart
        q, error = close(linkage, start[None], linkage.parameters[None], _free(linkage, still))
        if error[0] < CLOSED and good(q[0], held):
            return q[0]
        driven = held.any() and not (held & ~drives).any()
        if driven or turned_places(linkage, q, linkage.parameters[None])[0]:
            q, error = close(
                linkage, random_starts(linkage, start, still), linkage.parameters[None], _free(linkage, still)
            )
            for k in _nearest(linkage, q, error, start):
                if good(q[k], held):
                    return q[k]
    stated, still = known & pose, (known & pose) | apart
    nearby = None if mechanism.tolerances else find_fit_nearby(linkage, start, still, NEARLY)
    if nearby is not None:
        q, error = close(
            linkage, nearby[None], linkage.parameters[None], _free(linkage, still), iterations=4 * ITERATIONS
        )
        if error[0] < CLOSED and np.abs(q[0] - nearby).max() < NEARLY and good(q[0], stated):
            return q[0]
        text = f"the home configuration cannot be assembled: {open_loops(linkage, robot, nearby)}"
        raise StructureError(f"{linkage.structure.name}: {text}")
    for guessed in (known, stated) if (known & ~pose).any() else (known,):  # then far guesses are no help either
        free = _free(linkage, apart) if apart.any() else None
        q, error = close(linkage, random_starts(linkage, start, guessed | apart), linkage.parameters[None], free)
        closed = _nearest(linkage, q, error, start)
        if closed and good(q[closed[0]], np.zeros_like(known)):
            return q[closed[0]]
    best = best_fit(linkage, random_starts(linkage, start, still), _free(linkage, still))
    for found in (best, _each_closed(linkage, best)):
        if closure_errors(linkage, found[None], linkage.parameters[None])[0] < CLOSED:
            return found
    told = open_loops(linkage, robot, _fit_open(linkage, start, still, best))
    raise StructureError(f"{linkage.structure.name}: the home configuration cannot be assembled: {told}")


def _fit_open(linkage: Linkage, start: np.ndarray, held: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Where loops are open by little at most, else `best` (nq,): a sum of squares may rather leave one of them far open."""
    starts, free = random_starts(linkage, start, held), _free(linkage, held)
    for share in (1e-3, LITTLE):
        q, error = close(loosen(linkage, share), starts, linkage.parameters[None], free)
        near = _nearest(linkage, q, error, start)
        if near:
            return q[near[0]]
    return best


def regular_home(linkage: Linkage, start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """Closed q (nq,) that is not singular, with all that is given; None where that leaves no choice.

    The nearest to `start` of those that are well conditioned, else the best conditioned one.
    """
    still = known | apart_from_loops(linkage, known)
    free = _free(linkage, still)
    if still.all() or not free.any():
        return None
    q, error = close(linkage, random_starts(linkage, start, still), linkage.parameters[None], free)
    best, merit = None, 0.0
    for k in _nearest(linkage, q, error, start)[:MOST_TRIED]:
        found = min(regularity(linkage, q[k]), WELL_CONDITIONED)
        if found > merit:
            best, merit = q[k], found
        if merit == WELL_CONDITIONED:
            break
    return best


def find_fit_nearby(linkage: Linkage, start: np.ndarray, held: np.ndarray, share: float) -> np.ndarray | None:
    """q (nq,) next to `start` where no loop is open by more than this share of the robot's size; None if there is none.

    Loops that do not quite fit may fit exactly elsewhere, far away; what is meant is here.
    """
    q, error = close(loosen(linkage, share), start[None], linkage.parameters[None], _free(linkage, held))
    return q[0] if error[0] < CLOSED else None


def _nearest(linkage: Linkage, q: np.ndarray, error: np.ndarray, start: np.ndarray) -> list[int]:
    """Those of q (n, nq) that are closed, the nearest to `start` first."""
    away = np.abs(wrap_angles(linkage.structure, q - start) * comparable_coordinates(linkage.structure)).sum(axis=1)
    order = np.argsort(np.round(away, 9), kind="stable")
    return [int(k) for k in order if error[k] < CLOSED]


def carry_platform(linkage: Linkage, start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """`start` with the joints that carry a named platform led to its stated pose, as far as they can; without one the
    platform is where they are."""
    tie = _tie(linkage)
    carried = carried_pose(linkage, start, known)
    if carried is not None:
        return np.concatenate([carried, start[7:]])
    if tie is None or not known[:7].all():
        return start
    held = known.copy()
    for i, link in enumerate(linkage.structure.links):
        if i not in linkage.structure.path_to_root(tie.first):
            held[link.q : link.q + link.nq] = True
    q, error = close(linkage, start[None], linkage.parameters[None], _free(linkage, held), rows_of(linkage, [tie]))
    return q[0] if error[0] < 1e-3 else start


def carried_pose(linkage: Linkage, start: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """Pose (7,) that the joints of `start` give a named platform, where none is stated; else None."""
    tie = _tie(linkage)
    if tie is None or known[:7].any():
        return None
    held = np.ones(len(start), dtype=bool)
    held[:7] = False
    starts = random_starts(linkage, start, held)
    q, error = close(linkage, starts, linkage.parameters[None], _free(linkage, held), rows_of(linkage, [tie]))
    return q[int(np.argmin(np.round(error, 9))), :7] if error.min() < CLOSED else None


def carriers_known(linkage: Linkage, known: np.ndarray) -> bool:
    """Whether all joints that carry a named platform are given."""
    tie = _tie(linkage)
    carrying = [] if tie is None else [linkage.structure.links[i] for i in linkage.structure.path_to_root(tie.first)]
    return tie is not None and all(known[link.q : link.q + link.nq].all() for link in carrying)


def _tie(linkage: Linkage) -> CutJoint | None:
    """The fixed cut that ties a named platform to the joints that carry it."""
    mechanism = linkage.structure
    return next(
        (c for c in mechanism.cuts if mechanism.has_platform and c.name == f"{mechanism.platform.name}.platform"), None
    )


def may_adjust(linkage: Linkage, q: np.ndarray) -> bool:
    """Whether a stated home pose may give way: only a platform with fewer than six freedoms follows from its legs."""
    _, null = null_space(scaled_closures(linkage, q[None])[0], least_motion(linkage))
    return bool(np.linalg.matrix_rank(null[:6], tol=1e-6) < 6)


def apart_from_loops(linkage: Linkage, known: np.ndarray) -> np.ndarray:
    """Mask (nq,) of coordinates that no closure contains: wherever they are, they neither open nor close a loop.

    A platform that is one of the bodies has a closure of its own, which moves its pose alone where this is not stated.
    """
    structure, tie = linkage.structure, _tie(linkage)
    terms = {term.q for coupling in structure.couplings for term in coupling.terms}
    inside = {i for i, link in enumerate(structure.links) if terms & set(link.coordinates)}
    for cut in structure.cuts:
        if cut is tie and not known[:7].any():
            inside.add(0)
        else:
            inside |= set(structure.path_to_root(cut.first)) ^ set(structure.path_to_root(cut.second))
    out = np.zeros(len(known), dtype=bool)
    out[[c for i, link in enumerate(structure.links) if i not in inside for c in link.coordinates]] = True
    return out


def _free(linkage: Linkage, held: np.ndarray) -> np.ndarray:
    """Mask (nu,) of tree velocities that may move when entries of q (nq,) are held."""
    free = np.ones(linkage.structure.layout.nu, dtype=bool)
    for link in linkage.structure.links:
        if link.elastic is not None:
            free[list(link.elastic.columns)] = False  # at home nothing is bent
        if link.nq and held[link.q : link.q + link.nq].all():
            free[list(link.columns)] = False
    return free


def random_starts(linkage: Linkage, start: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Starts (STARTS, nq): `start` itself, then random values for all joints that were not given."""
    rng = np.random.default_rng(77)
    q = np.repeat(start[None], STARTS, axis=0)
    for link in linkage.structure.links:
        if link.nq == 0 or known[link.q : link.q + link.nq].all():
            continue
        own = linkage.parameters[list(link.dimensions)]
        q[1:, link.coordinates] = link.motion.scattered_coordinates(
            rng, q[1:, link.coordinates], linkage.structure.length, own
        )
    return q


def open_loops(linkage: Linkage, robot: Robot, q: np.ndarray) -> str:
    """What is left open at q, the worst loops first, and what may be wrong."""
    each = [o for o in openings(linkage, _each_closed(linkage, q)) if not o.error < CLOSED]
    left = each or [o for o in openings(linkage, q) if not o.error < CLOSED]
    parts = [f"{o.cut.name} stays {o.text or 'open'}" for o in left]
    shown = "; ".join(parts[:4]) + (f" and {len(parts) - 4} more" if len(parts) > 4 else "")
    change = (
        "Change home (pose or joints: guesses that choose the assembly), or the lengths and joint axes of these loops"
    )
    related = [o.cut.name for o in left if isinstance(o.cut, LinearClosure)]
    if related:
        change += f"; or the ratio or offset of {', '.join(related)} (`offset: home` takes what home's joints state)"
    if any(o.turned for o in left):
        change += "; where a joint is meant to be put in that way round, turn its frame on one side"
    elif max((o.error for o in left), default=1.0) < LITTLE:
        cuts = [o.cut for o in left if isinstance(o.cut, CutJoint)]
        tilt, odd = worst_tilt(linkage, q, cuts), say_odd_axes(linkage, q, cuts).removeprefix("; ")
        if odd:
            shown = f"{shown}. First look at this: {odd}; with that axis as it is, what is left open may say little"
        change += f". Here {tilt}" if tilt else ""
        meant = "If that axis is meant, and the loops" if odd else "If they"
        change += f". {meant} may stay open a little, say so: {allowance(left, tilt)}"
    doubts = [text for text in description_doubts(robot) if "millimetres" in text]
    return " ".join([f"{shown}. {change}.", *doubts])


def _each_closed(linkage: Linkage, q: np.ndarray) -> np.ndarray:
    """q (nq,) with each loop closed that can be closed by itself, the platform held: far misses of others hide how near it is."""
    mechanism = linkage.structure
    held = np.zeros(len(q), dtype=bool)
    held[: mechanism.layout.n_pose] = True
    for opening in sorted(openings(linkage, q), key=lambda o: o.error):
        if opening.error < CLOSED:
            continue
        rows = rows_of(linkage, [opening.cut])
        tried, error = close(linkage, q[None], linkage.parameters[None], _free(linkage, held), rows)
        before, after = ({o.cut.name: o.error for o in openings(linkage, x)} for x in (q, tried[0]))
        if error[0] < CLOSED and all(after[n] <= max(before[n], CLOSED) * 1.01 for n in after):
            q = tried[0]
    return q
