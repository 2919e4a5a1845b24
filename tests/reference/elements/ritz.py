"""Free bending vibrations of a plate by the method of Ritz: polynomials over the whole plate, no elements.

Every frequency is an upper bound of its theory's, and falls as the degree rises: a model whose frequencies are above these is not
converged. Thin (Kirchhoff, without rotary inertia), thick (Mindlin, shear factor 5/6) and solid, whose displacements are
polynomials in the height too: odd in it along the plate, even across.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh

RIGID = 3
"""Rigid motions that bend nothing: across the plate, and two turns."""


@dataclass(frozen=True)
class RitzPlate:
    """corners (n, 2): of a convex outline, m; thickness (m), young (Pa), density (kg/m³), nu: Poisson's ratio."""

    corners: np.ndarray
    thickness: float
    young: float
    density: float
    nu: float

    def thin(self, degree: int, count: int) -> np.ndarray:
        """(count,) lowest elastic frequencies, rad/s."""
        weight, value, *slopes = self._basis(degree, 2)
        _, _, xx, xy, yy = slopes
        w, nu = weight[:, None], self.nu
        K = xx.T @ (w * (xx + nu * yy)) + yy.T @ (w * (yy + nu * xx)) + 2 * (1 - nu) * xy.T @ (w * xy)
        K *= self.young * self.thickness**3 / 12 / (1 - nu**2)
        return _lowest(K, self.density * self.thickness * value.T @ (w * value), count)

    def thick(self, degree: int, count: int) -> np.ndarray:
        """(count,): deflection and both slopes of the normal have polynomials of the degree."""
        weight, value, x, y = self._basis(degree, 1)
        w, nu, h, none = weight[:, None], self.nu, self.thickness, np.zeros_like(value)
        along_x, along_y = np.hstack([none, x, none]), np.hstack([none, none, y])
        twist = np.hstack([none, y, x])
        shears = np.hstack([x, -value, none]), np.hstack([y, none, -value])
        K = along_x.T @ (w * (along_x + nu * along_y)) + along_y.T @ (w * (along_y + nu * along_x))
        K = self.young * h**3 / 12 / (1 - nu**2) * (K + (1 - nu) / 2 * twist.T @ (w * twist))
        K += 5 / 6 * h * self.young / (2 * (1 + nu)) * sum(s.T @ (w * s) for s in shears)
        inertia = self.density * np.diag([h, h**3 / 12, h**3 / 12])
        return _lowest(K, np.kron(inertia, value.T @ (w * value)), count)

    def solid(self, degree: int, count: int, height: int = 3) -> np.ndarray:
        """(count,); height: degree across the plate."""
        weight, *plane = self._basis(degree, 1)
        families = list(zip(".xy", plane, strict=True))
        grams = {(a, b): p.T @ (weight[:, None] * q) for a, p in families for b, q in families}
        at, rule = legendre.leggauss(height + 1)
        rule = rule * self.thickness / 2
        fields = []  # strains {name: (slope in the plane, factor across the plate)} and displacement of every family
        for axis, first in (("x", 1), ("y", 1), ("z", 0)):
            for k in range(first, height + 1, 2):
                one = np.eye(height + 1)[k]
                f, g = legendre.legval(at, one), legendre.legval(at, legendre.legder(one)) * 2 / self.thickness
                strains = {"".join(sorted(axis + b)): (b, f) for b in "xy"} | {"".join(sorted(axis + "z")): (".", g)}
                fields.append((axis, f, strains))
        n = plane[0].shape[1]
        K, M = np.zeros((2, len(fields) * n, len(fields) * n))
        for i, (axis, f, own) in enumerate(fields):
            for j, (other_axis, other_f, other) in enumerate(fields):
                here = np.s_[i * n : (i + 1) * n, j * n : (j + 1) * n]
                for a, (slope, p) in own.items():
                    for b, (other_slope, q) in other.items():
                        K[here] += self._elasticity(a, b) * (rule * p * q).sum() * grams[slope, other_slope]
                if axis == other_axis:
                    M[here] = self.density * (rule * f * other_f).sum() * grams[".", "."]
        return _lowest(K, M, count)

    def _elasticity(self, a: str, b: str) -> float:
        """Stress a of a unit strain b, Pa; shear strains are whole angles."""
        shear, straight = self.young / (2 * (1 + self.nu)), {"xx", "yy", "zz"}
        if a in straight and b in straight:
            return shear * (2 * self.nu / (1 - 2 * self.nu) + 2 * (a == b))
        return shear * (a == b)

    def _basis(self, degree: int, order: int) -> tuple[np.ndarray, ...]:
        """Weights (p,) of points, and at them (p, n) values and derivatives of polynomials that are orthonormal on the plate:
        by x, y; with order 2 by xx, xy, yy too."""
        points, weight = self._rule(degree + 2)
        scale = np.abs(self.corners).max()
        tables = []
        for u in (points / scale).T:
            ones = np.eye(degree + 1)
            tables.append(
                [np.array([legendre.legval(u, legendre.legder(e, k)) for e in ones]) for k in range(order + 1)]
            )
        pairs = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
        wanted = [(k - m, m) for k in range(order + 1) for m in range(k + 1)]
        made = [np.array([tables[0][k][i] * tables[1][m][j] for i, j in pairs]).T / scale ** (k + m) for k, m in wanted]
        mixed = np.linalg.inv(np.linalg.qr(np.sqrt(weight)[:, None] * made[0], mode="r"))
        return (weight, *(values @ mixed for values in made))

    def _rule(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Points (p, 2) and weights (p,): triangles from the middle, count² points each."""
        t, w = legendre.leggauss(count)
        t, w, middle = (t + 1) / 2, w / 2, self.corners.mean(axis=0)
        out, across = np.meshgrid(t, t, indexing="ij")
        points, weights = [], []
        for a, b in zip(self.corners, np.roll(self.corners, -1, axis=0), strict=True):
            sides = np.array([a, b]) - middle
            points.append(middle + np.stack([out * (1 - across), out * across], axis=-1).reshape(-1, 2) @ sides)
            weights.append((w[:, None] * w * out).ravel() * abs(np.linalg.det(sides)))
        return np.concatenate(points), np.concatenate(weights)


def _lowest(K: np.ndarray, M: np.ndarray, count: int) -> np.ndarray:
    found = eigh(K, M, eigvals_only=True, subset_by_index=(RIGID, RIGID + count - 1))
    return np.sqrt(found)
