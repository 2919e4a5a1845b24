"""Leading the closed robot to a pose, to drive positions or to named coordinates, for any mobility."""

from typing import TypeVar

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of
from gough.compilation.status import are_good
from gough.errors import GOOD, Site, Status, UsageError
from gough.kinematics.closing import OF_DIRECTIONS, slack
from gough.kinematics.following import follow, tree_rates
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.mobility import choose
from gough.kinematics.retraction import (
    coordinate_sizes,
    normalise_quaternions,
    periodic_coordinates,
    step_units,
    wrap_angle,
)
from gough.spatial.euler import coordinates_of, euler_matrix
from gough.spatial.poses import pose_difference, quaternion_product, rotation_vector, rotation_vector_matrix

Led = TypeVar("Led", bound=LedLinkage)
COORDINATES = ("x", "y", "z", "yaw", "pitch", "roll")
OF_TWIST = {"vx": "x", "vy": "y", "vz": "z", "wx": "roll", "wy": "pitch", "wz": "yaw"}
"""The coordinate that is led where a component of the twist is independent."""
LONGEST_TURN = 1.0
"""Longest turn (rad) that is led in one piece."""
SHORTER = 6
"""How much shorter the pieces are in the second attempt."""
POSE_TOLERANCE = 1e-8
"""Accepted difference between the pose asked for and the one that the robot's freedoms allow (sizes, rad)."""


def pose_led(
    linkage: LedLinkage, poses: np.ndarray, parameters: ParameterRows, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failures) at platform poses (n, 7), from `near` (default home); other freedoms stay where they are, a
    ball joint's without turning about the axes whose rates are independent.

    A platform with fewer than six freedoms cannot take every pose: one it cannot take is out of reach.
    """
    led = led_by_platform(linkage)
    columns = led.mechanism.selection.independent
    on_platform = [k for k, c in enumerate(columns) if c < 6]
    start = _starts(linkage, near, len(poses))
    balls = _ball_rates(led)

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        out = np.zeros((len(q), len(columns)))
        out[:, on_platform] = pose_difference(q[:, :7], poses[states])[:, [columns[k] for k in on_platform]]
        return turn_back(out, balls, start[states], q)

    q, failures = follow(led, start, parameters, misses)
    off = np.abs(pose_difference(q[:, :7], poses)) / np.array([linkage.size] * 3 + [1.0] * 3)
    wrong = (failures == GOOD) & ~(off.max(axis=1) < max(POSE_TOLERANCE, slack(linkage) / OF_DIRECTIONS))
    failures[wrong] = Status.OUT_OF_REACH.at("platform")
    q[failures != GOOD] = np.nan
    q[:, :7] = np.where((failures == GOOD)[:, None], q[:, :7], poses)
    return q, failures


def led_by_platform(linkage: Led) -> Led:
    """The robot with as much of the platform's twist in v as the platform has freedoms; the rest of v as it is."""
    return linkage.cached("led by the platform", lambda: _led_by_platform(linkage))


def _led_by_platform(linkage: Led) -> Led:
    own = list(linkage.mechanism.selection.independent)
    elastic = own[linkage.layout.mobility :]
    around = np.concatenate([linkage.home[None], linkage.sampled_states["q"]])
    unit = step_units(linkage.mechanism, linkage.size)
    rates = tree_rates(linkage, around, linkage.parameters[None]) / unit[:, None] * unit[own]
    good = np.isfinite(rates).all(axis=(1, 2))
    taken = choose(rates[good], list(range(6)), len(own), first=elastic)
    if len(taken) - len(elastic) <= sum(c < 6 for c in own):
        return linkage
    taken = choose(rates[good], own, len(own), first=taken)
    rigid = [c for c in taken if c not in elastic]
    return linkage if len(taken) < len(own) else linkage.led_by([*rigid, *elastic], around[good])


def step_led(
    linkage: LedLinkage, start: np.ndarray, steps: np.ndarray, parameters: ParameterRows
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failures) when v moves `start` (n, nq) by `steps` (n, nv): coordinates by their step, rotations in space by
    a rotation vector whose components that v has are the step's.

    Long turns are made in pieces, so that rotation vectors stay short; states that fail are tried in shorter ones.
    """
    begin = normalise_quaternions(linkage.mechanism, start)
    turning = _turning(linkage)
    longest = np.abs(steps[:, turning]).max(initial=0.0) if len(turning) else 0.0
    if not np.isfinite(longest):
        longest = 0.0
    pieces = max(1, int(np.ceil(longest / LONGEST_TURN)))
    q, failures = _in_pieces(linkage, begin, steps, parameters, pieces)
    failed = np.flatnonzero(~are_good(failures) & np.isfinite(begin).all(axis=1) & np.isfinite(steps).all(axis=1))
    if len(failed) and len(turning) and np.any(steps[failed]):
        own = parameters_of(parameters, failed)
        q[failed], failures[failed] = _in_pieces(linkage, begin[failed], steps[failed], own, SHORTER * pieces)
    return q, failures


def _in_pieces(
    linkage: LedLinkage, begin: np.ndarray, steps: np.ndarray, parameters: ParameterRows, pieces: int
) -> tuple[np.ndarray, np.ndarray]:
    q, failures = begin, np.full(len(begin), GOOD, dtype=object)
    for _ in range(pieces):
        good = np.flatnonzero(are_good(failures))
        own = parameters_of(parameters, good)
        moved, failed = follow(linkage, q[good], own, _misses_of_step(linkage, q[good], steps[good] / pieces))
        q = np.full_like(q, np.nan)
        q[good], failures[good] = moved, failed
    return q, failures


def _misses_of_step(linkage: LedLinkage, begin: np.ndarray, steps: np.ndarray):
    mechanism = linkage.mechanism
    columns = mechanism.selection.independent
    joints = {k: link for k, c in enumerate(columns) if (link := _scalar_link(linkage, c)) is not None}
    bent = [
        (columns.index(u), link.elastic.q + j)
        for link in mechanism.links
        if link.elastic is not None
        for j, u in enumerate(link.elastic.columns)
        if u in columns
    ]

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        out = np.zeros((len(q), len(columns)))
        done = pose_difference(begin[states, :7], q[:, :7]) if mechanism.has_platform else np.zeros((len(q), 0))
        for k, column in enumerate(columns):
            if k in joints:
                out[:, k] = begin[states, joints[k].q] + steps[states, k] - q[:, joints[k].q]
            elif column < 6 and mechanism.has_platform:
                out[:, k] = steps[states, k] - done[:, column]
        for k, at in bent:
            out[:, k] = begin[states, at] + steps[states, k] - q[:, at]
        for k, at, axis in _ball_rates(linkage):
            out[:, k] = steps[states, k] - _turned(begin[states], q, at)[:, axis]
        return out

    return misses


def drives_led(
    linkage: LedLinkage, drives: np.ndarray, parameters: ParameterRows, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failures) with drive coordinates (n, drives), from `near` (default home), where idle freedoms stay.

    Drive rates are Sᵀ v; redundant drives that contradict each other do not converge.
    """
    start, kept = _starts(linkage, near, len(drives)), idle_turns(linkage)
    index = linkage.mechanism.drive_index
    scale = coordinate_sizes(linkage.mechanism, linkage.size)[index]
    function = linkage.function("drive_map")

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        rows = parameters_of(parameters, states)
        S = function.values(q=q, parameters=rows)["S"]  # the loops may still be a little open
        out = solve_led(linkage, np.swapaxes(S, 1, 2) / scale[:, None], (drives[states] - q[:, index]) / scale)
        return turn_back(out, kept, start[states], q)

    q, failures = follow(linkage, start, parameters, misses)
    off = np.abs(drives - q[:, index]) / scale
    missed = are_good(failures) & ~(off.max(axis=1, initial=0.0) < POSE_TOLERANCE)
    failures[missed] = Status.NOT_CONVERGED.at(Site.DRIVES)
    q[~are_good(failures)] = np.nan
    return q, failures


def coordinates_led(
    linkage: LedLinkage, names: list[str], values: np.ndarray, parameters: ParameterRows, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failures) with named coordinates (see `NamedCoordinates`) at values (n, k)."""
    start = _starts(linkage, near, len(values))
    named = NamedCoordinates(linkage, names)

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        error = values[states] - named.values(q)
        error = np.where(named.wrapped, wrap_angle(error), error)
        rates = tree_rates(linkage, q, parameters_of(parameters, states))
        return solve_rigid(linkage, named.rates(q, rates), error)

    q, failed = follow(linkage, start, parameters, misses)
    good = np.flatnonzero(are_good(failed))
    if len(good):
        off = np.abs(values[good] - named.values(q[good]))
        off = np.where(named.periodic, np.abs(wrap_angle(off)), off) / named.sizes
        missed = good[(off > POSE_TOLERANCE).any(axis=1)]
        failed[missed] = Status.OUT_OF_REACH.at("coordinates")
        q[missed] = np.nan
    return q, failed


class NamedCoordinates:
    """Coordinates by name: x y z yaw pitch roll of the platform, those of scalar joints, and turns of ball joints.

    A turn has the name of the rate it belongs to ("knee_wz"): a component, in the body's axes, of the rotation vector that
    takes the joint from home to where it is. on_platform, joints, turns: which are of which kind. wrapped: angles that are known
    up to a whole turn; periodic: angles of which whole turns make no difference, which a screw's and a wheel's do. sizes: typical
    changes, see `coordinate_sizes`.
    """

    def __init__(self, linkage: LedLinkage, names: list[str] | tuple[str, ...]) -> None:
        self.linkage, self.names = linkage, tuple(names)
        known = coordinate_units(linkage)
        for name in names:
            if name not in known:
                raise UsageError(f"coordinates: {name!r} is not a scalar joint coordinate")
        layout, links = linkage.layout, linkage.mechanism.links
        self.sizes = np.array([linkage.size if known[n] == "m" else 1.0 for n in names])
        self.on_platform = {k: COORDINATES.index(n) for k, n in enumerate(names) if _is_pose(linkage, n)}
        rest = {k: n for k, n in enumerate(names) if k not in self.on_platform}
        scalar = {layout.q_names[link.q]: link for link in links if link.nu == 1}
        self.joints = {k: scalar[n] for k, n in rest.items() if n in scalar}
        balls = {layout.u_names[c]: (link, j) for link in _balls(linkage) for j, c in enumerate(link.columns)}
        self.turns = {k: balls[n] for k, n in rest.items() if n not in scalar}
        self.wrapped = np.array([k not in self.joints and known[n] == "rad" for k, n in enumerate(names)], dtype=bool)
        self.periodic, own = self.wrapped.copy(), coordinate_sizes(linkage.mechanism, linkage.size)
        for k, link in self.joints.items():
            self.periodic[k], self.sizes[k] = link.q in periodic_coordinates(linkage.mechanism), own[link.q]

    def values(self, q: np.ndarray) -> np.ndarray:
        """Values (..., k) at q (..., nq)."""
        out = np.zeros((*q.shape[:-1], len(self.names)))
        if self.on_platform:
            x = coordinates_of(q[..., :7], "rpy_zyx")
            out[..., list(self.on_platform)] = x[..., list(self.on_platform.values())]
        for k, link in self.joints.items():
            out[..., k] = q[..., link.q]
        for k, (link, axis) in self.turns.items():
            out[..., k] = _turned(self.linkage.home, q, link.q)[..., axis]
        return out

    def rates(self, q: np.ndarray, tree: np.ndarray) -> np.ndarray:
        """Rates (n, k, nv) per independent velocity, from those of the tree (n, nu, nv)."""
        C = np.zeros((len(q), len(self.names), tree.shape[2]))
        if any(i >= 3 for i in self.on_platform.values()):
            angles = coordinates_of(q[:, :7], "rpy_zyx")[:, 3:]
            spins = np.einsum("nij,njk->nik", np.linalg.inv(euler_matrix("rpy_zyx", angles)), tree[:, 3:6])
        for k, i in self.on_platform.items():
            C[:, k] = tree[:, i] if i < 3 else spins[:, i - 3]
        for k, link in self.joints.items():
            C[:, k] = tree[:, link.u]
        for k, (link, axis) in self.turns.items():
            follows = rotation_vector_matrix(_turned(self.linkage.home, q, link.q))
            C[:, k] = np.einsum("nj,njk->nk", follows[:, axis], tree[:, list(link.columns)])
        return C


def coordinate_units(linkage: LedLinkage) -> dict[str, str]:
    """Every coordinate that can be led, with its unit: the platform's, then the joints'."""
    layout = linkage.layout
    out: dict[str, str] = (
        dict(zip(COORDINATES, ["m"] * 3 + ["rad"] * 3, strict=True)) if linkage.mechanism.has_platform else {}
    )
    for link in linkage.mechanism.links:
        if link.nu == 1:
            out[layout.q_names[link.q]] = layout.q_units[link.q]
        elif link.is_ball:
            out |= {layout.u_names[c]: "rad" for c in link.columns}
    return out


def solve_led(linkage: LedLinkage, matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """`_solved` with idle and elastic coordinates as they are."""
    n = linkage.layout.mobility
    step = _solved(matrices[:, :, :n], rhs)
    return np.concatenate([step, np.zeros((len(step), linkage.layout.nv - n))], axis=1)


def solve_rigid(linkage: LedLinkage, matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """`_solved` with the elastic coordinates as they are; idle ones move where matrices (n, k, nv) say that it helps."""
    n = linkage.layout.rigid
    step = _solved(matrices[:, :, :n], rhs)
    return np.concatenate([step, np.zeros((len(step), linkage.layout.nv - n))], axis=1)


def _solved(matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Steps (n, nv) with matrices (n, k, nv) @ step = rhs (n, k), least squares and shortest; NaN where not finite."""
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    a = np.where(finite[:, None, None], matrices, 0.0)
    square = a.shape[1] == a.shape[2] and a.shape[1] > 0
    det = np.linalg.det(a) if square else np.zeros(len(a))
    size = np.abs(a).max(axis=(1, 2)) if a.size else np.zeros(len(a))
    plain = finite & (np.abs(det) > 1e-6 * size ** a.shape[1])
    step = np.zeros((len(a), a.shape[2]))
    if plain.any():
        step[plain] = np.linalg.solve(a[plain], rhs[plain][..., None])[..., 0]
    rest = finite & ~plain
    if rest.any():
        step[rest] = np.einsum("nij,nj->ni", np.linalg.pinv(a[rest], rcond=1e-10), rhs[rest])
    step[~finite] = np.nan
    return step


def natural_coordinates(linkage: LedLinkage) -> list[str]:
    """Names of the coordinates that belong to v: "vz" leads z, "wx" roll, a joint rate its joint, a ball's rate its turn."""
    own = zip(linkage.mechanism.selection.independent, linkage.layout.v_names, strict=True)
    platform = 6 if linkage.mechanism.has_platform else 0
    return [OF_TWIST[name] if c < platform else name for c, name in own][: linkage.layout.rigid]


def turn_coordinates(linkage: LedLinkage) -> list[str]:
    """Those of v's own coordinates that are turns of ball joints."""
    return [linkage.layout.v_names[k] for k, _, _ in _ball_rates(linkage)]


def staying_coordinates(linkage: LedLinkage, names: list[str]) -> list[str]:
    """Coordinates that stay where they are when some are named.

    Of v's own, all others. Of the platform's alone, where v has others: as many of the platform's others as it has freedoms.
    Else ball joints do not spin, idle ones stay, and the rest moves as little as it can.
    """
    natural = natural_coordinates(linkage)
    if set(names) <= set(natural):
        return [n for n in natural if n not in names]
    return list(linkage.cached(("staying beside", *names), lambda: _chosen_to_stay(linkage, names)))


def _chosen_to_stay(linkage: LedLinkage, names: list[str]) -> list[str]:
    loose = dict.fromkeys([*turn_coordinates(linkage), *linkage.layout.idle_names])
    turns = [n for n in loose if n not in names]
    turns = turns if len(names) + len(turns) <= linkage.layout.rigid else []
    if not all(_is_pose(linkage, n) for n in names):
        return turns
    candidates = [*names, *(n for n in COORDINATES if n not in names), *turns]
    named = NamedCoordinates(linkage, candidates)
    around = np.concatenate([linkage.home[None], linkage.sampled_states["q"]])
    unit = step_units(linkage.mechanism, linkage.size)[list(linkage.mechanism.selection.independent)]
    rates = named.rates(around, tree_rates(linkage, around, linkage.parameters[None])) * unit
    rates = (rates / named.sizes[:, None])[:, :, : linkage.layout.rigid]
    rates = rates[np.isfinite(rates).all(axis=(1, 2))]
    first = choose(rates, list(range(len(names))), len(names))
    if len(first) < len(names):
        return turns
    taken = choose(rates, list(range(len(names), len(candidates))), linkage.layout.rigid, first=first)
    return [candidates[k] for k in taken[len(names) :]]


def _starts(linkage: LedLinkage, near: np.ndarray | None, n: int) -> np.ndarray:
    return np.repeat(linkage.home[None], n, axis=0) if near is None else normalise_quaternions(linkage.mechanism, near)


def _scalar_link(linkage: LedLinkage, column: int):
    return next((link for link in linkage.mechanism.links if link.nu == 1 and link.u == column), None)


def _is_pose(linkage: LedLinkage, name: str) -> bool:
    return linkage.mechanism.has_platform and name in COORDINATES


def _balls(linkage: LedLinkage):
    return [link for link in linkage.mechanism.links if link.is_ball]


def _ball_rates(linkage: LedLinkage) -> list[tuple[int, int, int]]:
    """(place in v, place of the quaternion in q, axis) of every independent rate of a ball joint."""
    place = {c: k for k, c in enumerate(linkage.mechanism.selection.independent)}
    return [(place[c], link.q, j) for link in _balls(linkage) for j, c in enumerate(link.columns) if c in place]


def idle_turns(linkage: LedLinkage) -> list[tuple[int, int, int]]:
    """`_ball_rates` of idle freedoms: a rate that is 0 all the way does not leave a turn where it is, the way counts, too."""
    idle = range(linkage.layout.nv)[linkage.layout.idle]
    return [entry for entry in _ball_rates(linkage) if entry[0] in idle]


def turn_back(misses: np.ndarray, turns: list[tuple[int, int, int]], start: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What v must still do (n, nv), with those turns of ball joints where they were in `start` (n, nq)."""
    for k, at, axis in turns:
        misses[:, k] = -_turned(start, q, at)[:, axis]
    return misses


def _turning(linkage: LedLinkage) -> list[int]:
    """Entries of v that are rates of rotations in space."""
    platform = range(3, 6) if linkage.mechanism.has_platform else ()
    own = [k for k, c in enumerate(linkage.mechanism.selection.independent) if c in platform]
    return own + [k for k, _, _ in _ball_rates(linkage)]


def _turned(begin: np.ndarray, q: np.ndarray, at: int) -> np.ndarray:
    """Rotation vectors (..., 3), body axes, from the quaternions at `at` in `begin` to those in q."""
    a, b = begin[..., at : at + 4], q[..., at : at + 4]
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])
    return rotation_vector(quaternion_product(a * conjugate, b))
