"""All assemblies of a planar mechanism with held drives, built up part by part from the ground.

Steps   rod        a part pinned to two known points: given when its length fits, else none.
        two rods   two parts pinned to known points and to each other: two circles, 2, 1 or 0 solutions.
        platform   a part on three rods: a polynomial of degree 6.
Derivation of the platform.  A_i known points, B_i the platform's pins from its first, r_i the rods' lengths, p the first
pin from A_1, R the turn by φ. From |p + R B_i - A_i|² = r_i² (A_1 = B_1 = 0) minus the first,
    2 (R B_i - A_i)·p + |R B_i - A_i|² - r_i² + r_1² = 0,  i = 2, 3,                                  (1)
two equations that are linear in p: p = N(φ) / D(φ). In the first, |p| = r_1:
    F(φ) = N_x² + N_y² - r_1² D² = 0,                                                                (2)
a trigonometric polynomial of degree 3 (its terms of degree 4 cancel), so of degree 6 in e^{iφ} or in tan φ/2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gough.analysis.assemblies._locked import Locked
from gough.analysis.assemblies._places import Frame

# Recognising a planar mechanism in space: all passive joints are pins with one direction, whatever its tilt.
#
# A part is in the plane when a pin with the plane's normal ties it to one that is. Ball joints between such parts are pins
# too, when their points are at one height.

PARALLEL = 1e-9
"""Largest angle (rad) between axes, and gap along them relative to the mechanism, that count as none."""

Pin = tuple[int, int, np.ndarray, np.ndarray]
"""(part, other part, point (2,) in the part, point (2,) in the other)."""
Place = tuple[np.ndarray, float]
"""Origin (2,) and angle (rad) of a part in the plane."""


@dataclass(frozen=True)
class MotionPlane:
    """axes: {part: e1 e2 n as columns (3, 3)}; heights: {part: of its origin along n}; pins of all joints."""

    axes: dict[int, np.ndarray]
    heights: dict[int, float]
    pins: list[Pin]
    size: float

    def frame(self, part: int, place: Place) -> Frame:
        """The part's frame in the world."""
        (x, y), angle = place
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        ground = self.axes[0]
        return ground @ turn @ self.axes[part].T, ground @ np.array([x, y, self.heights[part]])


def plane_of(locked: Locked) -> MotionPlane | None:
    """The plane in which all parts move, or None."""
    joints = locked.joints
    if not joints or any(joint.kind not in ("pin", "ball") for joint in joints):
        return None
    pins = [joint for joint in joints if joint.kind == "pin"]
    first = next((joint for joint in pins if 0 in joint.parts), None)
    if first is None:
        return None
    size = max(float(np.linalg.norm(joint.point(k))) for joint in joints for k in (0, 1)) or 1.0
    normals = {0: first.direction(first.parts.index(0))}
    heights = {0: 0.0}
    while True:
        before = len(normals)
        for joint in pins:
            for side in (0, 1):
                a, b = joint.parts[side], joint.parts[1 - side]
                if a not in normals or b in normals:
                    continue
                along = joint.direction(side)
                if np.linalg.norm(np.cross(along, normals[a])) > PARALLEL:
                    return None
                normals[b] = joint.direction(1 - side) * np.sign(along @ normals[a])
                heights[b] = heights[a] + float(normals[a] @ joint.point(side) - normals[b] @ joint.point(1 - side))
        if len(normals) == before:
            break
    if len(normals) < locked.count:
        return None
    for joint in joints:
        a, b = joint.parts
        gap = heights[a] + normals[a] @ joint.point(0) - heights[b] - normals[b] @ joint.point(1)
        if abs(gap) > PARALLEL * size:
            return None
        if joint.kind == "pin":
            sides = [(joint.direction(k), normals[part]) for k, part in enumerate(joint.parts)]
            tilt = max(float(np.linalg.norm(np.cross(u, n))) for u, n in sides)
            if tilt > PARALLEL or np.prod([u @ n for u, n in sides]) < 0:
                return None
    axes = {part: _basis(normal) for part, normal in normals.items()}
    flat = [
        (a, b, axes[a][:, :2].T @ joint.point(0), axes[b][:, :2].T @ joint.point(1))
        for joint in joints
        for a, b in [joint.parts]
    ]
    return MotionPlane(axes, heights, flat, size)


def _basis(normal: np.ndarray) -> np.ndarray:
    n = normal / np.linalg.norm(normal)
    e = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
    e /= np.linalg.norm(e)
    return np.column_stack([e, np.cross(n, e), n])


CLOSE_CALL = 1e-11
"""Discriminants nearer to 0 than this (relative) may have either sign."""
FITS = 1e-9
"""Largest misfit of a rod between two known points, relative to the mechanism; a wider band is called uncertain."""

Known = dict[int, Place]


class NotRecognisedError(Exception):
    """A structure that these steps do not build."""


def planar_assemblies(plane: MotionPlane, parts: int) -> tuple[list[Known], list[str], list[str]]:
    """(places of all parts, one a candidate; names of the steps taken; why the list is not certain)."""
    known: list[Known] = [{0: (np.zeros(2), 0.0)}]
    placed, steps, doubts = {0}, [], []
    while len(placed) < parts:
        name, new, extend = _next_step(plane, placed, parts)
        steps.append(name)
        known = [{**state, **more} for state in known for more in extend(state, doubts)]
        placed |= set(new)
    return known, steps, doubts


def _next_step(plane: MotionPlane, placed: set[int], parts: int) -> tuple[str, tuple[int, ...], Callable]:
    tied: dict[int, list[Pin]] = {}
    between: dict[int, list[Pin]] = {}
    for pin in plane.pins:
        a, b, p, r = pin
        for one in ((a, b, p, r), (b, a, r, p)):
            if one[1] not in placed:
                (tied if one[0] in placed else between).setdefault(one[1], []).append(one)
    for part in range(parts):
        if len(tied.get(part, [])) >= 2:
            return "rod", (part,), partial(_rod, plane, part, tied[part])
    for u in tied:
        for a, _, p, r in between.get(u, []):
            if a in tied:
                pins = tied[u][0], tied[a][0], (u, a, r, p)
                return "two rods", (u, a), partial(_two_rods, plane, pins)
    for part in range(parts):
        legs = {pin[0]: pin for pin in between.get(part, []) if pin[0] in tied}
        if part not in placed and len(legs) >= 3:
            chosen = [(tied[rod][0], pin) for rod, pin in list(legs.items())[:3]]
            return "platform", (part,), partial(_platform, plane, part, chosen)
    raise NotRecognisedError


def _at(place: Place, point: np.ndarray) -> np.ndarray:
    c, s = np.cos(place[1]), np.sin(place[1])
    return place[0] + np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def _aligned(points: tuple[np.ndarray, np.ndarray], targets: tuple[np.ndarray, np.ndarray]) -> Place:
    """Where a part is when its points lie on the targets (the first exactly)."""
    own, wanted = points[1] - points[0], targets[1] - targets[0]
    angle = float(np.arctan2(wanted[1], wanted[0]) - np.arctan2(own[1], own[0]))
    return targets[0] - _at((np.zeros(2), angle), points[0]), angle


def _rod(plane: MotionPlane, part: int, pins: list[Pin], state: Known, doubts: list[str]) -> list[Known]:
    targets = [_at(state[a], p) for a, _, p, _ in pins]
    points = [r for *_, r in pins]
    far = int(np.argmax([np.linalg.norm(x - points[0]) for x in points]))
    if np.linalg.norm(points[far] - points[0]) < 1e-6 * plane.size:
        raise NotRecognisedError
    place = _aligned((points[0], points[far]), (targets[0], targets[far]))
    misfit = max(float(np.linalg.norm(_at(place, x) - t)) for x, t in zip(points, targets, strict=True)) / plane.size
    if misfit <= FITS:
        return [{part: place}]
    if misfit <= 1e3 * FITS:
        doubts.append("a part fits between its pins only nearly")
    return []


def _two_rods(plane: MotionPlane, pins: tuple[Pin, Pin, Pin], state: Known, doubts: list[str]) -> list[Known]:
    (a, u, p, own_u), (b, v, r, own_v), (_, _, end_u, end_v) = pins
    centres = _at(state[a], p), _at(state[b], r)
    radii = float(np.linalg.norm(end_u - own_u)), float(np.linalg.norm(end_v - own_v))
    if min(radii) < 1e-6 * plane.size:
        raise NotRecognisedError
    out = []
    for x in circles(centres, radii, doubts):
        out.append({u: _aligned((own_u, end_u), (centres[0], x)), v: _aligned((own_v, end_v), (centres[1], x))})
    return out


def circles(centres: tuple[np.ndarray, np.ndarray], radii: tuple[float, float], doubts: list[str]) -> list[np.ndarray]:
    """Points (2,) common to two circles."""
    span = centres[1] - centres[0]
    d, (r1, r2) = float(np.linalg.norm(span)), radii
    size = max(d, r1, r2)
    if d < CLOSE_CALL * size:
        if abs(r1 - r2) < 1e-6 * size:
            doubts.append("two circles are the same")
        return []
    along = (d * d + r1 * r1 - r2 * r2) / (2 * d)
    square = r1 * r1 - along * along
    if abs(square) * d * d < CLOSE_CALL * size**4:
        doubts.append("two circles touch: too close to tell two assemblies from none")
        square = 0.0
    if square < 0:
        return []
    middle, across = centres[0] + span * (along / d), np.array([-span[1], span[0]]) / d
    return [middle + across * h for h in ((np.sqrt(square), -np.sqrt(square)) if square > 0 else (0.0,))]


def _platform(
    plane: MotionPlane, part: int, legs: list[tuple[Pin, Pin]], state: Known, doubts: list[str]
) -> list[Known]:
    A = np.array([_at(state[base[0]], base[2]) for base, _ in legs])
    B = np.array([pin[3] for _, pin in legs])
    r = np.array([np.linalg.norm(pin[2] - base[3]) for base, pin in legs])
    out = []
    for angle, first in platform_places(A, B, r, doubts):
        out.append({part: (first - _at((np.zeros(2), angle), B[0]), angle)})
    return out


def platform_places(A: np.ndarray, B: np.ndarray, r: np.ndarray, doubts: list[str]) -> list[tuple[float, np.ndarray]]:
    """(angle, place (2,) of the first pin) for points A (3, 2), pins B (3, 2) of the platform, rod lengths r (3,)."""
    size = max(np.ptp(A, axis=0).max(), np.ptp(B, axis=0).max(), r.max())
    a, b, lengths = (A - A[0]) / size, (B - B[0]) / size, r / size

    def terms(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        U = 2 * (c * b[1:, 0] - s * b[1:, 1] - a[1:, 0])
        V = 2 * (s * b[1:, 0] + c * b[1:, 1] - a[1:, 1])
        W = 0.25 * (U * U + V * V) - lengths[1:] ** 2 + lengths[0] ** 2  # (1)
        D = U[:, 0] * V[:, 1] - U[:, 1] * V[:, 0]
        return V[:, 0] * W[:, 1] - V[:, 1] * W[:, 0], W[:, 0] * U[:, 1] - W[:, 1] * U[:, 0], D

    def F(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, y, D = terms(angle)
        parts = x * x + y * y, (lengths[0] * D) ** 2
        return parts[0] - parts[1], parts[0] + parts[1]  # (2)

    angles, doubt = real_zeros(F, 3)
    if doubt is not None:
        doubts.append(f"the platform's polynomial of degree 6: {doubt}")
    x, y, D = terms(angles)
    scale = np.abs(terms(np.linspace(0, 2 * np.pi, 12))[2]).max()
    sound = np.abs(D) > 1e-9 * max(scale, 1e-300)
    if not sound.all():
        doubts.append("the platform's pins stand so that an angle does not fix its place")
    return [(float(t), A[0] + size * np.array([x[k], y[k]]) / D[k]) for k, t in enumerate(angles) if sound[k]]


# Real zeros of a trigonometric polynomial, with a proof of their number.
#
# Derivation  F(φ) = Σ c_k e^{ikφ}, |k| ≤ n, real: with z = e^{iφ} a polynomial z^n F of degree 2n whose zeros come in pairs
# z, 1/z̄. Discs |z - z_k| ≤ m |p(z_k)| / |p_m Π (z_k - z_j)| around approximate zeros cover all zeros, and a group of
# overlapping discs has as many zeros as discs [Smith 1970]. A disc that meets the unit circle and stays clear of all others
# has one zero; its pair lies next to it, so both are the same and on the circle. Discs off the circle have no real zero.

NEGLIGIBLE = 1e-13
"""Coefficients below this, relative to the terms they are the sum of, are zero."""


def real_zeros(
    function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], degree: int
) -> tuple[np.ndarray, str | None]:
    """(angles in (-π, π], why their number is not certain or None) of F of a trigonometric degree.

    function: angles (n,) -> (F (n,), sizes (n,) of the terms that F is the sum of).
    """
    count = 4 * degree + 4
    angles = 2 * np.pi * np.arange(count) / count
    values, sizes = function(angles)
    noise = NEGLIGIBLE * float(np.max(sizes))
    spectrum = np.fft.fft(values) / count
    c = np.concatenate([spectrum[-degree:], spectrum[: degree + 1]])  # c[-degree] … c[degree]
    if not np.isfinite(values).all():
        return np.zeros(0), "the polynomial is not finite"
    rest = np.abs(spectrum[degree + 1 : -degree]).max()
    if rest > 10 * noise:
        return np.zeros(0), "the polynomial's degree is higher than it should be"
    while len(c) > 1 and max(abs(c[0]), abs(c[-1])) <= noise:
        c = c[1:-1]
    if len(c) == 1:
        return np.zeros(0), "every angle is a zero" if abs(c[0]) <= noise else None
    zeros = _polished(c, np.roots(c[::-1]))
    radii = _discs(c, zeros, noise)
    real = np.abs(np.abs(zeros) - 1.0) <= radii
    gaps = np.abs(zeros[:, None] - zeros[None]) - radii[None] - 4.0 * radii[:, None]
    np.fill_diagonal(gaps, np.inf)
    if not np.isfinite(radii).all() or (gaps.min(axis=1)[real] <= 0).any():
        near = np.angle(zeros[np.abs(np.abs(zeros) - 1.0) <= np.maximum(radii, 1e-5)])
        return _distinct(near), "two zeros are too close to tell whether they are real"
    return np.sort(np.angle(zeros[real])), None


def _polished(c: np.ndarray, zeros: Any) -> np.ndarray:
    """Newton's steps on each zero, kept where they help."""
    p, slope = c[::-1], np.polyder(c[::-1])
    for _ in range(3):
        with np.errstate(all="ignore"):
            better = zeros - np.polyval(p, zeros) / np.polyval(slope, zeros)
        helped = np.isfinite(better) & (np.abs(np.polyval(p, better)) < np.abs(np.polyval(p, zeros)))
        zeros = np.where(helped, better, zeros)
    return zeros


def _discs(c: np.ndarray, zeros: np.ndarray, noise: float) -> np.ndarray:
    """Radii (m,) of the discs; every coefficient may be wrong by `noise`."""
    powers = np.abs(zeros)[:, None] ** np.arange(len(c))
    value = np.abs(np.polyval(c[::-1], zeros)) + noise * powers.sum(axis=1) + 1e-15 * powers @ np.abs(c)
    apart = zeros[:, None] - zeros[None]
    np.fill_diagonal(apart, 1.0)
    with np.errstate(all="ignore"):
        return len(zeros) * value / (np.abs(c[-1]) * np.abs(np.prod(apart, axis=1)))


def _distinct(angles: np.ndarray) -> np.ndarray:
    out: list[float] = []
    for angle in np.sort(angles):
        if not out or angle - out[-1] > 1e-4:
            out.append(float(angle))
    return np.array(out)
