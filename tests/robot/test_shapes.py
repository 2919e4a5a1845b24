"""Bodies of simple shape against integrals over them: sums over fine cells that share no formula with the shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gough.robot import Body, DescriptionError, dumps, loads
from reference.energies.masses import pseudo_inertia

MASS = 1.7
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def interval(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    return 0.5 * (high - low) * NODES + 0.5 * (high + low), 0.5 * (high - low) * WEIGHTS


def round_points(r0: float, r1: float, length: float, radius_at: Callable[[float], float] | None = None) -> Any:
    """Points and weights of a solid of revolution about z, from -length/2 to length/2."""
    points, weights = [], []
    angles = np.arange(48) * 2 * np.pi / 48
    for z, wz in zip(*interval(-length / 2, length / 2), strict=True) if length else [(0.0, 1.0)]:
        outer = r1 if radius_at is None else radius_at(z)
        for r, wr in zip(*interval(r0, outer), strict=True) if r0 != outer else [(outer, 1.0)]:
            points += [(r * np.cos(t), r * np.sin(t), z) for t in angles]
            weights += [wz * wr * r] * 48
    return np.array(points), np.array(weights)


def ball_points(radius: float, solid: bool) -> Any:
    points, weights = [], []
    angles = np.arange(48) * 2 * np.pi / 48
    for r, wr in zip(*interval(0, radius), strict=True) if solid else [(radius, 1.0)]:
        for c, wc in zip(NODES, WEIGHTS, strict=True):
            s = np.sqrt(1 - c * c)
            points += [(r * s * np.cos(t), r * s * np.sin(t), r * c) for t in angles]
            weights += [wr * wc * r * r] * 48
    return np.array(points), np.array(weights)


def hexagon_points(side: float, thickness: float) -> Any:
    points, weights = [], []
    corners = [side * np.array([np.cos(k * np.pi / 3), np.sin(k * np.pi / 3)]) for k in range(7)]
    for k in range(6):
        for u, wu in zip(*interval(0, 1), strict=True):
            for v, wv in zip(*interval(0, 1), strict=True):
                p = u * (corners[k] + v * (corners[k + 1] - corners[k]))
                for z, wz in zip(*interval(-thickness / 2, thickness / 2), strict=True):
                    points.append((*p, z))
                    weights.append(wu * wv * wz * u)
    return np.array(points), np.array(weights)


def box_points(x: float, y: float, z: float) -> Any:
    axes = [interval(-size / 2, size / 2) for size in (x, y, z)]
    points = np.array(np.meshgrid(*[a[0] for a in axes], indexing="ij")).reshape(3, -1).T
    weights = np.einsum("i,j,k->ijk", *[a[1] for a in axes]).ravel()
    return points, weights


L, RADIUS = 0.6, 0.11
SHAPES: dict[str, tuple[dict[str, float], Any]] = {
    "point": ({}, (np.zeros((1, 3)), np.ones(1))),
    "rod": ({"length": L}, round_points(0.0, 0.0, L)),
    "ring": ({"radius": RADIUS}, round_points(RADIUS, RADIUS, 0.0)),
    "disc": ({"radius": RADIUS}, round_points(0.0, RADIUS, 0.0)),
    "cylinder": ({"radius": RADIUS, "length": L}, round_points(0.0, RADIUS, L)),
    "tube": ({"radius": RADIUS, "inner_radius": 0.07, "length": L}, round_points(0.07, RADIUS, L)),
    "cone": ({"radius": RADIUS, "length": L}, round_points(0.0, RADIUS, L, lambda z: RADIUS * (0.5 - z / L))),
    "sphere": ({"radius": RADIUS}, ball_points(RADIUS, True)),
    "shell": ({"radius": RADIUS}, ball_points(RADIUS, False)),
    "box": ({"x": 0.2, "y": 0.3, "z": 0.5}, box_points(0.2, 0.3, 0.5)),
    "hexagon_plate": ({"side": 0.2, "thickness": 0.03}, hexagon_points(0.2, 0.03)),
}


def integrated(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(10,) of points (n, 3) with weights (n,), of mass MASS."""
    if not weights.any():  # a thin rod: r = 0
        weights = np.repeat(interval(-L / 2, L / 2)[1], 48)
    w = MASS * weights / weights.sum()
    J = (np.einsum("n,ni,ni->", w, points, points) * np.eye(3)) - np.einsum("n,ni,nj->ij", w, points, points)
    return np.array([w.sum(), *(w @ points), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_shapes_are_what_integrals_say(name: str, axis: str) -> None:
    sizes, (points, weights) = SHAPES[name]
    placed = {"position": [0.3, -0.2, 0.5], "rpy_zyx": [0.4, -0.7, 1.1]}
    written: dict[str, Any] = {"mass": MASS, **sizes}
    turned = name not in ("point", "sphere", "shell", "box")
    if turned:
        written["axis"] = axis
        points = points[:, {"z": [0, 1, 2], "x": [2, 0, 1], "y": [1, 2, 0]}[axis]]
    centre = (weights @ points / weights.sum()) if weights.any() else np.zeros(3)
    c, s = np.cos(0.4), np.sin(0.4)
    cp, sp, cr, sr = np.cos(-0.7), np.sin(-0.7), np.cos(1.1), np.sin(1.1)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    turn = turn @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    body = Body.model_validate({"shape": {name: written, "at": placed}})
    expected = integrated((points - centre) @ turn.T + placed["position"], weights)
    np.testing.assert_allclose(body.ten_parameters(), expected, rtol=0, atol=1e-12)
    assert body.mass == MASS
    np.testing.assert_allclose(body.center_of_mass, placed["position"], rtol=0, atol=1e-15)
    P = pseudo_inertia(body)  # of the reference that models are compared with
    tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    np.testing.assert_allclose([P[3, 3], *P[:3, 3], *tensor[np.triu_indices(3)]], expected, rtol=0, atol=1e-12)


def test_a_cone_has_its_mass_centre_a_quarter_of_its_height_above_its_base() -> None:
    points, weights = SHAPES["cone"][1]
    assert weights @ points[:, 2] / weights.sum() == pytest.approx(-L / 4, abs=1e-13)


def test_several_shapes_are_one_body_and_are_written_back() -> None:
    text = """
format: 2
name: arm
variables: {length_0: 400 mm, m_0: 2 kg}
bodies:
  - name: link
    shape:
      - {rod: {mass: m_0, length: length_0, axis: x}, at: {position: [length_0/2, 0, 0]}}
      - {sphere: {mass: 0.5, radius: 30 mm}, at: {position: [length_0, 0, 0]}}
joints: [{name: pin, type: revolute, parent: world, child: link}]
"""
    robot = loads(text)
    ten = robot.bodies[0].ten_parameters()
    np.testing.assert_allclose(ten[:2], [2.5, 2 * 0.2 + 0.5 * 0.4], rtol=1e-15)
    assert ten[9] == pytest.approx(2 * 0.4**2 / 3 + 0.5 * (0.4**2 + 0.4 * 0.03**2), rel=1e-14)
    assert loads(dumps(robot)) == robot
    moved = robot.with_variables({"length_0": "600 mm"}).bodies[0].ten_parameters()
    assert moved[9] == pytest.approx(2 * 0.6**2 / 3 + 0.5 * (0.6**2 + 0.4 * 0.03**2), rel=1e-14)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("{rod: {mass: 1}}", "bodies[0].shape.rod.length: a required key is missing"),
        ("{rod: {mass: 1, length: 1}, disc: {mass: 1, radius: 1}}", "rod and disc in one shape"),
        ("{bar: {mass: 1, length: 1}}", "bodies[0].shape.bar: unknown key"),
        ("{tube: {mass: 1, length: 1, radius: 1, inner_radius: 2}}", "larger than the radius"),
        ("[]", "an empty list"),
        ("{point: {mass: 1}}, mass: 3", "mass given twice"),
        ("{point: {mass: 1}}, inertia: {about: origin, zz: 1}", "inertia given twice"),
    ],
)
def test_what_is_wrong_with_a_shape(shape: str, message: str) -> None:
    text = f"""
format: 2
name: arm
bodies: [{{name: link, shape: {shape}}}]
joints: [{{name: pin, type: revolute, parent: world, child: link}}]
"""
    with pytest.raises(DescriptionError) as caught:
        loads(text)
    assert message in str(caught.value)
