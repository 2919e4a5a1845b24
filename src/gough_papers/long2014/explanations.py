"""What could make modes 14 to 16 of the paper's plate as high as printed. Each explanation is computed.

The paper's modal analysis is by MSC Nastran (section 6.1) and gives a “nodal mass (dm)” (section 4.4). None of that program's
elements is here: converged plates are the library's, the others are made of quadratic Mindlin triangles, six nodes each: small
models that are wrong on purpose. Freedoms of a node: deflection w and slopes of the normal a, b; shear strains are w_x - a,
w_y - b.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from gough.fem import Material, plate_elements
from gough_papers.section import Grid

SIDE, THICKNESS, YOUNG, DENSITY = 0.5, 0.015, 2e10, 7500.0
"""As the paper has them, SI."""
POISSON = 0.3
"""Ours."""
SHOWN = ((0, "7/8"), (2, "9"), (3, "10"), (4, "11"), (5, "12/13"), (7, "14/15"), (9, "16"))
PAIRS = (0, 5, 7)
"""Places of modes 7, 12 and 14, the first members of pairs."""
HEAD = ("explanation", *(name for _, name in SHOWN), "farthest off", "at mode", "outside at modes", "verdict")
MESH_SIZE = 0.2
"""m, of the gallery's elements."""
Places = Callable[[np.ndarray], np.ndarray]
"""Of places (n, 2), m: a factor (n,)."""


@dataclass(frozen=True)
class OpenBand:
    """What is not printed leaves open: low, high (10,), factors on the modes of a thick plate with ν = POISSON, the lowest and
    the highest that another theory together with another ν makes of each."""

    low: np.ndarray
    high: np.ndarray

    def holds(self, ours: np.ndarray, printed: np.ndarray) -> np.ndarray:
        """(10,): which printed ones are inside, of modes `ours`."""
        return (self.low * ours <= printed) & (printed <= self.high * ours)

    def reach(self, ours: np.ndarray, printed: np.ndarray) -> np.ndarray:
        """(10,), over the printed ones: how far from ours the end of the band is that lies on their side."""
        return np.where(printed >= ours, self.high - 1, 1 - self.low) * ours / printed


def mode_names(chosen: np.ndarray) -> str:
    """Of those that are chosen (10,), pairs together."""
    return ", ".join(name for k, name in SHOWN if chosen[k : k + 1 + ("/" in name)].any())


def hexagon(across: float = np.sqrt(3.0) / 2) -> np.ndarray:
    """(6, 2) corners, m; across: height of the upper ones over the side."""
    return SIDE * np.array([[1, 0], [0.5, across], [-0.5, across], [-1, 0], [-0.5, -across], [0.5, -across]])


def converged_frequencies(
    outline: np.ndarray | None = None,
    nu: float = POISSON,
    thickness: float = THICKNESS,
    theory: Any = "mindlin",
    size: float = MESH_SIZE,
    count: int = 10,
) -> np.ndarray:
    """(count,) free frequencies of a plate by the library's elements of fifth order and size (m), rad/s."""
    corners = hexagon() if outline is None else outline
    e = plate_elements(corners, thickness, Material(YOUNG, DENSITY, poisson=nu), size=size, theory=theory)
    shift = -1e-3 * e.K.diagonal().mean() / e.M.diagonal().mean()
    found = eigsh(e.K.tocsc(), count + 3, e.M.tocsc(), sigma=shift, return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(found)))[3:]


def round_outline(corners: int) -> np.ndarray:
    """A polygon of many corners with the hexagon's area."""
    turn = 2 * np.pi * np.arange(corners) / corners
    radius = np.sqrt(1.5 * np.sqrt(3.0) * SIDE**2 / (corners / 2 * np.sin(2 * np.pi / corners)))
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def cut_outline(length: float) -> np.ndarray:
    """The hexagon with its corners cut off, `length` of each side gone, m."""
    sides = zip(hexagon(), np.roll(hexagon(), -1, axis=0), strict=True)
    return np.array([p for a, b in sides for p in (a + (b - a) * length / SIDE, b + (a - b) * length / SIDE)])


# ---- coarse meshes


@dataclass(frozen=True)
class Triangles:
    """nodes (n, 2), m; cells (c, 6): corners, then the middles of edges 01, 12, 20."""

    nodes: np.ndarray
    cells: np.ndarray

    def nearest(self, places: np.ndarray) -> np.ndarray:
        """The nodes at places (k, 2)."""
        return np.argmin(np.linalg.norm(self.nodes - np.asarray(places)[:, None], axis=2), axis=1)


def spokes(n: int) -> Triangles:
    """Six triangles from the centre to the sides, each divided into n² alike."""
    V, found = hexagon(), []
    up = [((i, j), (i + 1, j), (i, j + 1)) for i in range(n) for j in range(n - i)]
    down = [((i + 1, j), (i + 1, j + 1), (i, j + 1)) for i in range(n - 1) for j in range(n - 1 - i)]
    for a, b in zip(V, np.roll(V, -1, axis=0), strict=True):
        found += [[(a * i + b * j) / n for i, j in corners] for corners in (*up, *down)]
    return _quadratic(np.array(found))


def kites(n: int) -> Triangles:
    """Six kites from the centre to the corners, n² quadrilaterals in each, halved from the inner corner to the outer one."""
    V, found = hexagon(), []
    for before, v, after in zip(np.roll(V, 1, axis=0), V, np.roll(V, -1, axis=0), strict=True):
        a, c = (before + v) / 2, (v + after) / 2

        def at(i: int, j: int, a: np.ndarray = a, c: np.ndarray = c, v: np.ndarray = v) -> np.ndarray:
            s, t = i / n, j / n
            return a * s * (1 - t) + c * t * (1 - s) + v * s * t

        for i in range(n):
            for j in range(n):
                inner, outer = at(i, j), at(i + 1, j + 1)
                found += [np.array([inner, at(i + 1, j), outer]), np.array([inner, outer, at(i, j + 1)])]
    return _quadratic(np.array(found))


def _quadratic(corners: np.ndarray) -> Triangles:
    """Of triangles (c, 3, 2): nodes that meet are one."""
    points = np.concatenate([corners, (corners + np.roll(corners, -1, axis=1)) / 2], axis=1)
    nodes, cells = np.unique(np.round(points.reshape(-1, 2), 9), axis=0, return_inverse=True)
    return Triangles(nodes, cells.reshape(-1, 6))


def _shapes(x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
    """Values (6,) and slopes (6, 2) of the reference triangle's quadratics."""
    r = 1 - x - y
    values = [r * (2 * r - 1), x * (2 * x - 1), y * (2 * y - 1), 4 * r * x, 4 * x * y, 4 * y * r]
    slopes = [
        [1 - 4 * r] * 2,
        [4 * x - 1, 0],
        [0, 4 * y - 1],
        [4 * (r - x), -4 * x],
        [4 * y, 4 * x],
        [-4 * y, 4 * (r - y)],
    ]
    return np.array(values), np.array(slopes, float)


def _rule(whole: bool) -> list[tuple[float, float, float]]:
    """(x, y, weight): three points, too few for these elements, or 25, which integrate all products."""
    if not whole:
        return [(1 / 6, 1 / 6, 1 / 6), (2 / 3, 1 / 6, 1 / 6), (1 / 6, 2 / 3, 1 / 6)]
    t, w = np.polynomial.legendre.leggauss(5)
    t, w = (t + 1) / 2, w / 2
    return [(a, b * (1 - a), u * v * (1 - a)) for a, u in zip(t, w, strict=True) for b, v in zip(t, w, strict=True)]


@dataclass(frozen=True)
class CoarsePlate:
    """Of triangles. whole: all products of stiffness are integrated; else at three points, which avoids locking. corner: None,
    or the part of a triangle's mass that each of its corners gets, the middles of its edges the rest: lumped, without rotary
    inertia. stiffer, denser: factors by place. along: of the bending stiffness along x. added: kg at each corner of the plate.
    nu: Poisson's ratio."""

    mesh: Triangles
    whole: bool = False
    corner: float | None = None
    stiffer: Places | None = None
    denser: Places | None = None
    along: float = 1.0
    added: float = 0.0
    nu: float = POISSON

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """K and M (3 n, 3 n)."""
        n = 3 * len(self.mesh.nodes)
        K, M = np.zeros((n, n)), np.zeros((n, n))
        centres = self.mesh.nodes[self.mesh.cells[:, :3]].mean(axis=1)
        stiff, dense = (np.ones(len(centres)) if f is None else f(centres) for f in (self.stiffer, self.denser))
        for cell, s, d in zip(self.mesh.cells, stiff, dense, strict=True):
            own, mass = self._element(self.mesh.nodes[cell])
            freedoms = (3 * cell[:, None] + np.arange(3)).ravel()
            K[np.ix_(freedoms, freedoms)] += s * own
            for k, factor in enumerate((1.0, THICKNESS**2 / 12, THICKNESS**2 / 12)):
                if k == 0 or self.corner is None:
                    M[np.ix_(3 * cell + k, 3 * cell + k)] += d * factor * mass
        at = 3 * self.mesh.nearest(hexagon())
        M[at, at] += self.added
        return K, M

    def _element(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nu = self.nu
        bending = np.array([[self.along, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
        bending *= YOUNG * THICKNESS**3 / 12 / (1 - nu**2)
        shear = 5 / 6 * THICKNESS * YOUNG / (2 * (1 + nu))
        K, M = np.zeros((18, 18)), np.zeros((6, 6))
        for a, b, weight in _rule(self.whole):
            values, slopes = _shapes(a, b)
            jacobian = x.T @ slopes
            area, g = weight * np.linalg.det(jacobian), slopes @ np.linalg.inv(jacobian)
            curved, strain = np.zeros((3, 18)), np.zeros((2, 18))
            curved[0, 1::3], curved[1, 2::3], curved[2, 1::3], curved[2, 2::3] = g[:, 0], g[:, 1], g[:, 1], g[:, 0]
            strain[:, 0::3], strain[0, 1::3], strain[1, 2::3] = g.T, -values, -values
            K += area * (curved.T @ bending @ curved + shear * strain.T @ strain)
        for a, b, weight in _rule(True):
            values, slopes = _shapes(a, b)
            M += DENSITY * THICKNESS * weight * np.linalg.det(x.T @ slopes) * np.outer(values, values)
        if self.corner is not None:
            M = M.sum() * np.diag([self.corner] * 3 + [1 / 3 - self.corner] * 3)
        return K, M

    def frequencies(self, masters: np.ndarray | None = None) -> np.ndarray:
        """(10,) rad/s. masters: freedoms to which the model is reduced, the others following as at rest (Guyan)."""
        K, M = self.matrices()
        kept = np.flatnonzero(np.diag(M) > 0) if masters is None else masters
        gone = np.setdiff1d(np.arange(len(K)), kept)
        T = np.zeros((len(K), len(kept)))
        T[kept], T[gone] = np.eye(len(kept)), -np.linalg.solve(K[np.ix_(gone, gone)], K[np.ix_(gone, kept)])
        found = eigh(T.T @ K @ T, T.T @ M @ T, eigvals_only=True)
        return np.sqrt(np.abs(found[3:13]))


# ---- what was tried

NOTHING = "nothing: thick plate (Mindlin), ν = 0.3"
FINE = "150 triangles, as the next six"
NEAREST = "48 triangles, integrated in full, a ninth of the mass at each corner"
"""Picked for being near."""


def explanations(wanted: float) -> dict[str, np.ndarray]:
    """{what is different: (10,) rad/s}. wanted: by how much modes 14 and 15 are too low, a factor."""
    fine, V = spokes(5), hexagon()
    middles = (V + np.roll(V, -1, axis=0)) / 2
    points = np.concatenate([np.zeros((1, 2)), V, middles, V / 2])

    def from_corners(x: np.ndarray) -> np.ndarray:
        return np.linalg.norm(x[:, None] - V, axis=2).min(axis=1)

    def from_sides(x: np.ndarray) -> np.ndarray:
        return (np.linalg.norm(middles[0]) - x @ (middles / np.linalg.norm(middles[0])).T).min(axis=1)

    return {
        NOTHING: converged_frequencies(),
        "thin plate (Kirchhoff)": converged_frequencies(theory="kirchhoff"),
        "ν = 0": converged_frequencies(nu=0.0),
        "ν = 0.45": converged_frequencies(nu=0.45),
        f"thickness × {wanted:.3f}; nearly so E × or density / {wanted**2:.3f}": converged_frequencies(
            thickness=wanted * THICKNESS
        ),
        "round, of the same area": converged_frequencies(round_outline(24)),
        "30 mm of each side cut off at the corners": converged_frequencies(cut_outline(0.03)),
        FINE: CoarsePlate(fine).frequencies(),
        "bending along x 30 % stiffer": CoarsePlate(fine, along=1.3).frequencies(),
        "1 kg more at each corner": CoarsePlate(fine, added=1.0).frequencies(),
        "corners rigid within 90 mm": CoarsePlate(
            fine, stiffer=lambda x: np.where(from_corners(x) < 0.09, 1e3, 1)
        ).frequencies(),
        "rim of 50 mm twice as stiff": CoarsePlate(
            fine, stiffer=lambda x: np.where(from_sides(x) < 0.05, 2, 1)
        ).frequencies(),
        "middle rigid within 90 mm": CoarsePlate(
            fine, stiffer=lambda x: np.where(np.linalg.norm(x, axis=1) < 0.09, 1e3, 1)
        ).frequencies(),
        "reduced to deflections of 19 points (Guyan)": CoarsePlate(fine).frequencies(3 * fine.nearest(points)),
        "54 triangles": CoarsePlate(spokes(3)).frequencies(),
        "54 triangles, integrated in full": CoarsePlate(spokes(3), whole=True).frequencies(),
        "54 triangles, mass lumped in proportion": CoarsePlate(spokes(3), corner=3 / 57).frequencies(),
        "48 triangles, integrated in full": CoarsePlate(kites(2), whole=True).frequencies(),
        "48 triangles, integrated in full, mass lumped in proportion": CoarsePlate(
            kites(2), whole=True, corner=3 / 57
        ).frequencies(),
        NEAREST: CoarsePlate(kites(2), whole=True, corner=1 / 9).frequencies(),
        "the same, ν = 0.27": CoarsePlate(kites(2), whole=True, corner=1 / 9, nu=0.27).frequencies(),
        "the same, ν = 0.31": CoarsePlate(kites(2), whole=True, corner=1 / 9, nu=0.31).frequencies(),
    }


def explanation_grid(found: dict[str, np.ndarray], printed: np.ndarray, band: OpenBand) -> Grid:
    """Beside the printed frequencies (10,); band: as for the comparison."""
    rows = [("Table 2", *(f"{printed[k]:.1f}" for k, _ in SHOWN), "", "", "", "")]
    for what, w in found.items():
        off = w / printed - 1
        worst = int(np.argmax(np.abs(off)))
        outside = mode_names(~band.holds(w, printed))
        shown = (*(f"{w[k]:.1f}" for k, _ in SHOWN), f"{100 * off[worst]:+.1f} %", str(worst + 7))
        rows.append((what, *shown, outside, "no" if outside else "explains"))
    title = (
        "Explanations tried: frequencies (rad/s); all triangles are quadratic; an explanation has all ten inside what theory and "
        "ν leave open of it"
    )
    return Grid(HEAD, tuple(rows), HEAD[1:-2], title)


def split_pairs() -> np.ndarray:
    """(3,) rad/s between the members of pairs 7/8, 12/13, 14/15 of a converged plate with four corners at y = ±0.433 m."""
    w = converged_frequencies(hexagon(0.866))
    return np.array([w[k + 1] - w[k] for k in PAIRS])
