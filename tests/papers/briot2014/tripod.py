"""A spatial robot for [Briot 2014], because the planar one hides misprints: three legs R-P-S with flexible bars.

Ours, all dimensions. Leg: hinge, driven slide, flexible bar with the six coordinates of its tip, a rigid foot, a ball
joint off the bar's axis. Leg 0 slides on a flexible body: an offset that grows follows its deformed tip. For the
transcription the ball joint is three hinges on bodies without mass; the library cuts the loops at the ball joints.
"""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np

import gough
from gough.robot import loads
from papers.briot2014.dualemps import moving
from papers.briot2014.tree import Element, Robot, State, recursion
from papers.shape_integrals import of_points, rigid
from papers.vectors import parallel_axis, rotation_x, rotation_y, rotation_z
from reference.designs.drawing import quaternion_matrix
from reference.flexible.points import FlexiblePoints, MassPoints, flexible_robot

LENGTH, WIDTH, HEIGHT, YOUNG, SHEAR, DENSITY = 0.3, 0.012, 0.008, 70e9, 26e9, 2700.0
LABELS: tuple[str, ...] = ("x", "y", "z", "rx", "ry", "rz")
SLIDE_AT, BALL_AT = np.array([0.03, -0.15, 0.02]), np.array([0.05, 0.02, -0.03])
BAR_AT, BAR_TURN = np.array([0.01, -0.02, 0.04]), -np.pi / 2
MASSES = {"lower": (2.0, (0.02, -0.08, 0.01)), "slider": (1.5, (0.01, 0.02, -0.05)), "foot": (0.4, (0.02, 0.01, -0.01))}
MASSES["platform"] = (3.0, (0.03, -0.02, 0.04))
TENSORS = {"lower": (0.02, 0.012, 0.018), "slider": (0.006, 0.007, 0.004), "foot": (4e-4, 5e-4, 6e-4)}
TENSORS["platform"] = (0.03, 0.025, 0.05)
ANGLES = np.array([0.0, 2.1, 4.0])
BASES = 0.35 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES), 0 * ANGLES])
HOME = {"hinge": (-0.24, -0.2, -0.28), "slide": (0.3, 0.32, 0.28), "platform": np.array([0.02, -0.03, 0.8])}
GRAVITY = np.array([1.5, -2.0, -9.3])
QUARTER = rotation_x(np.pi / 2)  # from one axis of a ball joint to the next
START = rotation_z(0.4) @ QUARTER @ rotation_z(1.3) @ QUARTER  # keeps the three hinges of a ball from lining up


class Bar(MassPoints):
    """Cubic shapes of a straight bar along x, held at x = 0; its sections turn with it. Mass at quadrature points."""

    def __init__(self):
        x, weight = np.polynomial.legendre.leggauss(5)
        corner = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) / np.sqrt(12)
        self.position = np.array(
            [[LENGTH * (a + 1) / 2, WIDTH * y, HEIGHT * z] for a in x for y, z in corner]  # two points a direction
        )
        self.mass = np.repeat(DENSITY * WIDTH * HEIGHT * LENGTH * weight / 2, 4) / 4
        self.labels, L = LABELS, LENGTH
        flat, tall = HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
        self.K, self.D = np.zeros((6, 6)), np.zeros((6, 6))
        self.K[0, 0], self.K[3, 3] = YOUNG * WIDTH * HEIGHT / L, SHEAR * 0.2 * WIDTH * HEIGHT**3 / L
        self.K[np.ix_([1, 5], [1, 5])] = YOUNG * flat / L**3 * np.array([[12, -6 * L], [-6 * L, 4 * L**2]])
        self.K[np.ix_([2, 4], [2, 4])] = YOUNG * tall / L**3 * np.array([[12, 6 * L], [6 * L, 4 * L**2]])

    @property
    def shape(self):
        """Shapes (g, 3, 6) at the mass points."""
        return np.array([self.at(p)[0] for p in self.position])

    @property
    def second(self):
        """None: no stiffening."""
        return None

    def at(self, p):
        """Displacements and turns (3, 6) at a point."""
        s, L = p[0] / LENGTH, LENGTH
        turn, axis = np.zeros((3, 6)), np.zeros((3, 6))
        bend, lean = 3 * s**2 - 2 * s**3, L * (s**3 - s**2)
        slope, tilt = (6 * s - 6 * s**2) / L, 3 * s**2 - 2 * s
        axis[0, 0], axis[1, [1, 5]], axis[2, [2, 4]] = s, [bend, lean], [bend, -lean]
        turn[0, 3], turn[2, [1, 5]], turn[1, [2, 4]] = s, [slope, tilt], [-slope, tilt]
        return axis + np.cross(turn.T, [0.0, p[1], p[2]]).T, turn, None


BAR = Bar()
LOWER = FlexiblePoints(3, 2, size=0.1, weight=2.0, held=True)
LOWER.D = 0 * LOWER.D  # the paper has no damping


def coordinates():
    """Names of q_t: the library's, and three turns of each ball joint."""
    out = []
    for i in range(3):
        out += [f"leg{i}.hinge", f"leg{i}.slide", *(f"leg{i}.bar.{x}" for x in LABELS)]
        out += [f"leg{i}.ball{k}" for k in range(3)] + ([f"leg0.lower.{x}" for x in LOWER.labels] if i == 0 else [])
    return out


def about_origin(name):
    """A rigid body with its tensor about the origin."""
    m, center = MASSES[name]
    return rigid(m, m * np.array(center), np.diag(TENSORS[name]) + parallel_axis(m, np.array(center)))


@cache
def chains():
    """Elements of all legs, seven each: hinge, slide, bar, foot, and three of the ball joint."""
    names, none, elements = coordinates(), rigid(0.0, np.zeros(3), np.zeros((3, 3))), []
    bar = of_points(BAR.mass, BAR.position, BAR.shape, BAR.K, BAR.D)
    lower = of_points(LOWER.mass, LOWER.position, LOWER.shape, LOWER.K, LOWER.D)
    tip = np.array([LENGTH, 0, 0])
    for i in range(3):
        at = {n.split(".", 1)[1]: k for k, n in enumerate(names) if n.startswith(f"leg{i}.")}
        base, n, zero = rotation_z(ANGLES[i]), len(elements), np.zeros(3)
        soft = tuple(at[f"lower.{x}"] for x in LOWER.labels) if i == 0 else ()
        held = LOWER.at(SLIDE_AT)[:2] if i == 0 else (None, None)
        hinge, slider, foot = lower if i == 0 else about_origin("lower"), about_origin("slider"), about_origin("foot")
        elements += [
            Element(-1, "revolute", base @ rotation_x(-np.pi / 2), BASES[i], hinge, at["hinge"], soft),
            Element(n, "prismatic", rotation_x(np.pi / 2), SLIDE_AT, slider, at["slide"], (), *held),
            Element(n + 1, "fixed", rotation_y(BAR_TURN), BAR_AT, bar, elastic=tuple(at[f"bar.{x}"] for x in LABELS)),
            Element(n + 2, "fixed", np.eye(3), tip, foot, -1, (), *BAR.at(tip)[:2]),
            Element(n + 3, "revolute", np.eye(3), BALL_AT, none, joint=at["ball0"]),
            Element(n + 4, "revolute", QUARTER, zero, none, joint=at["ball1"]),
            Element(n + 5, "revolute", QUARTER, zero, none, joint=at["ball2"]),
        ]
    return tuple(elements)


@cache
def robot():
    """For the transcription; the platform's balls are where the legs have theirs at home."""
    names, still = coordinates(), np.zeros(len(coordinates()))
    drives = tuple(names.index(f"leg{i}.slide") for i in range(3))
    unclosed = Robot(
        chains(), (6, 13, 20), np.zeros((3, 3)), (2, 9, 16), drives, about_origin("platform"), GRAVITY, still, still
    )
    home = np.zeros(len(names))
    for i in range(3):
        home[names.index(f"leg{i}.hinge")], home[names.index(f"leg{i}.slide")] = HOME["hinge"][i], HOME["slide"][i]
    chain = recursion(unclosed, State(home, still, np.eye(3), np.zeros(6)))
    return replace(unclosed, points=np.array([chain.origin[k] - HOME["platform"] for k in unclosed.ends]))


def _inertia(name):
    x, y, z = TENSORS[name]
    m, center = MASSES[name]
    return f"mass: {m}, center_of_mass: {list(center)}, inertia: {{about: center_of_mass, xx: {x}, yy: {y}, zz: {z}}}"


@cache
def model():
    """The library's model."""
    legs = "".join(
        f"  - {{like: rps, base: {{position: {BASES[i].tolist()}, rpy_zyx: [{ANGLES[i]}, 0, 0]}}, "
        f"on_platform: {{position: {robot().points[i].tolist()}}}}}\n"
        for i in range(3)
    )
    home = ", ".join(f"leg{i}.{x}: {HOME[x][i]}" for i in range(3) for x in ("hinge", "slide"))
    text = f"""
format: 1
name: tripod
gravity: {GRAVITY.tolist()}
platform: {{{_inertia("platform")}}}
templates:
  rps:
    chain:
      - {{name: hinge, type: revolute, mdh: {{alpha: -90 deg}}, body: {{name: lower, {_inertia("lower")}}}}}
      - name: slide
        type: prismatic
        pose: {{position: {SLIDE_AT.tolist()}, matrix: {rotation_x(np.pi / 2).round(15).tolist()}}}
        drive: {{}}
        body: {{name: slider, {_inertia("slider")}}}
      - name: root
        type: fixed
        pose: {{position: {BAR_AT.tolist()}, matrix: {rotation_y(BAR_TURN).round(15).tolist()}}}
        body: {{name: bar, mass: 0.1}}
      - {{name: end, type: fixed, pose: {{position: [{LENGTH}, 0, 0]}}, body: {{name: foot, {_inertia("foot")}}}}}
    cut: {{name: ball, type: spherical, on_leg: {{position: {BALL_AT.tolist()}}}}}
legs:
{legs}velocities: drives
home: {{pose: {{position: {HOME["platform"].tolist()}}}, joints: {{{home}}}}}
"""
    flexible = {"leg0.lower": LOWER} | {f"leg{i}.bar": BAR for i in range(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(flexible_robot(loads(text), flexible))


@cache
def states(count):
    """Library's q, v (states in front) and the same states for the transcription."""
    m, arm, rng = model(), robot(), np.random.default_rng(31)
    names, drives = list(m.layout.q_names), np.array(HOME["slide"]) + rng.uniform(-0.03, 0.03, (count, 3))
    large: dict[str, float] = dict(zip(LABELS, (2e-6, 4e-3, 4e-3, 0.05, 0.04, 0.04), strict=True))
    bent = np.array([0.01 if "lower" in name else large[name.split(".")[-1]] for name in m.layout.v_names[3:]])
    q = m.configuration(drives=drives, elastic=bent * rng.uniform(-1, 1, (count, len(bent))))
    v = [rng.uniform(-1.5, 1.5, (count, 3)), 20 * bent * rng.uniform(-1, 1, (count, len(bent)))]
    v = np.concatenate(v, axis=-1)
    chosen = [coordinates().index(name) for name in m.layout.v_names]
    return q, v, [moving(arm, *_tree(arm, names, a), chosen, b) for a, b in zip(q, v, strict=True)]


def _tree(arm, names, q):
    """q_t and the platform's rotation from the library's q."""
    R_p, known = quaternion_matrix(q[3:7]), coordinates()
    found = np.array([q[names.index(c)] if c in names else 0.0 for c in known])
    chain = recursion(arm, State(found, 0 * found, R_p, np.zeros(6)))
    for i in range(3):
        Q = chain.R[7 * i + 3].T @ R_p @ START  # any constant turn between the last hinge and the platform will do
        turns = np.arctan2(Q[1, 2], Q[0, 2]), np.arccos(-Q[2, 2]), np.arctan2(-Q[2, 1], Q[2, 0])
        for k in range(3):
            found[known.index(f"leg{i}.ball{k}")] = turns[k]
    return found, R_p
