"""Files around an MJCF file: includes, attached models, meshes; and what strangers may not do with them."""

import os
import struct
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import gough
from interchange.mjcf_files import inertial
from interchange.mujoco_truth import compare_with_mujoco

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 0.7, 0], [0.1, 0.2, 1.3]]) + [0.3, -0.2, 0.5]
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def write_mesh(file: Path) -> None:
    """A binary STL."""
    file.parent.mkdir(parents=True, exist_ok=True)
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *VERTICES[list(f)].ravel(), 0) for f in FACES)
    file.write_bytes(b" " * 80 + struct.pack("<I", len(FACES)) + triangles)


def write(tmp_path, **files: str) -> Path:
    for name, text in files.items():
        file = tmp_path / (name.replace("__", "/") + ".xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "main.xml"


def load(file, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = gough.load(file, **options)
    return robot, [str(w.message) for w in caught]


def problems(file, **options):
    with pytest.raises(gough.DescriptionError) as caught:
        load(file, **options)
    return caught.value.problems


def check_dynamics(file, robot):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_with_mujoco(file, gough.build(robot))
    assert max(found.values()) < 1e-9, found


MAIN = f"""<mujoco model="main">
  <include file="parts/settings.xml"/>
  <asset><model name="arm" file="parts/arm.xml"/></asset>
  <worldbody>
    <body name="base"><joint name="turn" axis="0 0 1"/>{inertial(1.0)}
      <frame pos="0.1 0 0" euler="0.2 0.1 0"><attach model="arm" body="upper" prefix="left/"/></frame>
      <frame pos="-0.1 0 0" euler="0.1 0.3 0.1"><attach model="arm" body="upper" prefix="right/"/></frame>
      <include file="deep.xml"/>
    </body>
  </worldbody>
</mujoco>"""
SETTINGS = '<mujoco><compiler angle="radian"/>\n<default><joint damping="0.3"/></default></mujoco>'
ARM = f"""<mujoco model="arm"><compiler angle="degree"/><default><joint damping="0.1"/></default><worldbody>
  <body name="upper"><joint name="lift" axis="0 1 0" range="-40 50"/>{inertial(0.5)}
    <body name="lower" pos="0.2 0 0"><joint name="bend" axis="0 1 0.2" ref="10"/>{inertial(0.3)}</body></body>
</worldbody></mujoco>"""
DEEP = f'<any>\n<body name="deep" pos="0 0 0.2">\n<joint name="wag" axis="1 0 0"/>{inertial(0.2)}</body></any>'


def test_includes_and_attached_models_mean_what_mujoco_means(tmp_path):
    file = write(tmp_path, main=MAIN, parts__settings=SETTINGS, parts__arm=ARM, deep=DEEP)
    robot, _ = load(file)
    assert len(robot.joints) == 6
    check_dynamics(file, robot)


def test_lines_are_those_of_the_file_that_has_them(tmp_path):
    bad = {"parts__arm": ARM.replace('axis="0 1 0.2"', 'axis="0 1 0.2" frictionloss="1" type="ball"')}
    bad["deep"] = DEEP.replace('axis="1 0 0"', 'type="ball" frictionloss="1"')
    file = write(tmp_path, **({"main": MAIN, "parts__settings": SETTINGS} | bad))
    found = {(Path(p.file).name, p.line) for p in problems(file)}
    assert found == {("arm.xml", 3), ("deep.xml", 3)}
    file = write(tmp_path, parts__arm=ARM.replace('axis="0 1 0.2"', 'axis="0 0 0"'), deep=DEEP)
    (problem,) = problems(file)
    assert (Path(problem.file).name, problem.line) == ("arm.xml", 3)


def test_files_outside_the_folder_need_leave(tmp_path):
    inner = tmp_path / "model"
    file = write(inner, main=MAIN.replace("deep.xml", "../deep.xml"), parts__settings=SETTINGS, parts__arm=ARM)
    write(tmp_path, deep=DEEP)
    (problem,) = problems(file)
    assert problem.line == 8 and "outside the model's folder" in problem.message and "packages" in problem.expected
    robot, _ = load(file, packages=[tmp_path])
    check_dynamics(file, robot)
    (problem,) = problems(write(inner, main=MAIN.replace("deep.xml", "/etc/passwd")))
    assert "outside" in problem.message
    os.symlink(tmp_path / "deep.xml", inner / "deep.xml")
    (problem,) = problems(write(inner, main=MAIN))
    assert "outside" in problem.message


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"main": "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>"}, "document type"),
        ({"main": '<mujoco><include file="a.xml"/></mujoco>', "a": "<!DOCTYPE a []><x/>"}, "document type"),
        (
            {"main": '<mujoco><include file="a.xml"/></mujoco>', "a": '<x><include file="main.xml"/></x>'},
            "included twice",
        ),
        ({"main": '<mujoco><include file="a.xml"/></mujoco>'}, "no such file"),
        ({"main": "<mujoco><include/></mujoco>"}, "no such file"),
        ({"main": '<mujoco><include file="a.xml"/></mujoco>', "a": "<x"}, "not XML"),
        ({"main": '<mujoco><asset><model file="main.xml"/></asset></mujoco>'}, "attaches itself"),
        ({"main": '<mujoco><asset><model file="a.xml"/></asset></mujoco>', "a": "<robot/>"}, "a file of <robot>"),
        (
            {"main": "<mujoco><worldbody><replicate count='99999999'><body/></replicate></worldbody></mujoco>"},
            "with all copies",
        ),
        ({"main": '<mujoco><asset><mesh name="m" builtin="grid" params="90000"/></asset></mujoco>'}, "parameter above"),
    ],
)
def test_bad_files_are_refused_in_words(tmp_path, files, words):
    assert any(words in p.message for p in problems(write(tmp_path, **files)))


MESHES = """<mujoco>
  <compiler meshdir="assets" angle="degree"/>
  <asset>
    <mesh file="part.stl" scale="0.2 0.2 0.2" refpos="0.03 0.01 -0.02" refquat="0.9 0.1 0.3 0.2"/>
    <mesh name="hull" file="hull.stl" inertia="convex"/>
    <material name="blue" rgba="0.2 0.4 1 1" texture="none"/>
  </asset>
  <worldbody>
    <body name="a"><joint name="j" axis="0 1 0"/>INERTIAL
      <geom type="mesh" mesh="part" material="blue" pos="0.1 0.2 0.3" euler="10 20 30" contype="0" conaffinity="0"/>
      <geom type="mesh" mesh="hull" rgba="1 0 0 1" density="10"/>
    </body>
  </worldbody>
</mujoco>"""


def test_inertia_of_meshes_is_mujocos(tmp_path):
    file = write(tmp_path, main=MESHES.replace("INERTIAL", "").replace('texture="none"', ""))
    write_mesh(tmp_path / "assets/part.stl")
    write_mesh(tmp_path / "assets/hull.stl")
    robot, _ = load(file)
    check_dynamics(file, robot)


@pytest.mark.parametrize(
    "changes", [{}, {'scale="0.2 0.2 0.2"': 'scale="0.2 0.3 -0.1"', 'refquat="0.9 0.1 0.3 0.2"': ""}]
)
def test_meshes_are_drawn_where_mujoco_has_them(tmp_path, changes):
    text = MESHES.replace("INERTIAL", inertial(1.0)).replace('texture="none"', "")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file = write(tmp_path, main=text)
    write_mesh(tmp_path / "assets/part.stl")
    write_mesh(tmp_path / "assets/hull.stl")
    robot, _ = load(file)
    (mesh,) = robot.bodies[0].mesh  # the hull collides
    assert mesh.file == "assets/part.stl" and mesh.color == (51, 102, 255)
    ours = VERTICES * mesh.scale * mesh.stretch @ mesh.placement.rotation().T + mesh.placement.position
    model = mujoco.MjModel.from_xml_path(str(file))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[0])
    theirs = model.mesh_vert[:4] @ turn.reshape(3, 3).T + model.geom_pos[0]
    assert all(np.abs(theirs - point).max(axis=1).min() < 1e-6 for point in ours)


def test_lost_meshes_matter_only_where_numbers_follow_from_them(tmp_path):
    file = write(tmp_path, main=MESHES.replace("INERTIAL", inertial(1.0)))
    robot, remarks = load(file)
    assert robot.bodies[0].mass == 1.0 and not robot.bodies[0].mesh
    assert any("part.stl, hull.stl: there is no such file" in r for r in remarks)
    (problem,) = problems(write(tmp_path, main=MESHES.replace("INERTIAL", "")))
    assert problem.line == 9 and "part.stl" in problem.message and "inertial" in problem.expected
    write_mesh(tmp_path / "assets/hull.stl")
    (tmp_path / "assets/part.stl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (problem,) = problems(file)
    assert "Git LFS" in problem.message and "git lfs pull" in problem.expected and "hull" not in problem.message


def test_meshes_outside_the_folder_are_not_read(tmp_path):
    file = write(
        tmp_path / "model", main=MESHES.replace("INERTIAL", "").replace('meshdir="assets"', 'meshdir="../assets"')
    )
    write_mesh(tmp_path / "assets/part.stl")
    write_mesh(tmp_path / "assets/hull.stl")
    (problem,) = problems(file)
    assert "outside the model's folder" in problem.message
    robot, _ = load(file, packages=[tmp_path / "assets"])
    assert [mesh.file for mesh in robot.bodies[0].mesh] == ["../assets/part.stl"]


def test_meshes_stretched_along_other_axes_are_not_drawn(tmp_path):
    text = MESHES.replace("INERTIAL", inertial(1.0)).replace('scale="0.2 0.2 0.2"', 'scale="0.2 0.2 -0.2"')
    file = write(tmp_path, main=text)
    write_mesh(tmp_path / "assets/part.stl")
    robot, remarks = load(file)
    assert not robot.bodies[0].mesh and any("stretched along axes of a refquat" in r for r in remarks)


def test_broken_meshes_are_told(tmp_path):
    file = write(tmp_path, main=MESHES.replace("INERTIAL", ""))
    write_mesh(tmp_path / "assets/hull.stl")
    (tmp_path / "assets/part.stl").write_bytes(b"solid nonsense")
    (problem,) = problems(file)
    assert problem.line == 4 and "MuJoCo does not take it" in problem.message


def test_signed_distance_fields_are_meshes(tmp_path):
    plugin = '<plugin instance="field"/>'
    text = (
        MESHES.replace("INERTIAL", "").replace('inertia="convex"/>', f">{plugin}</mesh>").replace('texture="none"', "")
    )
    text = text.replace(
        '<geom type="mesh" mesh="hull" rgba="1 0 0 1" density="10"/>',
        f'<geom type="sdf" mesh="hull" density="10">{plugin}</geom>',
    )
    file = write(tmp_path, main=text)
    write_mesh(tmp_path / "assets/part.stl")
    write_mesh(tmp_path / "assets/hull.stl")
    robot, remarks = load(file)
    assert any("2 signed distance fields" in r for r in remarks)
    plain = load(write(tmp_path, main=text.replace(plugin, "").replace('"sdf"', '"mesh"')))[0]
    assert robot.bodies[0].inertia == plain.bodies[0].inertia
