"""Surfaces: where they are looked for, and which of a link are drawn."""

import warnings

import pytest

import gough
from gough.interchange import meshes
from interchange.urdf_files import joint, link, robot, write

STL = b"\0" * 80 + b"\1\0\0\0" + b"\0" * 50


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "my_robot" / "meshes"
    folder.mkdir(parents=True)
    (tmp_path / "my_robot" / "urdf").mkdir()
    (folder / "arm one.stl").write_bytes(STL)
    (folder / "far.stl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    (tmp_path / "secret.stl").write_bytes(STL)
    return tmp_path / "my_robot"


def test_where_surfaces_are_looked_for(package, tmp_path):
    file = package / "urdf" / "r.urdf"
    arm = package / "meshes" / "arm one.stl"
    uris = [
        "package://my_robot/meshes/arm%20one.stl",
        "model://my_robot/meshes/arm one.stl",
        f"file://{arm}",
        "../meshes/arm one.stl",
    ]
    for uri in uris:
        found = meshes.find_mesh(uri, file, ())
        assert found is not None and found.resolve() == arm.resolve(), uri
    for uri in (
        "package://my_robot/../secret.stl",
        "package://other/a.stl",
        "https://x.y/a.stl",
        "none.stl",
        "package://",
        "\0.stl",
    ):
        assert meshes.find_mesh(uri, file, ()) is None, uri
    elsewhere = tmp_path / "far" / "r.urdf"
    for packages in ([tmp_path], [package]):
        assert meshes.find_mesh(uris[0], elsewhere, packages) is not None
    assert meshes.mesh_path(arm, arm.parent / "r.urdf") == "arm one.stl"
    assert meshes.mesh_path(arm, file) == str(arm)


def drawn(package, visual, **options):
    text = robot(
        link("a"),
        link("b", more=visual),
        joint("j", "continuous", "a", "b"),
        '<material name="red"><color rgba="1 0 0.5 1"/></material>',
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = gough.load(write(package / "urdf", text), **options)
    return made.bodies[-1].mesh, [str(w.message) for w in caught]


def visual(file="package://my_robot/meshes/arm%20one.stl", more="", scale="0.001 0.001 0.001"):
    mesh = f'<mesh filename="{file}" scale="{scale}"/>'
    return f'<visual><origin xyz="0 0 1" rpy="0 0 0.5"/><geometry>{mesh}</geometry>{more}</visual>'


def test_all_surfaces_of_a_link_are_drawn(package):
    (first, second), said = drawn(package, visual(more='<material name="red"/>') + visual(scale="0.5 -1 0.5"))
    assert (first.scale, first.color, first.stretch) == (0.001, (255, 0, 128), (1, 1, 1))
    assert (second.scale, second.color, second.stretch) == (1, None, (0.5, -1, 0.5))
    assert first.placement.rpy_zyx == (0.5, 0.0, 0.0)
    assert not said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (visual("package://my_robot/a.dae"), "surfaces .dae are not drawn"),
        (visual("package://my_robot/meshes/far.stl"), "git lfs pull"),
        (
            visual("package://none/a.stl"),
            "not found are not drawn; give the folder that holds the package: packages=, --packages (got ",
        ),
        (visual(scale="1 0 1"), "scale of 0"),
    ],
)
def test_what_is_not_drawn_is_said(package, more, told):
    mesh, said = drawn(package, more)
    assert not mesh
    assert any(told in text for text in said)


def test_shapes_are_for_the_viewer_to_make_up(package):
    looks, said = drawn(package, "<visual><geometry><box size='1 1 1'/></geometry></visual>")
    assert looks == () and len(said) == 1 and "boxes, cylinders and spheres of <visual> are not drawn" in said[0]


def test_other_files_of_the_models_own_folder_are_not_drawn(tmp_path):
    """As a URI of SDF names them: by the model, whatever its folder is called."""
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "hull.dae").write_text("<COLLADA/>")
    uri = "<uri>model://boat/meshes/hull.dae</uri>"
    link = f"<link name='hull'><visual name='v'><geometry><mesh>{uri}</mesh></geometry></visual></link>"
    (tmp_path / "model.sdf").write_text(f"<sdf version='1.9'><model name='boat'>{link}</model></sdf>")
    with pytest.warns(gough.ConversionWarning, match="visuals other than a mesh that is found"):
        assert not gough.load(tmp_path / "model.sdf").bodies[0].mesh
