"""One straight beam element in its own axes: x along it, y and z the section's principal axes.

Freedoms of each of the two nodes: u v w (m), θx θy θz (rad). Axial motion and torsion are linear. Bending in the xy plane,
with ξ = x/L and φ = 12 E Iz / (ky G A L²) (φ = 0: Euler–Bernoulli), solves the unloaded Timoshenko beam exactly, so that shear
never locks:
    v  = [ (1 - 3ξ² + 2ξ³ + φ(1 - ξ)) v1 + L (ξ - 2ξ² + ξ³ + ½φ(ξ - ξ²)) θ1
         + (3ξ² - 2ξ³ + φξ) v2 - L (ξ² - ξ³ + ½φ(ξ - ξ²)) θ2 ] / (1 + φ)
    θ  = [ 6(ξ² - ξ)/L (v1 - v2) + (1 - 4ξ + 3ξ² + φ(1 - ξ)) θ1 + (3ξ² - 2ξ + φξ) θ2 ] / (1 + φ)
    v' - θ = -φ/(1 + φ) [ (v1 - v2)/L + ½(θ1 + θ2) ],  the shear strain, constant.
Bending in the xz plane is the same with w for v and -θy for θ.
"""

from dataclasses import dataclass

import numpy as np

GAUSS = 4
"""Points a length: products of two cubics are of degree 6."""

_XY = ((1, 1.0), (5, 1.0), (7, 1.0), (11, 1.0))
_XZ = ((2, 1.0), (4, -1.0), (8, 1.0), (10, -1.0))


def gauss_on_unit(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points and weights on 0 … 1."""
    points, weights = np.polynomial.legendre.leggauss(n)
    return (points + 1) / 2, weights / 2


@dataclass(frozen=True)
class StraightElements:
    """Many elements at once, arrays (e,): length, EA, GJ, EIy, EIz, and φ of each plane with its shear stiffness kGA.

    phi_y, kGA_y: bending in the xy plane; phi_z, kGA_z: in the xz plane. φ = 0 where shear is left out.
    """

    length: np.ndarray
    EA: np.ndarray
    GJ: np.ndarray
    EIy: np.ndarray
    EIz: np.ndarray
    phi_y: np.ndarray
    phi_z: np.ndarray
    kGA_y: np.ndarray
    kGA_z: np.ndarray

    def shapes(self, xi: np.ndarray) -> np.ndarray:
        """(u, v, w, θx, θy, θz) at ξ (q,) or (e, q): (e, q, 6, 12)."""
        xi = np.broadcast_to(xi, (len(self.length), np.shape(xi)[-1]))
        out = np.zeros((*xi.shape, 6, 12))
        for row in (0, 3):
            out[..., row, row], out[..., row, row + 6] = 1 - xi, xi
        for phi, row, angle, sign, columns in ((self.phi_y, 1, 5, 1.0, _XY), (self.phi_z, 2, 4, -1.0, _XZ)):
            deflection, rotation, _ = bending(xi, self.length[:, None], phi[:, None])
            for k, (column, s) in enumerate(columns):
                out[..., row, column] = s * deflection[k]
                out[..., angle, column] = sign * s * rotation[k]
        return out

    def slopes(self, xi: np.ndarray) -> np.ndarray:
        """(v', w') of the centreline at ξ (q,) or (e, q): (e, q, 2, 12)."""
        xi = np.broadcast_to(xi, (len(self.length), np.shape(xi)[-1]))
        out = np.zeros((*xi.shape, 2, 12))
        for row, phi, columns in ((0, self.phi_y, _XY), (1, self.phi_z, _XZ)):
            _, rotation, shear = bending(xi, self.length[:, None], phi[:, None])
            for k, (column, s) in enumerate(columns):
                out[..., row, column] = s * (rotation[k] + shear[k])
        return out

    def stiffness(self) -> np.ndarray:
        """K of each element in its own axes (e, 12, 12): N/m, N, N m."""
        K = np.zeros((len(self.length), 12, 12))
        for row, rigidity in ((0, self.EA), (3, self.GJ)):
            k = rigidity / self.length
            K[:, row, row] = K[:, row + 6, row + 6] = k
            K[:, row, row + 6] = K[:, row + 6, row] = -k
        xi, weight = gauss_on_unit(2)  # curvatures are linear
        L = self.length
        for EI, phi, kGA, columns in (
            (self.EIz, self.phi_y, self.kGA_y, _XY),
            (self.EIy, self.phi_z, self.kGA_z, _XZ),
        ):
            index = [c for c, _ in columns]
            sign = np.array([s for _, s in columns])
            curvature = sign[:, None, None] * curvatures(xi[None, :], L[:, None], phi[:, None])
            bend = np.einsum("keq,leq,eq->ekl", curvature, curvature, weight * (EI * L)[:, None])
            shear = sign[:, None] * bending(np.zeros(1), L, phi)[2]
            K[:, np.array(index)[:, None], index] += bend + np.einsum("ke,le,e->ekl", shear, shear, kGA * L)
        return K


def bending(xi: np.ndarray, L: np.ndarray, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(deflection, rotation, shear strain) of the four freedoms (v1, θ1, v2, θ2): each (4, …) over ξ's shape."""
    d = 1 + phi
    bubble = phi / 2 * (xi - xi**2)
    deflection = (
        (1 - 3 * xi**2 + 2 * xi**3 + phi * (1 - xi)) / d,
        L * (xi - 2 * xi**2 + xi**3 + bubble) / d,
        (3 * xi**2 - 2 * xi**3 + phi * xi) / d,
        -L * (xi**2 - xi**3 + bubble) / d,
    )
    chord = 6 * (xi**2 - xi) / (L * d)
    rotation = (chord, (1 - 4 * xi + 3 * xi**2 + phi * (1 - xi)) / d, -chord, (3 * xi**2 - 2 * xi + phi * xi) / d)
    one = np.ones_like(xi) * (-phi / d)
    shear = (one / L, one / 2, -one / L, one / 2)
    return np.array(deflection), np.array(rotation), np.array(shear)


def curvatures(xi: np.ndarray, L: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """dθ/dx of the four freedoms (4, …), 1/m."""
    d = L * (1 + phi)
    chord = 6 * (2 * xi - 1) / (L * d)
    return np.array((chord, (-4 + 6 * xi - phi) / d, -chord, (6 * xi - 2 + phi) / d))
