"""Every mistake is reported with its place, what was found and what to do; all of them at once."""

import pytest

from gough.robot import DescriptionError, load, loads
from robot.documents import VALID, platform_of, problems, put, text, tree

CHAIN = "templates/ups/chain"
HIP, SLIDE, CUT = f"{CHAIN}/0", f"{CHAIN}/1", "templates/ups/cut"

CASES = [
    # place changed, new value ("-" deletes), path reported, words of the message, words of the remedy
    ("mass", 3, "mass", "unknown key", "one of"),
    (f"{SLIDE}/drive/viscus", 1, "chain[1].drive.viscus", "did you mean 'viscous'", "one of"),
    (f"{SLIDE}/bodie", {}, "chain[1].bodie", "did you mean 'body'", "one of"),
    (f"{SLIDE}/placement", {}, "chain[1].placement", "unknown key", "one of"),
    ("platform/body", {"mass": 1}, "platform.body", "unknown key", "one of"),
    ("platform/telescopic", {}, "platform.telescopic", "unknown key", "one of"),
    ("legs/0/jonts", {}, "legs[0].jonts", "did you mean 'joints'", "one of"),
    ("templates/ups/joints", {}, "templates.ups.joints", "unknown key", "chain"),
    ("platform/mass", "3 m", "platform.mass", "another dimension", "mass in kg"),
    ("platform/mass", "3", "platform.mass", "without a unit", "mass in kg"),
    ("platform/mass", True, "platform.mass", "not a number", "mass in kg"),
    ("platform/mass", [3], "platform.mass", "not a number", "mass in kg"),
    ("platform/mass", "-", "platform.mass", "without a mass", "mass in kg"),
    ("platform/mass", -1, "platform.mass", "negative mass", "not negative"),
    ("platform/payload/mass", -1, "platform.payload.mass", "negative mass", "not negative"),
    (f"{HIP}/body/mass", "-2 kg", "body.mass", "negative mass", "not negative"),
    (f"{HIP}/body/mass", float("nan"), "body.mass", "not a finite number", "mass"),
    ("gravity", [0, 0, float("-inf")], "gravity[2]", "not a finite number", "acceleration in m/s2"),
    ("gravity", [0, -9.81], "gravity", "2 entries instead of 3", "three accelerations"),
    ("gravity", 9.81, "gravity", "not a list", "three accelerations"),
    ("platform/inertia/about", "-", "platform.inertia.about", "without its point", "center_of_mass"),
    ("platform/inertia/about", "centre", "platform.inertia.about", "not one of", "center_of_mass"),
    ("platform/inertia/xx", "3 kg", "platform.inertia.xx", "another dimension", "kg.m2"),
    (f"{HIP}/body/mass", "-", "body.mass", "without a mass", "mass in kg"),
    ("platform/parameters", {"M": 1}, "platform.inertia", "given twice", "either inertia or parameters"),
    (f"{SLIDE}/body/parameters", {"M": 2}, "body.mass", "given twice", "either mass or parameters"),
    (f"{SLIDE}/body/parameters", {"M": -2}, "body.parameters.M", "negative mass", "not negative"),
    (f"{SLIDE}/axis", [0, 0, 2], "chain[1].axis", "length 2", "unit vector"),
    (f"{SLIDE}/axis", [0, 0, 0], "chain[1].axis", "length zero", "unit vector"),
    (f"{HIP}/axis", [0, 0, 1], "chain[0].axis", "has no axis", "only on revolute"),
    (f"{HIP}/axes", "-", "chain[0].axes", "without its axes", "[first, second]"),
    (f"{HIP}/axes", [[1, 0, 0], [0.6, 0.8, 0]], "chain[0].axes", "a value of format 2", "format: 2"),
    (f"{HIP}/axes", [[1, 0, 0], [1, 0, 0]], "chain[0].axes", "all but parallel", "5 to 175 deg"),
    (f"{HIP}/axes", [[1, 0, 0], [0, 0, 0]], "chain[0].axes[1]", "length zero", "unit vector"),
    (f"{HIP}/axes", [[1, 0, 0]], "chain[0].axes", "1 entries instead of 2", "two unit vectors"),
    (f"{SLIDE}/axes", [[1, 0, 0], [0, 1, 0]], "chain[1].axes", "no pair of axes", "universal"),
    (f"{HIP}/drive", {}, "chain[0].drive", "a drive on a universal joint", "revolute, prismatic"),
    (f"{HIP}/spring", {}, "chain[0].spring", "one spring on a universal joint", "one for each of _1, _2"),
    (f"{HIP}/limits/lower", 0.1, "limits.lower", "lower on a universal joint", "a list with one for each of _1, _2"),
    (f"{SLIDE}/limits/cone", 0.1, "limits.cone", "cone on a prismatic joint", "universal or spherical"),
    (f"{SLIDE}/drive", "-", "limits.force", "force limit without a drive", "a drive"),
    (f"{SLIDE}/limits/upper", 0.2, "limits.upper", "empty range", "lower below upper"),
    (f"{SLIDE}/drive/stroke", [1, "500 mm"], "drive.stroke", "empty range", "lower below upper"),
    (f"{SLIDE}/drive/gear", 0, "drive.gear", "zero", "not zero"),
    (f"{SLIDE}/drive/viscous", -1, "drive.viscous", "negative", "not negative"),
    (f"{SLIDE}/drive/viscous", "1 N.m.s/rad", "drive.viscous", "another dimension", "N.s/m"),
    (f"{SLIDE}/drive/rotor_inertia", "1 kg.m2", "drive.rotor_inertia", "another dimension", "mass in kg"),
    (f"{SLIDE}/drive/stroke", [0, "30 deg"], "drive.stroke[1]", "another dimension", "length in m"),
    (f"{SLIDE}/drive/force_limit", 0, "drive.force_limit", "zero", "positive"),
    (f"{SLIDE}/spring/stiffness", -3, "spring.stiffness", "negative", "not negative"),
    (f"{HIP}/friction/viscous", "1 N.s/m", "friction.viscous", "another dimension", "N.m.s/rad"),
    (f"{HIP}/pose", {"rpy_zyx": [0, 0, 0], "bryant_xyz": [0, 0, 0]}, "pose.bryant_xyz", "given twice", "one of them"),
    (f"{HIP}/pose", {"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "pose.matrix", "not a rotation", "1e-9"),
    (f"{HIP}/pose", {"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "pose.matrix", "mirror", "determinant +1"),
    (f"{HIP}/pose", {"quaternion_wxyz": [1, 0, 0, 1]}, "pose.quaternion_wxyz", "norm 1.41", "norm 1"),
    (f"{HIP}/pose", {"axes": {"x": [1, 0, 0]}}, "pose.axes", "1 axes", "at least two"),
    (f"{HIP}/pose", {"axes": {"x": [1, 0, 0], "y": [1, 0, 0]}}, "pose.axes.y", "not perpendicular", "perpendicular"),
    (f"{HIP}/pose", {"axes": {"x": [1, 0, 0], "y": [0, 3, 0]}}, "pose.axes.y", "length 3", "unit vector"),
    (f"{HIP}/pose", {"axes": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, -1]}}, "axes.z", "left-handed", "x cross y"),
    (f"{HIP}/pose", {"position": ["30 deg", 0, 0]}, "pose.position[0]", "another dimension", "length in m"),
    (f"{HIP}/pose", {"rpy_zyx": ["1 m", 0, 0]}, "pose.rpy_zyx[0]", "another dimension", "angle in rad"),
    (f"{SLIDE}/mdh", {"axis": 1}, "mdh.axis", "unknown key", "gamma"),
    (f"{HIP}/type", "ball", "chain[0].type", "not one of", "spherical"),
    (f"{HIP}/type", "-", "chain[0].type", "missing", "type"),
    (f"{HIP}/name", "1st", "chain[0].name", "not a name", "letters"),
    ("name", "My Robot", "name", "not a robot's name", "lower case"),
    ("platform/frames", {"source": {}}, "platform.frames.source", "reserved", "any name but"),
    (f"{SLIDE}/name", "hip", "chain[1].name", "used twice", "of its own"),
    (f"{SLIDE}/body/name", "lower", "chain[1].body.name", "used twice", "of its own"),
    (f"{CUT}/name", "slide", "cut.name", "used twice", "of its own"),
    ("legs/2/name", "leg0", "legs[2].name", "used twice", "of its own"),
    ("legs/2/name", "platform", "legs[2].name", "leg name 'platform' is already the platform's", "of its own"),
    ("legs/2/name", "world", "legs[2].name", "reserved", "another name"),
    ("springs/1/name", "s1", "springs[1].name", "used twice", "of its own"),
    ("legs/1/like", "upss", "legs[1].like", "no template 'upss'", "'ups'"),
    ("legs/1/chain", [], "legs[1].chain", "a chain beside like", "either like or chain"),
    ("legs/1/like", "-", "legs[1].chain", "missing", "chain"),
    ("legs/1/joints/slid", {}, "legs[1].joints.slid", "not in the leg", "'slide'"),
    ("legs/1/joints/slide", 3, "legs[1].joints.slide", "not a mapping", "keys to change"),
    ("legs/1/bodies/lowr", {}, "legs[1].bodies.lowr", "not in the leg", "'lower'"),
    ("legs/1/bodies/lower/mass", -1, "legs[1].bodies.lower.mass", "negative mass", "not negative"),
    ("legs/1/joints/slide/drive/viscous", -1, "legs[1].joints.slide.drive.viscous", "negative", "not negative"),
    ("legs", [], "legs", "no legs", "at least one"),
    ("legs", "-", "legs", "missing", "legs"),
    ("legs", {}, "legs", "not a list", "a list"),
    (CHAIN, [], "templates.ups.chain", "empty chain", "at least one"),
    ("templates/rus", 3, "templates.rus", "not a mapping", "chain and cut"),
    ("templates/rus", {"chain": [{"name": "a", "type": "wheel"}]}, "templates.rus.chain[0].type", "not one of", "free"),
    (f"{SLIDE}/body/telescopic/joint", "slid", "telescopic.joint", "not in the leg", "slide"),
    (f"{SLIDE}/body/telescopic/joint", "hip", "telescopic.joint", "no scalar coordinate", "slide"),
    (f"{SLIDE}/body/telescopic/inertia/xx", [1, 0, "1 kg.m2/rad2"], "inertia.xx[2]", "another dimension", "kg.m2/m2"),
    (f"{SLIDE}/body/telescopic/inertia/xx", [1, 2], "inertia.xx", "2 entries instead of 3", "c0 + c1 q"),
    (f"{CUT}/type", "constant_length", "cut.length", "without its length", "length in m"),
    (f"{CUT}/length", 0.3, "cut.length", "length on a spherical cut", "only on constant_length"),
    ("springs/0/from/body", "wrld", "springs[0].from.body", "no body 'wrld'", "'world'"),
    ("springs/1/to/body", "leg9.upper", "springs[1].to.body", "no body", "upper"),
    ("springs/0/rest_length", -0.1, "springs[0].rest_length", "negative", "not negative"),
    ("springs/0/stiffness", "3 N", "springs[0].stiffness", "another dimension", "N/m"),
    ("home/pose", "-", "home.pose", "home without a pose", "pose"),
    ("home", "-", "home", "missing", "home"),
    ("home/joints/leg7.hip", 0, "home.joints.leg7.hip", "no joint", "hip"),
    ("home/joints/leg0.hip", 0.1, "home.joints.leg0.hip", "1 coordinates of a universal joint", "2"),
    ("home/joints/leg0.slide", "3 deg", "home.joints.leg0.slide", "another dimension", "length in m"),
    ("format", "-", "format", "format is missing", "format: 2"),
    ("format", "one", "format", "not a format", "format: 2"),
    ("format", 0, "format", "no such format", "format: 2"),
]


def line_of(document, problem):
    return document.splitlines()[problem.line - 1]


@pytest.mark.parametrize(
    ("place", "value", "path", "message", "expected"), CASES, ids=[f"{c[0]}={c[1]}" for c in CASES]
)
def test_problem(place, value, path, message, expected):
    document = text(put(tree(), place, value))
    found = problems(document)
    hit = [p for p in found if message in p.message and p.path.endswith(path) and expected in p.expected]
    assert hit, "\n".join(map(str, found))
    written = line_of(document, hit[0])
    last = path.replace("]", "").replace("[", ".").split(".")[-1]
    assert (
        value == "-"
        or last.isdigit()
        or last in written
        or "{" in written
        or "like" in written
        or place == CUT + "/type"
    )
    assert hit[0].file == "robot.yaml"


def test_the_template_s_mistake_is_reported_once():
    assert len(problems(VALID.replace("rotor_inertia: 0.5", "rotor_inertia: -0.5"))) == 1


def test_line_path_and_value():
    (problem,) = problems(VALID.replace("mass: 3 kg", "mass: 3 m"))
    assert str(problem) == (
        "robot.yaml:22: templates.ups.chain[0].body.mass: a unit of another dimension "
        "(got '3 m'; expected a not negative mass in kg)"
    )
    assert line_of(VALID, problem).strip() == "mass: 3 kg"


def test_an_unknown_type_is_read_as_the_one_meant():
    """Of a misspelt joint its other mistakes are told at once, and none that follows from the misspelling."""
    screw = "type: ball_screw, lead: 5 mm, axis: [1, 0, 0], drive: {viscous: 1e-4 N.m.s/rad}"
    written = (
        f"format: 1\nname: a\nbodies: [{{name: b, mass: 1}}]\njoints: [{{name: j, parent: world, child: b, {screw}}}]"
    )
    assert loads(written).joints
    (found,) = problems(written.replace("ball_screw", "ballscrew"))
    assert "did you mean 'ball_screw'" in found.message
    wrong = problems(
        written.replace("ball_screw", "leadscrew").replace("N.m.s/rad", "N.s/m").replace("lead:", "pitch:")
    )
    assert sorted(p.path for p in wrong) == [f"joints[0].{k}" for k in ("drive.viscous", "lead", "pitch", "type")]
    assert any(p.expected == "an angular damping in N.m.s/rad" for p in wrong)
    assert any("did you mean 'lead'" in p.message for p in wrong)
    assert {p.expected for p in wrong if p.path.endswith("lead")} == {"lead: a length a turn, as 5 mm or 5 mm/rev"}
    (found,) = problems(written.replace("5 mm", "5 mm/s"))
    assert found.expected == "a length a turn, as 5 mm or 5 mm/rev"
    (found,) = problems(written.replace("ball_screw", "qqqq"))
    assert found.path.endswith("type")


def test_an_override_is_blamed_where_it_is_written():
    (problem,) = problems(VALID.replace("viscous: 12", "viscous: 12 kg"))
    assert problem.path == "legs[1].joints.slide.drive.viscous"
    assert "viscous: 12" in line_of(VALID, problem)


def test_all_problems_at_once():
    data = tree()
    for place, value in [
        ("platform/mass", -1),
        (f"{HIP}/axes", [[1, 0, 0], [1, 0, 0]]),
        (f"{SLIDE}/drive/viscous", "x"),
        (f"{SLIDE}/drive/typo", 1),
        ("legs/1/like", "none"),
        ("legs/2/on_platform/position", [1, 2]),
        ("springs/0/to/body", "nothing"),
        ("home/joints/leg0.slide", [1, 2]),
        ("extra", 1),
    ]:
        put(data, place, value)
    with pytest.raises(DescriptionError) as caught:
        loads(text(data), "robot.yaml")
    assert isinstance(caught.value, ValueError)
    assert len(caught.value.problems) == 9
    assert len(str(caught.value).splitlines()) == 9
    assert all(line.startswith("robot.yaml:") for line in str(caught.value).splitlines())


def test_pose_and_mdh_together():
    document = VALID.replace(
        "type: prismatic", "type: prismatic\n        pose: {}\n        mdh: {d: 1}\n        axis: [1, 0, 0]"
    )
    found = problems(document)
    assert [p.message for p in found] == ["placed twice, by pose and mdh", "an axis beside mdh"]


def test_a_newer_format_is_refused_by_name_and_nothing_else_is_said():
    (problem,) = problems(VALID.replace("format: 1", "format: 3\nnew_key: 3"))
    assert "format 3 is newer" in problem.message
    assert "newer gough" in problem.expected


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "an empty document"),
        ("- 1", "not a mapping"),
        ("name: [", "not YAML"),
        ("a: 1\n  b: 2", "not YAML"),
        ("--- {}\n--- {}", "not YAML"),
        ("a: !!python/object:os.system x", "not allowed"),
        ("a: &a [*a]", "contains itself"),
        ("name: a\nname: b", "written twice"),
        ("? [1, 2]\n: 3", "not a text"),
    ],
)
def test_bad_yaml(document, message):
    assert any(message in p.message for p in problems(document)), problems(document)


def test_yaml_1_2_scalars():
    data = loads(VALID.replace("title: A small tripod", "title: on").replace("mass: 4", "mass: 1e-3"))
    assert data.title == "on"
    assert platform_of(data).body.mass == 1e-3
    assert "not a text" in problems(VALID.replace("title: A small tripod", "title: true"))[0].message


def test_unknown_file_or_name():
    with pytest.raises(FileNotFoundError, match="pedrammehr2012"):
        load("no_such_robot")
    with pytest.raises(FileNotFoundError):
        load("no_such_file.yaml")
