"""Bodies of every kind of element, skew in space, each with the mass and inertia it must have by closed form."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import splu

from gough.fem import FiniteElements, IBeam, Material, Rectangle, beam_elements, plate_elements, solid_elements

STEEL = Material(2.1e11, 7850.0, poisson=0.3)
SKEW = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
SKEW = SKEW * np.sign(np.linalg.det(SKEW))
ORIGIN = np.array([0.3, -0.2, 0.5])
OUTLINE = np.array([[0.0, 0.0], [1.2, 0.1], [1.1, 1.1], [-0.1, 0.9]])
HOLE = np.array([[0.4, 0.4], [0.8, 0.4], [0.6, 0.75]])
THICKNESS = 0.02
HEX = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
# Six tetrahedra around the diagonal 0–6: neighbours' faces match.
KUHN = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


@dataclass(frozen=True)
class Body:
    """elements; mass matrix (6, 6) of rigid motion (v, ω) about the origin; motions (6, r): the rigid motions the freedoms
    can make."""

    elements: FiniteElements
    rigid_mass: np.ndarray
    motions: np.ndarray


def freedom_count(elements):
    return len(elements.K.diagonal())


def solved(A, b):
    """A⁻¹ b of a sparse symmetric A, scaled to a unit diagonal first, refined once."""
    scale = diags_array(1 / np.sqrt(A.diagonal()))
    factor = splu((scale @ A @ scale).tocsc())
    x = scale @ factor.solve(scale @ b)
    return x + scale @ factor.solve(scale @ (b - A @ x))


def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rigid_mass(mass, centre, central):
    """(6, 6) about the origin from mass, mass centre (3,) and inertia about it (3, 3)."""
    c = skew(centre)
    return np.block([[mass * np.eye(3), -mass * c], [mass * c, central - mass * c @ c]])


def rod(start, end, section_axes, A, Iy, Iz, rotary):
    """A straight bar; without rotary inertia only its spin about itself counts beside the line's."""
    L = np.linalg.norm(end - start)
    x, y, z = section_axes
    m = STEEL.density * A * L
    inertia = m * L**2 / 12 * (np.eye(3) - np.outer(x, x)) + m / A * (Iy + Iz) * np.outer(x, x)
    if rotary:
        inertia = inertia + m / A * (Iy * np.outer(y, y) + Iz * np.outer(z, z))
    return rigid_mass(m, (start + end) / 2, inertia)


def beam_body(theory, rotary):
    points = np.array([[0.1, 0.2, 0.3], [0.6, 0.1, 0.9], [0.9, 0.9, 0.7]])
    sections = [Rectangle(0.03, 0.05), IBeam(0.08, 0.05, 0.006, 0.008)]
    up = np.array([0.1, 0.9, 0.2])
    choices = {"theory": theory, "section_y": up, "rotary_inertia": rotary}
    elements = beam_elements(points, sections, STEEL, elements=[2, 3], **choices)
    total = np.zeros((6, 6))
    for (a, b), s in zip(((0, 1), (1, 2)), sections, strict=True):
        x = (points[b] - points[a]) / np.linalg.norm(points[b] - points[a])
        z = np.cross(x, up) / np.linalg.norm(np.cross(x, up))
        axes = (x, np.cross(z, x), z)
        total += rod(points[a], points[b], axes, s.area, s.Iy, s.Iz, rotary)
    return Body(elements, total, np.eye(6))


def plane_beam_body(theory):
    points = np.array([[0.1, 0.2, 0.05], [0.6, 0.1, 0.05], [0.9, 0.9, 0.05]])
    s = Rectangle(0.03, 0.05)
    rotary = theory == "timoshenko"
    elements = beam_elements(points, s, STEEL, elements=3, theory=theory, plane=True)
    total = np.zeros((6, 6))
    for a, b in ((0, 1), (1, 2)):
        x = (points[b] - points[a]) / np.linalg.norm(points[b] - points[a])
        axes = (x, np.cross([0, 0, 1], x), np.array([0, 0, 1]))
        section = (s.Iy, s.Iz) if rotary else (0.0, 0.0)
        total += rod(points[a], points[b], axes, s.area, *section, rotary)
    return Body(elements, total, np.eye(6)[:, [0, 1, 5]])


def polygon_lamina(corners):
    """(A, centroid (2,), ∫ (x, y)(x, y)ᵀ dA about the centroid) by Green's theorem."""
    x, y = corners.T
    xn, yn = np.roll(x, -1), np.roll(y, -1)
    c = x * yn - xn * y
    area = c.sum() / 2
    centre = np.array([(c * (x + xn)).sum(), (c * (y + yn)).sum()]) / (6 * area)
    xx = (c * (x**2 + x * xn + xn**2)).sum() / 12
    yy = (c * (y**2 + y * yn + yn**2)).sum() / 12
    xy = (c * (x * yn + 2 * x * y + 2 * xn * yn + xn * y)).sum() / 24
    return area, centre, np.array([[xx, xy], [xy, yy]])


def plate_rigid_mass(rotary, holed):
    (area, c, second), (hole, c_hole, second_hole) = polygon_lamina(OUTLINE), polygon_lamina(HOLE)
    hole, second_hole = holed * hole, holed * second_hole
    total = area - hole
    centre = (area * c - hole * c_hole) / total
    second = second - second_hole - total * np.outer(centre, centre)
    through = total * THICKNESS**2 / 12 if rotary else 0.0
    moments = np.zeros((3, 3))
    moments[:2, :2], moments[2, 2] = second, through
    per_area = STEEL.density * THICKNESS
    central = per_area * SKEW @ (np.trace(moments) * np.eye(3) - moments) @ SKEW.T
    return rigid_mass(per_area * total, ORIGIN + SKEW[:, :2] @ centre, central)


def plate_body(theory, membrane, rotary=None):
    holed = theory == "kirchhoff"  # the other has so many freedoms without
    elements = plate_elements(
        OUTLINE,
        THICKNESS,
        STEEL,
        size=0.6,
        holes=[HOLE] if holed else [],
        points=[[0.2, 0.3]],
        theory=theory,
        membrane=membrane,
        rotary_inertia=rotary,
        rotation=SKEW,
        origin=ORIGIN,
    )
    expected = plate_rigid_mass(theory == "mindlin" if rotary is None else rotary, holed)
    return Body(elements, expected, np.eye(6) if membrane else across_motions())


def across_motions():
    """Along the normal, and turns about two axes in the plate through ORIGIN."""
    out = np.zeros((6, 3))
    out[:3, 0] = SKEW[:, 2]
    for k in (0, 1):
        out[:3, k + 1], out[3:, k + 1] = np.cross(ORIGIN, SKEW[:, k]), SKEW[:, k]
    return out


def box(counts, size, kind):
    """Nodes (n, 3) and cells (c, k) of a box cut into cells of `kind` nodes."""
    steps = 2 if kind in (10, 20, 27) else 1
    fine = np.array(counts) * steps
    grid = np.array(list(product(*(np.arange(n + 1) for n in fine))))
    cells = []
    for corner in product(*(range(n) for n in counts)):
        corners = (np.array(corner) + HEX) * steps
        if kind in (4, 10):
            cells += [tetrahedron(corners[list(t)], kind) for t in KUHN]
        else:
            cells.append(hexahedron(corners, kind))
    number = {tuple(p): i for i, p in enumerate(grid)}
    used = sorted({number[tuple(p)] for cell in cells for p in cell})
    new = {old: i for i, old in enumerate(used)}
    index = np.array([[new[number[tuple(p)]] for p in cell] for cell in cells])
    return grid[used] / fine * np.array(size), index


def tetrahedron(c, kind):
    if kind == 4:
        return list(c)
    return [*c, *((c[i] + c[j]) // 2 for i, j in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)))]


def hexahedron(c, kind):
    ring = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    faces = [(0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7)]
    out = list(c)
    if kind >= 20:
        out += [(c[i] + c[j]) // 2 for i, j in ring]
    if kind == 27:
        out += [c[list(f)].sum(axis=0) // 4 for f in faces] + [c.sum(axis=0) // 8]
    return out


def solid_body(kind):
    size = np.array([0.6, 0.4, 0.2])
    nodes, cells = box((2, 2, 1), size, kind)
    if kind == 8:  # cells that are no boxes: the middle column of nodes moves, the body stays
        inner = np.all((nodes[:, :2] > 1e-9) & (nodes[:, :2] < size[:2] - 1e-9), axis=1)
        nodes[inner, :2] += [0.05, 0.03]
    elements = solid_elements(nodes @ SKEW.T + ORIGIN, cells, STEEL)
    mass = STEEL.density * size.prod()
    central = mass / 12 * SKEW @ np.diag(np.sum(size**2) - size**2) @ SKEW.T
    expected = rigid_mass(mass, ORIGIN + SKEW @ size / 2, central)
    return Body(elements, expected, np.eye(6))


MAKERS: dict[str, Callable[[], Body]] = {
    "euler_bernoulli": lambda: beam_body("euler_bernoulli", False),
    "rayleigh": lambda: beam_body("euler_bernoulli", True),
    "sheared": lambda: beam_body("timoshenko", False),
    "timoshenko": lambda: beam_body("timoshenko", True),
    "plane_euler_bernoulli": lambda: plane_beam_body("euler_bernoulli"),
    "plane_timoshenko": lambda: plane_beam_body("timoshenko"),
    "kirchhoff": lambda: plate_body("kirchhoff", False),
    "kirchhoff_membrane": lambda: plate_body("kirchhoff", True),
    "kirchhoff_rotary": lambda: plate_body("kirchhoff", False, True),
    "mindlin": lambda: plate_body("mindlin", False),
    "mindlin_membrane": lambda: plate_body("mindlin", True),
    **{f"solid_{kind}": lambda kind=kind: solid_body(kind) for kind in (4, 10, 8, 20, 27)},
}


@cache
def body(name: str) -> Body:
    """Made once a process."""
    return MAKERS[name]()
