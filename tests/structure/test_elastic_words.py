"""What is said of flexible bodies: errors and warnings name body, file, line and frames as a description writes them."""

import re
import warnings

import numpy as np
import pytest

import gough
from cli.command import gough as command
from gough.errors import ModalDataWarning, ReductionWarning, StructureError
from gough.robot import load, loads
from gough.structure.elastic_bodies import elastic_bodies
from structure.test_elastic_bodies import ARM, MODAL, neutral_file

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
    text = text.replace("bodies:\n", "bodies:\n  - {name: hand, mass: 1, inertia: {xx: 1, yy: 1, zz: 1, about: origin}}\n")
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
