"""A slice as a coloured surface in space, and the point of it that a ray hits."""

from dataclasses import dataclass

import numpy as np

from gough.viewer.posing.slices import Slice

STOPS = np.array(
    [
        (0.18, 0.10, 0.36),
        (0.22, 0.23, 0.55),
        (0.16, 0.39, 0.62),
        (0.10, 0.53, 0.60),
        (0.19, 0.66, 0.52),
        (0.47, 0.77, 0.36),
        (0.78, 0.84, 0.28),
        (0.98, 0.91, 0.36),
    ]
)
"""Colours from low to high, evenly growing in lightness."""
MARKED_COLOUR = (0.78, 0.16, 0.42)
"""Of points near a singularity or without a stable equilibrium."""
FLAT = 1e-4
"""A surface smaller than this (relative to the robot's size, squared) has no place in space."""
DECADES = 1.5
"""Positive values that span more powers of ten than this get a logarithmic scale."""


@dataclass(frozen=True)
class Scale:
    """From values to colours: low … high, linear or by logarithms."""

    low: float
    high: float
    logarithmic: bool

    def share(self, values: np.ndarray) -> np.ndarray:
        """Where values stand between low (0) and high (1)."""
        x = np.asarray(values, dtype=float)
        if self.logarithmic:
            with np.errstate(divide="ignore", invalid="ignore"):
                x = np.log(np.maximum(x, self.low) / self.low) / np.log(self.high / self.low)
        else:
            x = (x - self.low) / (self.high - self.low)
        return np.clip(x, 0.0, 1.0)

    def value(self, share: float) -> float:
        """The inverse of `share`."""
        if self.logarithmic:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))


def scale_of(found: Slice) -> Scale:
    """The scale of a slice; conditions begin at 0."""
    low, high = found.bounds
    if not np.isfinite(low):
        return Scale(0.0, 1.0, False)
    if found.plan.quantity == "condition":
        low = 0.0
    if not high > low:
        spread = 0.5 * abs(low) or 1.0
        return Scale(low - spread, high + spread, False)
    return Scale(low, high, bool(low > 0 and np.log10(high / low) > DECADES))


def colours(share: np.ndarray) -> np.ndarray:
    """Colours (..., 3) from 0 to 1 of shares (...)."""
    at = np.clip(np.nan_to_num(share), 0.0, 1.0) * (len(STOPS) - 1)
    below = np.minimum(at.astype(int), len(STOPS) - 2)
    part = (at - below)[..., None]
    return STOPS[below] * (1 - part) + STOPS[below + 1] * part


def picture(found: Slice, scale: Scale) -> np.ndarray:
    """Colours (n, m, 3) of the points, marked ones in their own; NaN where there is no value."""
    out = colours(scale.share(found.values))
    out[found.marked] = MARKED_COLOUR
    out[~found.reachable | ~(np.isfinite(found.values) | found.marked)] = np.nan
    return out


def fill_edges(shown: np.ndarray) -> np.ndarray:
    """A picture (n, m, 3) whose empty points next to others have the mean of their colours: edges do not darken."""
    out = np.nan_to_num(shown)
    there = np.isfinite(shown[..., 0])
    padded, known = np.pad(out, ((1, 1), (1, 1), (0, 0))), np.pad(there, 1)
    total, count = np.zeros_like(out), np.zeros(there.shape)
    n, m = there.shape
    for i in range(3):
        for j in range(3):
            total += padded[i : i + n, j : j + m] * known[i : i + n, j : j + m, None]
            count += known[i : i + n, j : j + m]
    mean = total / np.maximum(count, 1)[..., None]
    return np.where(there[..., None], out, mean)


@dataclass(frozen=True)
class Surface:
    """vertices (k, 3) in m, faces (f, 3); at (k, 2): the coordinates that the vertices stand for; uv (k, 2): their places in
    the slice's picture, 0 … 1."""

    vertices: np.ndarray
    faces: np.ndarray
    at: np.ndarray
    uv: np.ndarray

    @property
    def area(self) -> float:
        """m²."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    def hit(self, origin: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
        """The coordinates (2,) where a ray meets the surface first; None where it misses.

        origin + t direction = a + u (b - a) + w (c - a), solved for every triangle by Cramer's rule.
        """
        o, d = np.asarray(origin, dtype=float), np.asarray(direction, dtype=float)
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        e, f, s = b - a, c - a, o - a
        across = np.cross(d, f)
        det = np.einsum("ij,ij->i", e, across)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.einsum("ij,ij->i", s, across) / det
            along = np.cross(s, e)
            w = along @ d / det
            t = np.einsum("ij,ij->i", f, along) / det
            inside = (u >= -1e-9) & (w >= -1e-9) & (u + w <= 1 + 1e-9) & (t > 0)
        if not inside.any():
            return None
        first = int(np.argmin(np.where(inside, t, np.inf)))
        weights = np.array([1 - u[first] - w[first], u[first], w[first]])
        return weights @ self.at[self.faces[first]]


def surface_of(found: Slice, scale: Scale) -> Surface:
    """The surface; cells with a corner that has no value lose that corner."""
    shown = picture(found, scale)
    there = np.asarray(np.isfinite(shown).all(axis=-1) & np.isfinite(found.places).all(axis=-1))
    number = np.cumsum(there.ravel()).reshape(there.shape) - 1
    kept = own_sheet(found, there).ravel()
    corners = np.stack(
        [a.ravel() for a in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])], axis=1
    )
    known = np.stack([a.ravel() for a in (there[:-1, :-1], there[1:, :-1], there[1:, 1:], there[:-1, 1:])], axis=1)
    known &= kept[:, None]
    whole = known.all(axis=1)
    faces = [corners[whole][:, [0, 1, 2]], corners[whole][:, [0, 2, 3]]]
    for missing in range(4):
        three = known.sum(axis=1) == 3
        mine = corners[three & ~known[:, missing]]
        faces.append(np.delete(mine, missing, axis=1))
    grid = np.stack(np.meshgrid(found.xs, found.ys, indexing="ij"), axis=-1)
    count = np.array(there.shape)
    middles = (np.argwhere(there) + 0.5) / count
    return Surface(found.places[there], np.concatenate(faces).astype(np.uint32), grid[there], middles)


def own_sheet(found: Slice, there: np.ndarray) -> np.ndarray:
    """Cells (n - 1, m - 1) to draw: all, or where the surface folds back over itself (joints that reach a place in several
    ways) those connected with the pose shown."""
    from scipy.ndimage import label

    p = np.where(there[..., None], found.places, np.nan)
    normal = np.cross(p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1])
    size = np.linalg.norm(normal, axis=-1)
    whole = np.isfinite(size) & (np.nan_to_num(size) > 0)
    everything = np.ones(size.shape, dtype=bool)
    if not whole.any():
        return everything
    now = dict(zip(found.plan.axes.names, found.plan.axes.values(found.plan.q), strict=True))
    at = [now[name] for name in found.plan.names]
    middle = [0.5 * (x[1:] + x[:-1]) for x in (found.xs, found.ys)]
    away = np.abs(middle[0] - at[0])[:, None] / np.ptp(found.xs) + np.abs(middle[1] - at[1]) / np.ptp(found.ys)
    nearest = np.unravel_index(int(np.argmin(np.where(whole, away, np.inf))), away.shape)
    same = np.einsum("ijk,k->ij", np.nan_to_num(normal), normal[nearest]) > 0
    if same[whole].all():
        return everything
    sheets: np.ndarray = label(same & whole)[0]  # type: ignore[index]
    return sheets == sheets[nearest]


def has_place(surface: Surface, size: float) -> bool:
    """Whether the surface can be seen in space."""
    return len(surface.faces) > 0 and surface.area > FLAT * size**2
