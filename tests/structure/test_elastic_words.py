"""What is said of flexible bodies: errors and warnings name body, file, line and frames as a description writes them."""

import re
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import gough
from cli.command import gough as command
from gough.errors import ModalDataWarning, ReductionWarning, StructureError
from gough.robot import load, loads
from inner.structure import elastic_bodies, point_key
from structure.test_elastic_bodies import ARM, CLAMPED, INERTIA, MODAL, RHO, A, E, L, neutral_file

LONG = ARM.replace("length: 0.8", "length: 800").replace("0.8, 0, 0", "800, 0, 0").replace("0.33, 0, 0", "400, 0, 0")


def test_the_remedy_for_nodes_that_two_frames_take_can_be_written():
    """Names of frames, not keys: what is advised is read, and builds."""
    text = ARM.format(rest="modes: {number: 2}\n      ties: {radius: 500 mm}")
    with pytest.raises(
        StructureError, match=r"rod: flexible: node .* is tied to both 'origin' and 'tip'|'middle'"
    ) as told:
        elastic_bodies(loads(text))
    advice = re.search(r"ties: (\{at: .*\}\}\})", str(told.value))
    assert advice is not None and "at 0" not in str(told.value)
    loads(text.replace("{radius: 500 mm}", advice[1]))


def test_points_without_a_name_are_given_one():
    """A joint that hangs on the body where no frame is: the name that is proposed can be written."""
    hung = "joints: [{name: hinge, type: revolute, parent: world, child: rod, drive: {}}, "
    hung += "{name: wrist, type: revolute, parent: rod, child: hand, pose: {position: [0.7, 0, 0]}}]"
    text = ARM.format(rest="modes: {number: 2}\n      ties: {radius: 150 mm}")
    text = text.replace("joints: [{name: hinge, type: revolute, parent: world, child: rod, drive: {}}]", hung)
    text = text.replace(
        "bodies:\n", "bodies:\n  - {name: hand, mass: 1, inertia: {xx: 1, yy: 1, zz: 1, about: origin}}\n"
    )
    with pytest.raises(
        StructureError, match=r"'point1'.*frames: \{point1: \{position: \[0.7, 0.0, 0.0\]\}\} on the body"
    ):
        elastic_bodies(loads(text))


def test_warnings_name_body_file_and_line(tmp_path):
    path = tmp_path / "long.yaml"
    path.write_text(LONG.format(rest="modes: {number: 1}"))
    line = 1 + path.read_text().splitlines().index("    flexible:")
    with pytest.warns(ReductionWarning, match=rf"long.yaml:{line}: rod: flexible: the nodes span 800 m"):
        elastic_bodies(load(path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        elastic_bodies(load(path), again=True)


def test_a_warning_turned_into_an_error_is_one(tmp_path):
    (tmp_path / "long.yaml").write_text(LONG.format(rest="modes: {number: 1}"))
    robot = load(tmp_path / "long.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ReductionWarning, match="rod: flexible"):
            elastic_bodies(robot)


@pytest.mark.slow
def test_verify_says_warnings_once_and_in_its_own_way(tmp_path):
    path = tmp_path / "long.yaml"
    path.write_text(LONG.format(rest="modes: {number: 1}"))
    _, stderr = command("verify", path, "--states", "1")
    assert "Warning:" not in stderr and "1 warning about" in stderr
    assert f"warning: {path}:7: rod: flexible: the nodes span 800 m" in command("check", path)[0]


def test_a_displacement_of_second_order_that_is_zero_is_none(tmp_path):
    """Exporters write zeros: the body is then that of a file without."""
    neutral_file(tmp_path)
    with np.load(tmp_path / "rod.npz") as file:
        arrays = {key: file[key] for key in file.files if key not in ("second", "frame_seconds")}
    n, m = len(arrays["nodes"]), len(arrays["K"])
    q = np.array([1e-3, -2e-3, 1e-3, 0.3])

    def mass_matrix(way="auto", **more):
        np.savez(tmp_path / "rod.npz", **arrays | more)
        text = MODAL.replace("modal: {file: rod.npz}", f"modal: {{file: rod.npz}}\n      stiffening: {way}")
        model = gough.build(loads(text, str(tmp_path / "robot.yaml")))
        return model.mass_matrix(q)

    plain = mass_matrix()
    for zero in ({"second": np.zeros((n, 3, m, m))}, {"K_G": np.zeros((12, m, m))}):
        for way in ("auto", "rigid_motion"):
            assert mass_matrix(way, **zero) == pytest.approx(plain, rel=1e-12)


def test_a_damping_in_place_of_the_files_is_remarked(tmp_path):
    neutral_file(tmp_path, D=np.diag([1.0, 2.0, 3.0]))
    body = elastic_bodies(loads(MODAL, str(tmp_path / "robot.yaml")))["rod"]
    assert "damping: ModalRatio (in place of the D of the data)" in body.remarks
    assert np.diag(body.D) == pytest.approx(2 * 0.02 * np.sqrt(np.diag(body.K)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModalDataWarning)
        assert not any(
            "in place" in r for r in elastic_bodies(loads(ARM.format(rest="modes: {number: 2}")))["rod"].remarks
        )


COLUMN = """\
format: 1
name: column
gravity: [0, 0, -9.81]
bodies:
  - name: rod
    frames: {{tip: {{position: [0.8, 0, 0]}}}}
    flexible:
      {body}
  - {{name: load, mass: {mass}}}
joints:
  - {{name: motor, type: revolute, parent: world, child: rod, drive: {{}}, pose: {{axes: {{x: [0, 0, 1], y: [0, 1, 0]}}}}}}
  - {{name: fix, type: fixed, parent: rod, child: load, pose: {{position: [0.8, 0, 0]}}}}
"""


def cantilever(nodes=161):
    """Arrays of a modal file: two bending modes of a clamped rod in closed form, and how it draws nearer."""
    x = np.linspace(0, L, nodes)
    masses = np.full(nodes, RHO * A * L / (nodes - 1))
    masses[[0, -1]] /= 2
    shapes, second = np.zeros((nodes, 6, 2)), np.zeros((nodes, 3, 2, 2))
    for k, beta in enumerate(np.array(CLAMPED[:2]) / L):
        s = (np.sinh(beta * L) - np.sin(beta * L)) / (np.cosh(beta * L) + np.cos(beta * L))
        X = beta * x
        shapes[:, 1, k] = np.cosh(X) - np.cos(X) - s * (np.sinh(X) - np.sin(X))
        shapes[:, 5, k] = beta * (np.sinh(X) + np.sin(X) - s * (np.cosh(X) - np.cos(X)))
    shapes /= np.sqrt(np.einsum("n,nk->k", masses, shapes[:, 1] ** 2))
    slopes = np.einsum("nk,nl->nkl", shapes[:, 5], shapes[:, 5])
    second[1:, 0] = -np.cumsum(0.5 * (slopes[1:] + slopes[:-1]), axis=0) * L / (nodes - 1)
    K = np.diag(np.array(CLAMPED[:2]) ** 4) * E * INERTIA / (RHO * A * L**4)
    places = {"frame_names": np.array(["root", "far"]), "frame_positions": np.array([[0, 0, 0], [L, 0, 0]])}
    nodal = places | {"frame_nodes": np.array([0, nodes - 1])}
    moved = {"frame_translations": shapes[[0, -1], :3], "frame_turnings": shapes[[0, -1], 3:]}
    body = {"modal_format": 1, "nodes": np.stack([x, 0 * x, 0 * x], axis=1), "masses": masses, "shapes": shapes, "K": K}
    ways = [{}, nodal, places | moved, nodal | {"frame_seconds": second[[0, -1]]}]
    return body | {"second": second}, ways


def test_frames_of_a_modal_file_draw_nearer_as_their_nodes_do(tmp_path):
    """A column at half of Euler's load in closed form, whichever way the file tells its frames."""
    body, ways = cantilever()
    load = 0.5 * np.pi**2 * E * INERTIA / (4 * L**2)
    text = COLUMN.format(body="modal: {file: rod.npz}", mass=load / 9.81)
    k = np.sqrt(0.5) * np.pi / (2 * L)
    exact = np.sqrt(k * 9.81 / (np.tan(k * L) - k * L)) / (
        2 * np.pi
    )  # stiffness P k / (tan kL - kL) over the load's mass

    def first(arrays):
        np.savez(tmp_path / "rod.npz", **arrays)
        model = gough.build(loads(text, str(tmp_path / "robot.yaml")))
        return gough.natural_frequencies(model).frequencies_hz[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error", ModalDataWarning)
        for way in ways:
            assert first(body | way) == pytest.approx(exact, rel=0.02)
    with pytest.warns(ModalDataWarning, match="displacement of second order .* is not that of its node"):
        first(body | ways[1] | {"frame_seconds": np.zeros((2, 3, 2, 2))})


def test_integrals_alone_do_not_say_how_a_frame_draws_nearer(tmp_path):
    neutral_file(tmp_path)
    with np.load(tmp_path / "rod.npz") as file:
        arrays = {key: file[key] for key in file.files if key not in ("second", "frame_seconds")}
        K_G = integrals(file["second"], file["masses"], file["nodes"])
    np.savez(tmp_path / "rod.npz", **arrays, K_G=K_G)
    with pytest.warns(
        ModalDataWarning, match=r"robot.yaml:7: rod: .*not known and taken as zero: far.*give frame_seconds"
    ):
        elastic_bodies(loads(MODAL, str(tmp_path / "robot.yaml")))


def integrals(second, masses, nodes):
    first = np.einsum("n,nakl->akl", masses, second)
    return np.concatenate([first, np.einsum("n,nakl,nb->abkl", masses, second, nodes).reshape(9, *first.shape[1:])])


def test_frames_of_a_file_that_share_a_place(tmp_path):
    neutral_file(tmp_path)
    with np.load(tmp_path / "rod.npz") as file:
        arrays: dict[str, Any] = {key: file[key] for key in file.files}
    twice: dict[str, Any] = {k: np.concatenate([v, v[1:]]) for k, v in arrays.items() if k.startswith("frame_")}
    twice["frame_names"] = np.array(["root", "far", "other"])
    np.savez(tmp_path / "rod.npz", **arrays | twice)
    robot = loads(MODAL, str(tmp_path / "robot.yaml"))
    elastic_bodies(robot)  # they move alike
    moved = "frame_turnings" if "frame_turnings" in twice else "frame_nodes"
    twice[moved][2] = 0
    np.savez(tmp_path / "rod.npz", **arrays | twice)
    with pytest.raises(
        StructureError, match=r"two frames at .*'far' and 'other'.*ties: \{at: \{tip: \{nodes: far\}\}\}"
    ):
        elastic_bodies(robot)


@pytest.mark.parametrize("plane", [True, False])
def test_a_body_bent_too_far_is_told_in_a_plane_too(plane):
    """Beyond 1.5 rad at a frame."""
    text = ARM.format(rest="modes: {number: 1}").replace("z: 20 mm", "z: 21 mm")
    if not plane:
        text = text.replace("plane: true", "section_y: [0, 1, 0]")
    model = gough.build(loads(text))
    slope = np.abs(elastic_bodies(loads(text))["rod"].frames[point_key(np.array([0.8, 0, 0]))].turning).max()
    q = np.tile(model.home, (3, 1))
    q[:, 0] = np.array([1.49, -1.49, 1.51]) / slope
    result = model.frame_pose(q, "rod.tip", on_bad_state="mark")
    finite = np.isfinite(np.asarray(result[0])).all(axis=1)
    assert finite.tolist() == [True, True, False]
    with pytest.raises(gough.BadStateError, match="LARGE_DEFLECTION"):
        model.frame_pose(q[2], "rod.tip")


def elastica(load):
    """Deflection over length of a clamped rod's tip under P L²/EI = load across it: θ'' = -load cos θ, by shooting."""

    def tip(curvature):
        rates = lambda s, y: [y[1], -load * np.cos(y[0]), np.sin(y[0])]  # noqa: E731
        bent = solve_ivp(rates, (0, 1), [0, curvature, 0], rtol=1e-10, atol=1e-12)
        return bent.y[1, -1], bent.y[2, -1]

    return tip(brentq(lambda c: tip(c)[0], 0.0, load))[1]


def test_deflections_that_are_no_longer_small_are_told():
    """Against the elastica: what is not told is right to 5 %."""
    text = ARM.format(rest="modes: {kind: attachment, number: 1}").replace(
        "gravity: [0, 0, -9.81]", "gravity: [0, 0, 0]"
    )
    model = gough.build(loads(text))
    for factor in (0.4, 2.0):
        force = factor * E * INERTIA / L**2
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rest = gough.static_equilibrium(model, wrench={"rod.tip": [0, force, 0, 0, 0, 0]})
        off = abs(float(model.frame_pose(rest.q, "rod.tip")[0][1]) / L / elastica(factor) - 1)
        told = [str(w.message) for w in caught if issubclass(w.category, ReductionWarning)]
        assert told if off > 0.05 else True, (factor, off)
        assert off < 0.05 or "describe it as several bodies" in told[0]
        if factor < 0.5:
            assert not told and off < 0.05


def test_so_many_coordinates_that_building_takes_minutes_are_told():
    text = ARM.format(rest="modes: {kind: nodal}\n      stiffening: 'off'").replace("elements: 16", "elements: 60")
    with pytest.warns(ReductionWarning, match=r"rod: flexible: 180 elastic coordinates: .*modes: \{number: 10\}"):
        elastic_bodies(loads(text))
