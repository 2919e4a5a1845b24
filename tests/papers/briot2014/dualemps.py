"""DualEMPS of [Briot 2014, section 5] for the transcription, with and without a mass on its platform, and as the library has it.

Motion in the plane (x0, z0). The platform is element 15, fixed to leg 1; leg 2 ends in element 25. Links 16 and 17 hang
on the platform. Elastic links: one cubic element each, ρAL, integrals by Gauss points (exact for polynomials).
"""

from functools import cache

import numpy as np

from papers import library
from papers.briot2014.closed import closed_model
from papers.briot2014.tree import Element, Robot, State, recursion
from papers.shape_integrals import of_points, rigid
from papers.vectors import rotation_x

E, DENSITY, AREA, SECOND_MOMENT = 74e9, 2800.0, 0.004 * 0.05, 0.05 * 0.004**3 / 12
PLANE = (0, 1, 5)  # x, y, rotation about z in leg frames
FREEDOMS = np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, -1], [0, 0, 0]])  # z of leg frames is -y0
LABELS = ("tip.x", "tip.y", "tip.rz")
COORDINATES = (
    "q11",
    "q12",
    *(f"link13.{x}" for x in LABELS),
    *(f"link16.{x}" for x in LABELS),
    "q21",
    "q22",
    *(f"link23.{x}" for x in LABELS),
    "q25",
)
HAND = {
    "m": 1.3,
    "c": np.array([0.04, 0.05, 0.0]),
    "MX": 0.03,
    "MY": -0.02,
    "ZZ": 0.012,
}  # ours: a mass for the platform
HAND_EDITS = (
    (
        "joints:   # [Briot",
        "  - {name: hand, parameters: {M: 1.3, MX: 0.03, MY: -0.02, ZZ: 0.012}}\njoints:   # [Briot",
    ),
    (
        "loops:\n",
        "  - {name: hold, type: fixed, parent: link14, child: hand, pose: {position: [0.122, 0.05, 0]}}\nloops:\n",
    ),
)


def beam(length):
    """A planar cubic element held at its root; coordinates: displacement along, across and rotation of its tip."""
    x, weight = np.polynomial.legendre.leggauss(5)
    s, L = (x + 1) / 2, length
    shape = np.zeros((len(s), 3, 3))
    shape[:, 0, 0], shape[:, 1, 1], shape[:, 1, 2] = s, 3 * s**2 - 2 * s**3, L * (s**3 - s**2)
    bending = E * SECOND_MOMENT / L**3 * np.array([[12, -6 * L], [-6 * L, 4 * L**2]])
    K = np.zeros((3, 3))
    K[0, 0], K[1:, 1:] = E * AREA / L, bending
    position = np.column_stack([s * L, 0 * s, 0 * s])
    return of_points(DENSITY * AREA * L * weight / 2, position, shape, K, np.zeros((3, 3)))


def bar(m, mx, zz):
    """A rigid link of Table 2."""
    return rigid(m, [mx, 0, 0], np.diag([0.0, zz, zz]))


@cache
def robot(with_mass=False):
    """Tables 1 and 2."""
    none, straight, up = rigid(0.0, np.zeros(3), np.zeros((3, 3))), np.eye(3), rotation_x(np.pi / 2)
    tip = {"Phi_d": np.eye(3)[:, [0, 1, 2]] * [1, 1, 0], "Phi_r": np.outer([0, 0, 1.0], [0, 0, 1.0])}

    def at(x):
        return np.array([x, 0.0, 0.0])

    elements = (
        Element(-1, "prismatic", straight, at(0.0), bar(95.196, 0.0, 0.0), joint=0),  # 11
        Element(0, "revolute", up, at(0.0), bar(0.843, 0.004, 7.06e-4), joint=1),  # 12
        Element(1, "fixed", straight, at(0.0675), beam(0.4505), elastic=(2, 3, 4)),  # 13
        Element(2, "fixed", straight, at(0.4505), bar(0.396, 0.030, 0.003), **tip),  # 14
        Element(3, "fixed", straight, at(0.082), none),  # 15
        Element(4, "fixed", straight, at(0.065), beam(0.14), elastic=(5, 6, 7)),  # 16
        Element(5, "fixed", straight, at(0.14), bar(0.177, 0.006, 2.56e-4), **tip),  # 17
        Element(-1, "prismatic", straight, at(0.4), bar(95.196, 0.0, 0.0), joint=8),  # 21
        Element(7, "revolute", up, at(0.0), bar(0.843, 0.004, 7.06e-4), joint=9),  # 22
        Element(8, "fixed", straight, at(0.0675), beam(0.4505), elastic=(10, 11, 12)),  # 23
        Element(9, "fixed", straight, at(0.4505), bar(0.190, 0.011, 9.44e-4), **tip),  # 24
        Element(10, "revolute", straight, at(0.082), none, joint=13),  # 25
    )
    F_v, F_s = np.zeros(14), np.zeros(14)
    F_v[[0, 8, 1, 9, 13]], F_s[[0, 8, 1, 9, 13]] = [250, 250, 0.08, 0.08, 0.005], [25, 25, 0.02, 0.02, 0.01]
    platform, points = none, np.zeros((2, 3))
    if with_mass:
        platform = rigid(HAND["m"], [HAND["MX"], HAND["MY"], 0], np.diag([0, 0, HAND["ZZ"]]))
        points = np.array([-HAND["c"], -HAND["c"]])
    return Robot(
        elements, (4, 11), points, (2, 9), (0, 8), platform, np.array([0, -9.81, 0]), F_v, F_s, PLANE, FREEDOMS
    )


def model(with_mass=False):
    """The library's model."""
    return library.model("dualemps", HAND_EDITS if with_mass else ())


@cache
def states(with_mass, count):
    """Library's q, v (states in front) and the same states for the transcription."""
    m, rng = model(with_mass), np.random.default_rng(21)
    names, arm = list(m.layout.q_names), robot(with_mass)
    bent = np.array([2e-7, 0.01, 0.05] * 3)
    q = m.configuration(
        drives=rng.uniform(0.0, 0.25, (count, 2)), elastic=bent * rng.uniform(-1, 1, (count, 9)), near=m.home
    )
    v = np.concatenate([rng.uniform(-1, 1, (count, 2)), 30 * bent * rng.uniform(-1, 1, (count, 9))], axis=-1)
    chosen = [COORDINATES.index(name) for name in m.layout.v_names]
    return q, v, [moving(arm, *_tree(arm, names, a), chosen, b) for a, b in zip(q, v, strict=True)]


def _tree(arm, names, q):
    """q_t and the platform's rotation from the library's q; q25 from the turns of both legs."""
    found = np.array([q[names.index(c)] if c in names else 0.0 for c in COORDINATES])
    found[13] = found[1] + found[4] - found[9] - found[12]
    return found, recursion(arm, State(found, 0 * found, np.eye(3), np.zeros(6))).R[arm.ends[0]]


def moving(arm, q, R_p, chosen, v):
    """State with the rates v of the chosen entries of q_t; the loops must be closed."""
    rest = State(q, 0 * q, np.eye(3), np.zeros(6))
    chain = recursion(arm, rest)
    centers = [chain.origin[e] - R_p @ p for e, p in zip(arm.ends, arm.points, strict=True)]
    assert np.max(np.abs(centers - centers[0])) < 1e-10
    J = closed_model(arm, State(q, 0 * q, R_p, np.zeros(6))).J
    rates = J @ np.linalg.solve(J[chosen], v)
    return State(q, rates[: len(q)], R_p, arm.freedoms @ rates[len(q) :])
