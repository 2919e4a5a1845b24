"""Couplings with rigid motion of bodies given by their matrices, against the elements themselves and closed forms."""

import warnings

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array

from gough.errors import ModalDataWarning
from gough.fem import (
    Circle,
    ClampedModes,
    CraigBampton,
    FreeModes,
    Material,
    Nodal,
    NodeTie,
    Rectangle,
    beam_elements,
    from_matrices,
    place_elements,
    plate_elements,
    reduce,
    solid_elements,
)

STEEL = Material(2.1e11, 7850.0, 0.3)
TURN = np.linalg.qr(np.array([[1.0, 2.0, 0.3], [-0.4, 1.0, 2.0], [3.0, 0.1, 1.0]]))[0]
TURN = TURN * np.linalg.det(TURN)


def freedoms_of(elements):
    """(node, component) of each freedom, -1 where it is no node's own; the freedom's unit motion must be that alone."""
    d = elements.K.shape[0]
    table = np.tile([-1, 0], (d, 1))
    for operator, first in ((elements.translation, 0), (elements.rotation, 3)):
        if operator is not None:
            rows, columns = operator.nonzero()
            for row, column in zip(rows, columns, strict=True):
                assert operator[row, column] == 1.0
                table[column] = row // 3, first + row % 3
    return table


def frame():
    points = [(0.0, 0.0, 0.0), (0.5, 0.1, 0.0), (0.7, 0.1, 0.3)]
    return beam_elements(points, Rectangle(0.02, 0.01), STEEL, elements=2, section_y=(0, 1, 0.3), theory="timoshenko")


def planar():
    return beam_elements([(0, 0), (0.4, 0.1), (0.5, 0.4)], Rectangle(0.02, 0.01), STEEL, elements=3, plane=True)


def plate():
    outline = [(0.0, 0.0), (0.4, -0.05), (0.45, 0.2), (0.05, 0.25)]
    return plate_elements(outline, 0.006, STEEL, size=0.15, theory="kirchhoff")


def block():
    """Hexahedra of 27 nodes, slightly skew."""
    x, y, z = (g.ravel() for g in np.meshgrid(np.linspace(0, 0.3, 5), np.linspace(0, 0.1, 3), np.linspace(0, 0.2, 3)))
    nodes = np.stack([x + 0.1 * y, y, z + 0.2 * x], axis=1)
    number = {tuple(np.round(p, 9)): i for i, p in enumerate(np.stack([x, y, z], axis=1))}
    from gough.fem.solids.elements import KINDS

    cells = [
        [number[tuple(np.round((0.15 * (i + p[0]), 0.1 * p[1], 0.2 * p[2]), 9))] for p in KINDS[27].nodes]
        for i in range(2)
    ]
    return solid_elements(nodes, np.array(cells), STEEL)


def straight():
    """With the inertia of sections that turn, so that M knows all that the mass points do."""
    ends = [(0.0, 0.0, 0.0), (0.6, 0.2, 0.1)]
    return beam_elements(ends, Rectangle(0.02, 0.01), STEEL, elements=3, section_y=(0, 0, 1), rotary_inertia=True)


BODIES = {"frame": frame, "straight": straight, "planar": planar, "plate": plate, "solid": block}
TIES = {
    "frame": {"r": NodeTie((0, 0, 0))},
    "straight": {"r": NodeTie((0, 0, 0))},
    "planar": {"r": NodeTie((0, 0, 0))},
    "plate": {"r": NodeTie((0, 0, 0))},
    "solid": {"r": NodeTie((0.0, 0.0, 0.0), radius=0.12)},
}


def odd(N1):
    return N1 - N1.transpose(0, 2, 1)


def close(a, b, tolerance=1e-9):
    return np.abs(np.asarray(a) - np.asarray(b)).max() <= tolerance * max(np.abs(np.asarray(b)).max(), 1e-300)


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_matrices_have_the_couplings_of_the_elements_they_are_of(name, moved):
    """Mass, mass centre, inertia, momentum of shapes of translation and turning; no warning, and no lumping."""
    elements = BODIES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = from_matrices(elements.K, elements.M, elements.nodes, freedoms_of(elements))
    ties = TIES[name]
    if moved:
        origin = np.array([0.3, -0.2, 0.7])
        elements, given = (place_elements(x, TURN, origin) for x in (elements, given))
        ties = {key: NodeTie(TURN @ np.array(tie.position) + origin, radius=tie.radius) for key, tie in ties.items()}
    ours, theirs = (reduce(x, ClampedModes("r", 5), ties, stiffening="off") for x in (given, elements))
    sign = np.sign(np.sum(ours.shapes * theirs.shapes, axis=(0, 1)))
    assert close(ours.mass, theirs.mass) and close(ours.MS, theirs.MS)
    assert close(ours.J, theirs.J, 1e-2 if name == "planar" else 1e-9)  # out of its plane it has no freedoms
    assert close(ours.MSde * sign, theirs.MSde)
    assert close(odd(ours.N1) * sign[:, None, None], odd(theirs.N1))
    if name in ("straight", "plate"):  # but for the inertia of sections
        assert close(ours.N1 * sign[:, None, None], theirs.N1, 1e-3)
    if name == "solid":  # the same mass in every direction: all integrals
        assert close(ours.N1 * sign[:, None, None], theirs.N1)
        assert close(ours.N2 * np.multiply.outer(sign, sign)[:, :, None, None], theirs.N2)


def superelement(elements, interfaces, modes):
    """Craig and Bampton's matrices with plain algebra: motions of interface nodes, then modes; and nodes of the former."""
    d = elements.K.shape[0]
    table = freedoms_of(elements)
    b = np.flatnonzero(np.isin(table[:, 0], interfaces))
    i = np.setdiff1d(np.arange(d), b)
    K, M = elements.K.toarray(), elements.M.toarray()
    _, phi = eigh(K[np.ix_(i, i)], M[np.ix_(i, i)])
    V = np.zeros((d, len(b) + modes))
    V[b, np.arange(len(b))] = 1.0
    V[i, : len(b)] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    V[i, len(b) :] = phi[:, :modes]
    rows = np.stack([np.searchsorted(interfaces, table[b, 0]), table[b, 1]], axis=1)
    return V.T @ K @ V, V.T @ M @ V, np.concatenate([rows, np.tile([-1, 0], (modes, 1))]), V


@pytest.mark.parametrize("modes", [0, 4])
def test_a_superelement_with_modal_coordinates_moves_as_its_elements(modes):
    elements = frame()
    interfaces = np.array([0, 4])
    K, M, table, V = superelement(elements, interfaces, modes)
    given = from_matrices(csr_array(K), csr_array(M), elements.nodes[interfaces], table)
    ties = {"r": NodeTie(elements.nodes[0]), "t": NodeTie(elements.nodes[4])}
    ours = reduce(given, Nodal("r"), ties)
    theirs = reduce(elements, CraigBampton(("r", "t"), modes, "r"), ties, stiffening="off")
    assert ours.modes == theirs.modes == 6 + modes
    shapes = V[:, 6:]
    field = (elements.field @ shapes).reshape(-1, 3, ours.modes)
    order = [ours.labels.index(f"t.{c}") for c in ("x", "y", "z", "rx", "ry", "rz")] + [
        k for k, label in enumerate(ours.labels) if label.startswith("freedom")
    ]
    assert close(ours.mass, theirs.mass) and close(ours.MS, theirs.MS) and close(ours.J, theirs.J)
    assert close(ours.MSde[:, order], np.einsum("g,gak->ak", elements.mass, field))
    turning = np.einsum("g,gak->ak", elements.mass, np.cross(elements.position[:, :, None], field, axis=1))
    N1 = ours.N1[order]
    assert close(np.stack([N1[:, 1, 2] - N1[:, 2, 1], N1[:, 2, 0] - N1[:, 0, 2], N1[:, 0, 1] - N1[:, 1, 0]]), turning)
    assert ours.frequencies_hz.shape == theirs.frequencies_hz.shape


def test_a_hinged_beam_has_the_frequency_of_the_textbook():
    """Pinned and free: (βL)² √(EI/ρA)/L², βL = 3.92660; masses lumped to the nodes would be per cents off."""
    section, length = Circle(0.01), 1.0
    elements = beam_elements([(0, 0, 0), (length, 0, 0)], section, STEEL, elements=4)
    given = from_matrices(elements.K, elements.M, elements.nodes, freedoms_of(elements))
    body = reduce(given, Nodal("r"), {"r": NodeTie((0, 0, 0))})
    beta = np.array([x[1, 0] - x[0, 1] for x in body.N1]) * -1.0  # (∫ x × Φ dm)_z
    M = np.block([[body.J[2:, 2:], beta[None]], [beta[:, None], body.M]])
    K = np.zeros_like(M)
    K[1:, 1:] = body.K
    keep = [0, *(1 + k for k, label in enumerate(body.labels) if label.endswith((".y", ".rz")))]
    values = eigh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)], eigvals_only=True)
    exact = 3.92660231**2 * np.sqrt(STEEL.young * section.Iz / (STEEL.density * section.area)) / length**2
    assert np.sqrt(values[1]) == pytest.approx(exact, rel=1e-3)
    bends = [5, *(6 * k + c for k in range(1, 5) for c in (1, 5))]
    plain = eigh(*(A.toarray()[np.ix_(bends, bends)] for A in (elements.K, elements.M)), eigvals_only=True)
    assert np.sqrt(values[1:]) == pytest.approx(np.sqrt(plain[1:]), rel=1e-9)


def test_the_first_mode_of_a_cantilever_carries_its_part_of_the_mass():
    """(∫ Φ dm)² = 0.61308 m of a mass-normalised first mode, and 0.18830 m of the second."""
    elements = beam_elements([(0, 0, 0), (0.6, 0, 0)], Rectangle(0.02, 0.01), STEEL, elements=6, section_y=(0, 1, 0))
    given = from_matrices(elements.K, elements.M, elements.nodes, freedoms_of(elements))
    body = reduce(
        given, ClampedModes("r", 3), {"r": NodeTie((0, 0, 0))}
    )  # z, y, z again: the section is twice as stiff in y
    assert body.MSde[2, 0] ** 2 == pytest.approx(0.613076 * body.mass, rel=1e-3)
    assert body.MSde[1, 1] ** 2 == pytest.approx(0.613076 * body.mass, rel=1e-3)


def test_shapes_about_mean_axes_have_no_momentum():
    """Two elements: lumped masses would say that the free modes carry some."""
    elements = frame()
    given = from_matrices(elements.K, elements.M, elements.nodes, freedoms_of(elements))
    body = reduce(given, FreeModes(6))
    assert np.abs(body.MSde).max() < 1e-9 * np.sqrt(body.mass)
    assert np.abs(odd(body.N1)).max() < 1e-9 * np.sqrt(np.trace(body.J))


def test_a_matrix_that_is_no_bodys_mass_is_told():
    elements = frame()
    scale = np.where(np.arange(30) % 6 == 1, 1.3, 1.0)  # more mass along y
    M = csr_array(elements.M.toarray() * np.outer(scale, scale))
    with pytest.warns(ModalDataWarning, match="along its axes"), pytest.warns(ModalDataWarning, match="moments"):
        from_matrices(elements.K, M, elements.nodes, freedoms_of(elements))
