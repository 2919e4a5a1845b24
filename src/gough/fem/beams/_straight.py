"""One straight beam element in its own axes: x along it, y and z the section's principal axes.

Freedoms of each of the two nodes: u v w (m), θx θy θz (rad). Axial motion and torsion are linear. Bending in the xy plane,
with ξ = x/L and φ = 12 E Iz / (ky G A L²) (φ = 0: Euler–Bernoulli), solves the unloaded Timoshenko beam exactly, so that shear
never locks:
    v  = [ (1 - 3ξ² + 2ξ³ + φ(1 - ξ)) v1 + L (ξ - 2ξ² + ξ³ + ½φ(ξ - ξ²)) θ1
         + (3ξ² - 2ξ³ + φξ) v2 - L (ξ² - ξ³ + ½φ(ξ - ξ²)) θ2 ] / (1 + φ)
    θ  = [ 6(ξ² - ξ)/L (v1 - v2) + (1 - 4ξ + 3ξ² + φ(1 - ξ)) θ1 + (3ξ² - 2ξ + φξ) θ2 ] / (1 + φ)
    v' - θ = -φ/(1 + φ) [ (v1 - v2)/L + ½(θ1 + θ2) ],  the shear strain, constant.
Bending in the xz plane is the same with w for v and -θy for θ.

Bent beams grow no longer, so their points draw nearer to the start: the displacement of second order. With inextensible
centreline, to second order in the slopes, a point at s of a straight beam along direction t moves by -½ ∫₀ˢ (v'² + w'²) ds t; on
a polyline the segments before it add theirs. Hence Ψ_kl = -∫ (v_k' v_l' + w_k' w_l') ds t. Within an element slopes are
quadratic, their products Σ_r q_r P_r(ξ) with Legendre's polynomials P_0 … P_4. So five fields an element make all of Ψ:
-L ∫₀^ξ P_r. The first rises to the element's end and stays, the others vanish at both ends.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Legendre
from scipy.sparse import csr_array

from gough.fem._geometry import gauss_on_unit
from gough.fem._stiffening import SecondOrder

GAUSS = 4
"""Points a length: products of two cubics are of degree 6."""
DEGREES = 5
STATIONS = 6
"""The same where displacements are of second order: products of two displacements of second order are of degree 10."""
NOISE = 1e-12
"""A product of slopes below that beside the shapes' own is rounding: between planes of bending, of stretching and torsion."""

_XY = ((1, 1.0), (5, 1.0), (7, 1.0), (11, 1.0))
_XZ = ((2, 1.0), (4, -1.0), (8, 1.0), (10, -1.0))


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
        out = np.zeros((*xi.shape, 6, 12), dtype=np.result_type(self.phi_y, self.phi_z))
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
        out = np.zeros((*xi.shape, 2, 12), dtype=np.result_type(self.phi_y, self.phi_z))
        for row, phi, columns in ((0, self.phi_y, _XY), (1, self.phi_z, _XZ)):
            _, rotation, shear = bending(xi, self.length[:, None], phi[:, None])
            for k, (column, s) in enumerate(columns):
                out[..., row, column] = s * (rotation[k] + shear[k])
        return out

    def stiffness(self) -> np.ndarray:
        """K of each element in its own axes (e, 12, 12): N/m, N, N m."""
        K = np.zeros((len(self.length), 12, 12), dtype=np.result_type(self.EA, self.GJ, self.EIy, self.EIz))
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


@dataclass(frozen=True)
class BeamShortening:
    """The `Shortening` of a line of elements: direction (e, 3) of each, the elements, their freedoms (e, c) and
    to_local (e, 12, c); mass (g,), position (g, 3), field (3 g, freedoms) at STATIONS an element, several points each."""

    direction: np.ndarray
    elements: StraightElements
    to_local: np.ndarray
    freedoms: np.ndarray
    mass: np.ndarray
    position: np.ndarray
    field: csr_array

    def __call__(self, basis: np.ndarray) -> SecondOrder:
        e, m = len(self.direction), basis.shape[1]
        sampled = self.mass, self.position, (self.field @ basis).reshape(-1, 3, m)
        return SecondOrder(*self._fields(), self._products(basis).reshape(e * DEGREES, m, m), sampled)

    def _products(self, basis: np.ndarray) -> np.ndarray:
        """q_r of products of slopes (e, r, m, m)."""
        xi, weight = gauss_on_unit(DEGREES)  # products of degree 4 times polynomials of degree 4
        ends = np.einsum("eia,eam->eim", self.to_local, basis[self.freedoms])
        slope = np.einsum("eqsi,eim->eqsm", self.elements.slopes(xi), ends)
        tests = np.array([(2 * r + 1) * p(xi) for r, p in enumerate(_polynomials())])
        q = np.einsum("rq,q,eqsk,eqsl->erkl", tests, weight, slope, slope, optimize=True)
        stretch, twist = (ends[:, 6] - ends[:, 0]) / self.elements.length[:, None], ends[:, [3, 9]]
        size = np.sqrt(np.einsum("ekk->k", q[:, 0]) + np.sum(stretch**2, axis=0) + np.sum(twist**2, axis=(0, 1)))
        return np.where(np.abs(q) > NOISE * size[:, None] * size, q, 0.0)

    def _fields(self) -> tuple[np.ndarray, np.ndarray]:
        """At mass points (g, 3, e r) and at nodes (e + 1, 3, e r)."""
        e, xi = len(self.direction), gauss_on_unit(STATIONS)[0]
        drawn = np.array([p.integ(lbnd=0.0)(xi) for p in _polynomials()])  # (r, q)
        along = -self.elements.length[:, None] * self.direction  # (e, 3)
        stations, nodes = np.zeros((e, len(xi), 3, e, DEGREES)), np.zeros((e + 1, 3, e, DEGREES))
        for k in range(e):
            stations[k, :, :, k] = np.einsum("x,rq->qxr", along[k], drawn)
            stations[k + 1 :, :, :, k, 0] = along[k]
            nodes[k + 1 :, :, k, 0] = along[k]
        points = np.repeat(stations.reshape(-1, 3, e * DEGREES), len(self.mass) // (e * STATIONS), axis=0)
        return points, nodes.reshape(e + 1, 3, e * DEGREES)


def _polynomials() -> list[Legendre]:
    """Legendre's polynomials on 0 … 1."""
    return [Legendre.basis(r, domain=[0.0, 1.0]) for r in range(DEGREES)]
