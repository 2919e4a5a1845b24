"""Small bodies for the tests of reduction, written apart from the library's elements: a frame of beams, a truss of masses."""

from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.spatial import cKDTree

from gough.fem import FiniteElements, second_order
from inner.fem import order

GAUSS = np.polynomial.legendre.leggauss(4)


def hermite(s, L):
    """Transverse deflection of a beam at s: values of the four cubic shapes (v1, θ1, v2, θ2), and their slopes."""
    z = s / L
    values = np.array([1 - 3 * z**2 + 2 * z**3, L * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, L * (z**3 - z**2)])
    slopes = np.array([-6 * z + 6 * z**2, L * (1 - 4 * z + 3 * z**2), 6 * z - 6 * z**2, L * (3 * z**2 - 2 * z)]) / L
    return values, slopes


def beam_rows(s, L):
    """Displacement (3, 12) in beam axes at s of an Euler–Bernoulli beam with end freedoms (u, θ) each, and its slopes (3, 12)."""
    z = s / L
    value, slope = hermite(s, L)
    N, S = np.zeros((3, 12)), np.zeros((3, 12))
    N[0, [0, 6]] = 1 - z, z
    N[1, [1, 5, 7, 11]], S[1, [1, 5, 7, 11]] = value, slope
    turn = np.array([1, -1, 1, -1])  # θy = -w'
    N[2, [2, 4, 8, 10]], S[2, [2, 4, 8, 10]] = value * turn, slope * turn
    return N, S


def beam_stiffness(L, EA, EIy, EIz, GJ):
    """Stiffness (12, 12) by integrating the strains of the shapes."""
    K = np.zeros((12, 12))
    for x, w in zip(*GAUSS, strict=True):
        s = 0.5 * L * (1 + x)
        z, w = s / L, 0.5 * L * w
        axial, twist, cz, cy = np.zeros((4, 12))
        axial[[0, 6]] = twist[[3, 9]] = -1 / L, 1 / L
        curve = np.array([-6 + 12 * z, L * (-4 + 6 * z), 6 - 12 * z, L * (6 * z - 2)]) / L**2
        cz[[1, 5, 7, 11]] = curve
        cy[[2, 4, 8, 10]] = curve * [1, -1, 1, -1]
        strains = ((EA, axial), (GJ, twist), (EIz, cz), (EIy, cy))
        K += w * sum(c * np.outer(b, b) for c, b in strains)
    return K


def beam_frame(nodes, bars, EA=2e6, EIy=30.0, EIz=50.0, GJ=25.0, line_mass=1.3, off=0.0):
    """Beams between nodes (n, 3). off (m): half distance of point masses beside the axis, which gives inertia in torsion."""
    nodes = np.asarray(nodes, dtype=float)
    n = len(nodes)
    K = np.zeros((6 * n, 6 * n))
    mass, position, rows = [], [], []
    for i, j in bars:
        edge = nodes[j] - nodes[i]
        L = np.linalg.norm(edge)
        x = edge / L
        y = np.cross([0.0, 0.0, 1.0] if abs(x[2]) < 0.9 else [1.0, 0.0, 0.0], x)
        y /= np.linalg.norm(y)
        R = np.stack([x, y, np.cross(x, y)])  # rows: beam axes
        turn = np.kron(np.eye(4), R)
        pick = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        K[np.ix_(pick, pick)] += turn.T @ beam_stiffness(L, EA, EIy, EIz, GJ) @ turn
        for g, w in zip(*GAUSS, strict=True):
            s = 0.5 * L * (1 + g)
            N, S = beam_rows(s, L)
            spin = np.zeros((3, 12))
            spin[0, [3, 9]] = 1 - s / L, s / L
            spin[1], spin[2] = -S[2], S[1]
            sides = (
                [np.zeros(3)]
                if off == 0.0
                else [np.array([0.0, a, b]) for a, b in ((off, 0), (-off, 0), (0, off), (0, -off))]
            )
            for side in sides:
                row = np.zeros((3, 6 * n))
                row[:, pick] = R.T @ (N + np.cross(spin.T, side).T) @ turn
                mass.append(0.5 * L * w * line_mass / len(sides))
                position.append(nodes[i] + R.T @ (np.array([s, 0, 0]) + side))
                rows.append(row)
    field = np.concatenate(rows)
    M = field.T @ (np.repeat(mass, 3)[:, None] * field)
    select = np.kron(np.eye(n), np.eye(6)).reshape(n, 6, 6 * n)
    return FiniteElements(
        nodes=nodes,
        K=csr_array(K),
        M=csr_array(M),
        translation=csr_array(select[:, :3].reshape(3 * n, -1)),
        rotation=csr_array(select[:, 3:].reshape(3 * n, -1)),
        mass=np.array(mass),
        position=np.array(position),
        field=csr_array(field),
        cells=np.array(bars),
    )


def straight_beam(elements=6, length=0.8, **properties):
    """Along x from the origin."""
    nodes = np.zeros((elements + 1, 3))
    nodes[:, 0] = np.linspace(0.0, length, elements + 1)
    return beam_frame(nodes, [(k, k + 1) for k in range(elements)], **properties)


def shortened(length=0.8, elements=6, **properties):
    """A straight beam that knows how it shortens: Ψ = -∫ (v_k' v_l' + w_k' w_l') along it, by Simpson's rule in each piece."""
    body = straight_beam(elements, length, **properties)
    fine = 40 * elements
    s = np.linspace(0.0, length, fine + 1)
    size = length / elements
    rows = np.zeros((2, 2 * fine + 1, order(body.K)))
    for p, x in enumerate(np.linspace(0.0, length, 2 * fine + 1)):
        k = min(int(x / size), elements - 1)
        rows[:, p, 6 * k : 6 * k + 12] = beam_rows(x - k * size, size)[1][1:]

    def shortening(basis):
        slopes = rows @ basis
        square = np.einsum("apk,apl->pkl", slopes, slopes)
        piece = (square[:-1:2] + 4 * square[1::2] + square[2::2]) * (s[1] - s[0]) / 6
        total = np.concatenate([np.zeros((1, *piece.shape[1:])), np.cumsum(piece, axis=0)])
        curve = CubicSpline(s, total, axis=0)
        out = []
        for places in (body.position, body.nodes):
            psi = np.zeros((len(places), 3, *piece.shape[1:]))
            psi[:, 0] = -curve(places[:, 0])
            out.append(psi)
        return second_order(*out)

    return replace(body, shortening=shortening)


def crooked_frame(**properties):
    """A body without any symmetry, its origin off the mass centre."""
    nodes = [(0.1, 0.2, 0.0), (0.5, 0.25, 0.1), (0.9, 0.1, 0.3), (0.6, 0.7, 0.2), (0.5, 0.3, 0.6), (0.2, 0.6, 0.5)]
    return beam_frame(nodes, [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5)], **({"off": 0.02} | properties))


def truss(shape=(4, 3, 3), spring=1e5, seed=1):
    """Point masses on a lattice (0.1 m), each joined by springs to those near: nodes without rotations, as in a solid."""
    rng = np.random.default_rng(seed)
    nodes = 0.1 * np.array(list(np.ndindex(shape)), dtype=float)
    n = len(nodes)
    i, j = cKDTree(nodes).query_pairs(0.18, output_type="ndarray").T
    way = nodes[j] - nodes[i]
    way /= np.linalg.norm(way, axis=1)[:, None]
    row = np.repeat(np.arange(len(i)), 6)
    column = (3 * np.stack([i, j], axis=1)[:, :, None] + np.arange(3)).ravel()
    stretch = csr_array((np.concatenate([-way, way], axis=1).ravel(), (row, column)), shape=(len(i), 3 * n))
    K = spring * (stretch.T @ stretch)
    mass = rng.uniform(0.02, 0.05, n)
    everything = csr_array(eye_array(3 * n))
    return FiniteElements(
        nodes=nodes,
        K=csr_array(K),
        M=csr_array(diags_array(np.repeat(mass, 3))),
        translation=everything,
        rotation=None,
        mass=mass,
        position=nodes,
        field=everything,
        cells=np.zeros((0, 2), dtype=int),
    )


def lumped_frame():
    """The crooked frame with its mass at the nodes: (elements without mass points, masses (n,), inertias (n, 3, 3))."""
    body = crooked_frame()
    rng = np.random.default_rng(5)
    n = len(body.nodes)
    masses = rng.uniform(0.1, 0.4, n)
    inertias = np.array([np.diag(i) for i in rng.uniform(1e-3, 2e-3, (n, 3))])  # any two exceed the third
    diagonal = np.concatenate([[m, m, m, *np.diag(i)] for m, i in zip(masses, inertias, strict=True)])
    return replace(body, M=csr_array(np.diag(diagonal))), masses, inertias
