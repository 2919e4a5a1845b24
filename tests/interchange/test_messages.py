"""What files are refused for, as it is told: file, line, what is there, what was meant, and all of it at once."""

from __future__ import annotations

import re

import pytest

import gough
from gough.errors import MissingFileError, UsageError
from interchange.reading import read_quietly, refusals, remarks, saved

INERTIA = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="arm">
<link name="base"/>
<link name="upper">{INERTIA}</link>
<link name="lower">{INERTIA}</link>
<joint name="shoulder" type="revolute">
  <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
</joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/></joint>
</robot>
"""
BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
SDF = f"""<sdf version="1.9"><model name="arm">
<link name="upper">{BODY}</link>
<link name="lower">{BODY}</link>
<joint name="shoulder" type="revolute"><parent>world</parent><child>upper</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child>
<axis><xyz>0 1 0</xyz><dynamics><damping>2</damping></dynamics></axis></joint>
</model></sdf>
"""
MJCF = """<mujoco><worldbody>
<body name="upper"><joint name="shoulder"/><geom name="rod" size="0.1"/>
<body name="lower" pos="0 0 1"><joint name="elbow" axis="0 1 0"/><geom size="0.1"/></body></body>
</worldbody><equality>
<connect body1="lower" body2="world" anchor="0 0 0"/>
</equality><actuator>
<motor joint="shoulder"/>
</actuator></mujoco>
"""
MASS = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 1)\npoint3f physics:centerOfMass = (0, 0, 0)\n"
PART = 'def Xform "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n{{\n' + MASS + "}}\n"
USD = (
    '#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Xform "arm"\n{\n'
    + PART.format("upper")
    + PART.format("lower")
    + 'def PhysicsRevoluteJoint "shoulder"\n{\nrel physics:body1 = </arm/upper>\n}\n'
    + 'def PhysicsRevoluteJoint "elbow"\n{\nrel physics:body0 = </arm/upper>\nrel physics:body1 = </arm/lower>\n}\n}\n'
)
TEXTS = {"a.urdf": URDF, "a.sdf": SDF, "a.xml": MJCF, "a.usda": USD}
WRONG = [
    (
        "a.urdf",
        'parent link="upper"',
        'parent link="uper"',
        [r"a\.urdf:8: joint 'elbow'\.parent: no link 'uper' .*'upper'"],
    ),
    ("a.urdf", 'child link="lower"', 'child link="lowr"', [r":8: joint 'elbow'\.child: no link 'lowr' .*'lower'"]),
    (
        "a.urdf",
        '"continuous"',
        '"Continuous"',
        [r":8: joint 'elbow': a joint of type 'Continuous'; did you mean continuous"],
    ),
    (
        "a.urdf",
        'parent link="base"',
        'parent link="lower"',
        [r":3: link 'upper': links in a circle, .*: upper, lower "],
    ),
    (
        "a.sdf",
        "<parent>upper",
        "<parent>uper",
        [r"a\.sdf:5: joint 'elbow': no link or frame 'uper' in 'arm' .*'upper'"],
    ),
    ("a.sdf", '"elbow" type="revolute"', '"elbow"', [r":5: joint 'elbow': a joint without a type"]),
    (
        "a.sdf",
        "</model>",
        "<include><uri>model://hand</uri></include></model>",
        [r":7: .*'hand' in packages= \(--packages"],
    ),
    ("a.xml", 'body1="lower"', 'body1="lowr"', [r"a\.xml:5: connect: body1: no body 'lowr' .*'lower'"]),
    ("a.usda", "</arm/lower>", "</arm/lowr>", [r"a\.usda: /arm/elbow: body1 is /arm/lowr, .*'/arm/lower'"]),
    ("a.usda", "mass = 1", "mass = -1", [r"/arm/upper: physics:mass is -1 "]),
    ("a.usda", "metersPerUnit = 1", "metersPerUnit = ", [r"a\.usda:3: document: not USD: "]),
    ("a.usda", "metersPerUnit = 1", "subLayers = [@./x.usda@]", [r"'x\.usda' that it refers to is not there"]),
    (
        "a.usda",
        'def Xform "arm"',
        'def Xform "arm" (references = @./x.usda@)',
        [r": /arm: 'x\.usda' that it refers to"],
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "told"), WRONG)
def test_each_mistake_is_told_once_with_its_place_and_what_is_meant(tmp_path, name, old, new, told):
    said = refusals(saved(tmp_path, TEXTS[name].replace(old, new, 1), name)).splitlines()
    assert len(said) == len(told) and all(re.search(t, s) for t, s in zip(told, said, strict=True)), said


def test_all_names_of_a_model_that_are_wrong(tmp_path):
    text = MJCF.replace('body1="lower"', 'body1="lowr"').replace('joint="shoulder"', 'joint="sholder"')
    said = refusals(saved(tmp_path, text, "a.xml"))
    assert "a.xml:5: connect: body1: no body 'lowr'" in said and "a.xml:7: motor: joint: no joint 'sholder'" in said
    text = USD.replace("</arm/lower>", "</arm/lowr>").replace("body0 = </arm/upper>", "body0 = </arm/uper>")
    assert len(refusals(saved(tmp_path, text)).splitlines()) == 2
    text = (
        URDF.replace('value="1"', 'value="x"')
        .replace('"continuous"', '"c"')
        .replace('link="base"/><c', 'link="bas"/><c')
    )
    assert [int(line.split(":")[1]) for line in refusals(saved(tmp_path, text, "a.urdf")).splitlines()] == [3, 4, 6, 8]


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("a.urdf", "xyz=", "xzy=", "the attribute 'xzy' of <origin> is not known and left out; did you mean xyz?"),
        ("a.urdf", "inertial", "inertal", "did you mean <inertial>? (and in 1 more place)"),
        ("a.urdf", 'lower="-1" upper="1"', 'lower="1" upper="-1"', "left out (got 'lower 1, upper -1')"),
        ("a.sdf", "mass>", "mas>", "<mas> of <inertial> is not known and left out; did you mean <mass>?"),
        ("a.sdf", "mass>", "mas>", "no <mass>: SDF gives the link 1 kg"),
        ("a.sdf", "ixx>", "jxx>", "no <ixx>: SDF gives the link a moment of 1 kg·m²"),
        ("a.sdf", "damping>", "dampin>", "<dampin> of <dynamics> is not known and left out; did you mean <damping>?"),
    ],
)
def test_words_that_nobody_reads_are_told(tmp_path, name, old, new, told):
    assert told in remarks(saved(tmp_path, TEXTS[name].replace(old, new), name))


@pytest.mark.parametrize("name", TEXTS)
def test_files_that_are_not_there(tmp_path, name):
    saved(tmp_path, TEXTS[name], name)
    with pytest.raises(MissingFileError, match=rf"b\{name[1:]}: no such file; did you mean a\{name[1:]}\?"):
        gough.load(tmp_path / f"b{name[1:]}")


@pytest.mark.parametrize("name", ["a.sdf", "a.xml", "a.usda"])
def test_files_of_loops_are_for_urdf(tmp_path, name):
    with pytest.raises(UsageError, match="loops= is for URDF"):
        read_quietly(saved(tmp_path, TEXTS[name], name), loops=tmp_path / "loops.yaml")


@pytest.mark.parametrize("name", TEXTS)
def test_other_encodings(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(TEXTS[name].replace("arm", "\xe4rm").encode("latin-1"))
    if name == "a.xml":
        file.write_bytes(TEXTS[name].replace("upper", "\xe4rm").encode("latin-1"))
    assert re.search(r":\d+: .*UTF-8.* byte 0xe4", refusals(file))


def test_a_xacro_file_is_named_with_the_file_to_make(tmp_path):
    with pytest.raises(UsageError, match=r"run `xacro arm\.urdf\.xacro > arm\.urdf`"):
        gough.load(saved(tmp_path, URDF, "arm.urdf.xacro"))


def test_a_layer_that_only_draws_may_be_missing(tmp_path):
    looks = 'def Xform "looks" (payload = @./skin.usda@)\n{\n}\n'
    file = saved(tmp_path, USD.replace(MASS, MASS + looks, 1))
    assert "skin.usda" in remarks(file) and len(read_quietly(file).bodies) == 2
    text = USD.replace(MASS, MASS.replace("point3f physics:centerOfMass = (0, 0, 0)\n", "") + looks, 1)
    assert "'skin.usda' that it refers to is not there" in refusals(saved(tmp_path, text))


def test_a_file_of_loops_tells_all_at_once(tmp_path):
    loops = "loops:\n  - {name: a, type: revolut, first: {body: lowr}, second: {body: base}}\ndrives: [elbw]\n"
    said = refusals(saved(tmp_path, URDF, "a.urdf"), loops=saved(tmp_path, loops, "l.yaml"))
    assert [line.split(": ")[1] for line in said.splitlines()] == ["loops[0].type", "loops[0].first.body", "drives[0]"]
