"""Beams of the library's freedoms, evaluated independently: polynomials that solve the unloaded beam, element by element.

Bending in a plane of the section: v is cubic and equilibrium EI th'' + k G A (v' - th) = 0 gives th = v' + c v''' with
c = EI / (k G A), 0 without shear; four numbers at the ends fix the cubic. Stretching and torsion are linear.
A section is four points at (±√(Iz/A), ±√(Iy/A)), which have its area's second moments. Points follow torsion, and with
rotary inertia the section's turning; without, its inertia about y and z is taken away from the whole body's turning too.
Their displacement of second order is that of the centreline, -½ ∫ (v'² + w'²) ds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .field import ElementField, gauss, without_mean

STATIONS = 6


@dataclass(frozen=True)
class Bar:
    """Numbers of a uniform beam; ky, kz None: without shear. Iz = ∫ y² dA."""

    area: float
    Iy: float
    Iz: float
    J: float
    E: float
    G: float
    density: float
    ky: float | None = None
    kz: float | None = None


def bar_of(beam: Any) -> Bar:
    """Numbers of a described beam with one section."""
    s, m = beam.segment_sections()[0], beam.material
    assert all(other == s for other in beam.segment_sections())
    G = m.G if m.G is not None else m.E / (2 * (1 + m.nu))
    if s.tube is not None:
        out, inner = s.tube.radius, s.tube.radius - s.tube.wall
        I = np.pi / 4 * (out**4 - inner**4)
        return Bar(np.pi * (out**2 - inner**2), I, I, 2 * I, m.E, G, m.density)
    if s.rectangle is not None:
        y, z = s.rectangle.y, s.rectangle.z
        assert beam.plane, "torsion of a rectangle is not here"
        return Bar(y * z, y * z**3 / 12, z * y**3 / 12, 1.0, m.E, G, m.density)
    sheared = beam.theory == "timoshenko"
    return Bar(s.area, s.Iy, s.Iz, s.J, m.E, G, m.density, s.ky if sheared else None, s.kz if sheared else None)


def element_axes(along: np.ndarray, plane: bool, section_y: Any) -> np.ndarray:
    """Rows: directions along, of the section's y and of its z."""
    x = along / np.linalg.norm(along)
    wanted = (
        np.cross([0.0, 0.0, 1.0], x) if plane else np.asarray(section_y if section_y is not None else [0.3, 0.5, 0.8])
    )
    y = wanted - (wanted @ x) * x
    y = y / np.linalg.norm(y)
    return np.array([x, y, np.cross(x, y)])


class Bend:
    """A deflection over an element of length L (m coordinates): v1, th1, v2, th2 (m,) at its ends, th = dv/ds sense."""

    def __init__(self, L: float, c: float, ends: np.ndarray) -> None:
        # Unknown: v = a0 + a1 s + a2 s² + a3 s³.
        rows = [[1, 0, 0, 0], [0, 1, 0, 6 * c], [1, L, L**2, L**3], [0, 1, 2 * L, 3 * L**2 + 6 * c]]
        self.a = np.linalg.solve(np.array(rows, float), ends)
        self.c = c

    def value(self, s: np.ndarray) -> np.ndarray:
        """v (s, m)."""
        return np.vander(s, 4, increasing=True) @ self.a

    def slope(self, s: np.ndarray) -> np.ndarray:
        """v' (s, m)."""
        return np.stack([0 * s, 1 + 0 * s, 2 * s, 3 * s**2], axis=1) @ self.a

    def turn(self, s: np.ndarray) -> np.ndarray:
        """th (s, m)."""
        return self.slope(s) + 6 * self.c * self.a[3]

    def curvature(self, s: np.ndarray) -> np.ndarray:
        """th' (s, m)."""
        return np.stack([0 * s, 0 * s, 2 + 0 * s, 6 * s], axis=1) @ self.a


class _Element:
    """One element: fields of all coordinates along it, own axes."""

    def __init__(self, start: np.ndarray, end: np.ndarray, A: np.ndarray, bar: Bar, motion: np.ndarray) -> None:
        """motion (2, 6, m): displacement and rotation of both ends, body axes."""
        self.start, self.A, self.bar = start, A, bar
        self.L = float(np.linalg.norm(end - start))
        u, t = A @ motion[:, :3], A @ motion[:, 3:]  # (2, 3, m)
        shear = [0.0 if k is None else I / k for I, k in ((bar.Iz, bar.ky), (bar.Iy, bar.kz))]
        c = [bar.E * x / (bar.G * bar.area) for x in shear]
        self.v = Bend(self.L, c[0], np.array([u[0, 1], t[0, 2], u[1, 1], t[1, 2]]))
        self.w = Bend(self.L, c[1], np.array([u[0, 2], -t[0, 1], u[1, 2], -t[1, 1]]))
        self.u, self.twist = u[:, 0], t[:, 0]

    def centre(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(displacement, rotation of the section) (s, 3, m), own axes."""
        f = np.stack([1 - s / self.L, s / self.L], axis=1)
        moved = np.stack([f @ self.u, self.v.value(s), self.w.value(s)], axis=1)
        return moved, np.stack([f @ self.twist, -self.w.turn(s), self.v.turn(s)], axis=1)

    def shortening(self, s: float) -> np.ndarray:
        """-∫ (v' v' + w' w') from the start to s (m, m)."""
        x, weight = gauss(5)
        slopes = np.concatenate([b.slope(s * x) for b in (self.v, self.w)])
        return -s * np.einsum("q,qk,ql->kl", np.tile(weight, 2), slopes, slopes)

    def stiffness(self) -> np.ndarray:
        """Twice the strain energy (m, m)."""
        bar, (x, weight) = self.bar, gauss(4)
        s, w = x * self.L, weight * self.L
        K = np.zeros((self.u.shape[1],) * 2)
        for rigidity, ends in ((bar.E * bar.area, self.u), (bar.G * bar.J, self.twist)):
            K += rigidity / self.L * np.outer(ends[1] - ends[0], ends[1] - ends[0])
        for I, k, bend in ((bar.Iz, bar.ky, self.v), (bar.Iy, bar.kz, self.w)):
            bent = bend.curvature(s)
            K += bar.E * I * np.einsum("q,qk,ql->kl", w, bent, bent)
            if k is not None:
                strain = bend.slope(s) - bend.turn(s)
                K += k * bar.G * bar.area * np.einsum("q,qk,ql->kl", w, strain, strain)
        return K


def _taken_away(bar: Bar) -> list[tuple[np.ndarray, float, bool]]:
    """(offset, share of the mass, follows torsion) of points with the inertia -diag(0, Iy, Iz) and no mass in all.

    A section without rotary inertia has none about y and z, neither where the beam bends nor where the whole body turns.
    """
    inertia = -np.diag([0.0, bar.Iy, bar.Iz]) / bar.area
    moments = np.diag(np.trace(inertia) / 2 * np.eye(3) - inertia)
    at = 1.7 * np.sqrt((bar.Iy + bar.Iz) / bar.area)  # anywhere
    pairs = [(sign * at * e, moments[k] / (2 * at**2), False) for k, e in enumerate(np.eye(3)) for sign in (1, -1)]
    return [*pairs, (np.zeros(3), -sum(share for _, share, _ in pairs), False)]


def beam_field(
    nodes: np.ndarray,
    bar: Bar,
    motion: np.ndarray,
    labels: tuple[str, ...],
    *,
    plane: bool = False,
    section_y: Any = None,
    rotary: bool = False,
    stiffened: bool = True,
    held: Any = None,
) -> ElementField:
    """A line of elements through nodes (n, 3). motion (n, 6, m): displacement and rotation vector of the nodes.

    held: the place (3,) whose displacement of second order is none, or None: mean axes.
    """
    m = motion.shape[2]
    x, weight = gauss(STATIONS)
    y, z = np.sqrt(bar.Iz / bar.area), np.sqrt(bar.Iy / bar.area)
    corners = [(0.0, 0.0)] if plane and not rotary else [(y, z), (y, -z), (-y, z), (-y, -z)]
    section = [(np.array([0.0, a, b]), 1 / len(corners), True) for a, b in corners]
    if not plane and not rotary:
        section += _taken_away(bar)
    mass, position, shape, second = [], [], [], []
    drawn, K = [np.zeros((3, m, m))], np.zeros((m, m))
    for k in range(len(nodes) - 1):
        A = element_axes(nodes[k + 1] - nodes[k], plane, section_y)
        e = _Element(nodes[k], nodes[k + 1], A, bar, motion[k : k + 2])
        K += e.stiffness()
        centre, turn = e.centre(x * e.L)
        for i in range(STATIONS):
            pulled = drawn[-1] + np.multiply.outer(A[0], e.shortening(float(x[i] * e.L)))
            for off, share, twisted in section:
                follows = turn[i] if rotary else turn[i] * np.array([[float(twisted)], [0.0], [0.0]])
                mass.append(bar.density * bar.area * e.L * weight[i] * share)
                position.append(nodes[k] + A.T @ (off + [x[i] * e.L, 0, 0]))
                shape.append(A.T @ (centre[i] + np.cross(follows.T, off).T))
                second.append(pulled)
        drawn.append(drawn[-1] + np.multiply.outer(A[0], e.shortening(e.L)))
    field = ElementField(
        np.array(mass),
        np.array(position),
        np.array(shape),
        None,
        K,
        np.zeros((m, m)),
        labels,
        np.asarray(nodes, float),
        motion[:, :3],
        motion[:, 3:],
    )
    if stiffened:
        points, ends = np.array(second), np.array(drawn)
        if held is None:
            points, ends = without_mean(points, ends, field)
        else:
            here = int(np.argmin(np.linalg.norm(nodes - np.asarray(held, float), axis=1)))
            points, ends = points - ends[here], ends - ends[here]
        field.second, field.drawn = points, ends
    return field
