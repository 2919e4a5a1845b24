"""Files of loops: our own and those of LAAS say the same four-bar, with lines of what is wrong; homes are not put in turned."""

import warnings

import numpy as np
import pytest

import gough
from gough.interchange import ConversionWarning
from interchange.urdf_files import LAAS, OWN, PLUS, four_bar, hexapod, joint, link, robot, write
from interchange.urdf_peer import Tied, UrdfPeer, largest_difference

CLOSED = "home: {joints: {motor: 60 deg, elbow: 4.9115 deg, foot: -94.9234 deg}}"


def load(folder, loops, text=None, name="loops.yaml", **options):
    file = write(folder, four_bar() if text is None else text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.load(file, loops=write(folder, loops, name), **options)


def problems(folder, loops, text=None):
    with pytest.raises(gough.DescriptionError) as found:
        load(folder, loops, text)
    return [(p.line, p.path, p.message, p.expected) for p in found.value.problems]


def test_all_three_ways_close_the_same_four_bar(tmp_path):
    plus = gough.build(gough.load(write(tmp_path, four_bar(PLUS)), drives="motor"))
    own = gough.build(load(tmp_path, OWN.replace("home:", "#")))
    laas = gough.build(load(tmp_path, LAAS))
    for model in (own, laas):
        np.testing.assert_allclose(model.home, plus.home, atol=1e-6)
        q, v = model.configuration(drives=[0.4]), [0.7]
        other = plus.configuration(drives=[0.4])
        tau = [m.inverse_dynamics(x, v, [1.3]).tau for m, x in ((model, q), (plus, other))]
        np.testing.assert_allclose(*tau, rtol=1e-9)


def test_a_file_of_laas_against_pinocchio(tmp_path):
    file = write(tmp_path, four_bar(), "robot.urdf")
    write(tmp_path, LAAS, "robot.yaml")
    with pytest.warns(ConversionWarning, match=r"robot\.yaml beside it"):
        model = gough.build(file)
    assert model.layout.drive_names == ("motor",)
    assert model.robot.loops[0].name == "end"
    assert largest_difference(model, UrdfPeer(file, [Tied("end_a", "end_b", "spherical")])) < 1e-12


def test_joints_of_other_types_in_a_file_of_laas(tmp_path):
    said = "joint_name: [elbow, foot, at_b]\njoint_type: [UJOINT_ZY, SPHERICAL, FIXED]\n"
    made = load(tmp_path, LAAS + said)
    kinds = {j.name: j for j in made.joints}
    assert [kinds[n].type for n in ("elbow", "foot", "at_b")] == ["universal", "spherical", "fixed"]
    assert kinds["elbow"].axes == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    assert gough.build(made).mobility == 1


def test_the_rest_of_a_description(tmp_path):
    said = OWN + "gravity: [0, -1.62 m/s2, 0]\nplatform: coupler\nclosure_tolerance: 0.1 mm\nvelocities: [motor]\n"
    made = load(tmp_path, said + "couplings: []\nsource: drawing 7\n")
    assert (made.gravity, made.platform, made.closure_tolerance) == ((0.0, -1.62, 0.0), "coupler", 1e-4)
    assert made.velocities == ("motor",)
    assert [j.name for j in made.joints if j.drive is not None] == ["motor"]
    assert load(tmp_path, "floating: true\n").joints[0].type == "free"


def test_couplings(tmp_path):
    geared = "couplings: [{type: gear, joints: [motor, foot], ratio: 2}"
    geared += ", {type: mimic, joint: elbow, of: motor, ratio: -1.5, offset: 0.2}]"
    made = load(tmp_path, geared)
    assert [c.type for c in made.couplings] == ["differential", "mimic"]
    assert made.couplings[0].coefficients == {"motor": 2.0, "foot": 1.0}
    assert (made.couplings[1].joint, made.couplings[1].of, made.couplings[1].ratio) == ("elbow", "motor", -1.5)


def test_what_belongs_to_a_loop_is_passed_on(tmp_path):
    text, _ = hexapod()
    said = """
loops:
  - name: fork
    type: universal
    axes: [[1, 0, 0], [0.6, 0.8, 0]]
    angle: 60 deg
    friction: {viscous: 0.1}
    limits: {cone: 30 deg}
    first: {body: rod0, pose: {rpy_zyx: [10 deg, 0, 0]}}
    second: {body: world}
"""
    loop = load(tmp_path, said, text).loops[0]
    assert (loop.type, loop.second.body) == ("universal", "world")
    np.testing.assert_allclose(np.degrees([loop.angle or 0.0, loop.limits.cone or 0.0]), [60, 30])
    assert getattr(loop.friction, "viscous", None) == 0.1
    np.testing.assert_allclose(np.degrees(loop.first.pose.rpy_zyx or ()), [10, 0, 0])


@pytest.mark.parametrize(
    ("said", "line", "path", "told"),
    [
        ("loops: [{name: a, type: revolute, first: {body: cupler}, second: {body: rocker}}]", 1, "loops[0].first", "no link"),
        ("loops:\n  - {name: a, type: revolut, first: {body: coupler}, second: {body: rocker}}", 2, "loops[0].type", "known"),
        ("loops:\n  - {name: motor, type: fixed, first: {body: coupler}, second: {body: rocker}}", 2, "loops[0].name", "a joint"),
        ("\nloop: []", 2, "loop", "unknown key 'loop', did you mean 'loops'?"),
        ("drives: [crank]", 1, "drives[0]", "no joint with one coordinate 'crank'"),
        ("platform: hand", 1, "platform", "no link 'hand'"),
        ("home: {joints: {motr: 1}}", 1, "home.joints.motr", "no joint 'motr'"),
        ("home: {joints: {motor: [1, 2]}}", 1, "home.joints.motor", "2 coordinates of a revolute joint"),
        ("home: {joints: {motor: 20 mm}}", 1, "home.joints.motor", "a unit of another dimension"),
        ("home: {pose: {position: [0, 0, 1]}}", 1, "home.pose", "a pose"),
        ("gravity: [0, 0]", 1, "gravity", ""),
        ("closure_tolerance: 3 kg", 1, "closure_tolerance", "another dimension"),
        ("couplings: [{type: mimic, joint: motor, of: tilt}]", 1, "couplings[0]", "no joint 'tilt'"),
        ("couplings: [{type: mimic, joint: motor, of: foot, offset: home}]", 1, "couplings[0].offset", "from home"),
        ("couplings: [{type: mimic, joint: motor, of: foot, offset: 50 mm}]", 1, "couplings[0].offset", "another dimension"),
        ("couplings: [{type: rack, pinion: motor, slide: foot, radius: 50 mm}]", 1, "couplings[0].slide", "is an angle"),
        ("closed_loop: [[end_a, end_c]]", 1, "closed_loop[0]", "no frame 'end_c'"),
        ("closed_loop: [[end_a, end_b]]\ntype: [2d]", 2, "type[0]", "not a type of loop"),
        ("closed_loop: [[end_a, end_b]]\ntype: [3d, 3d]", 2, "type", "2 entries for 1"),
        ("closed_loop: [[end_a]]", 1, "closed_loop[0]", ""),
        ("closed_loop: []\njoint_name: [motor]\njoint_type: [BALL]", 3, "joint_type[0]", "not a type of joint"),
        ("closed_loop: []\njoint_name: [motr]\njoint_type: [FIXED]", 2, "joint_name[0]", "no joint 'motr'"),
        ("closed_loop: []\nname_mot: [motr]", 2, "name_mot[0]", "'motr'"),
        ("- 1", 1, "", "not a mapping"),
        ("a: [", 1, "", "not YAML"),
    ],
)  # fmt: skip
def test_problems_have_their_lines(tmp_path, said, line, path, told):
    found = problems(tmp_path, said)
    assert any(at == line and where.startswith(path) and told in message for at, where, message, _ in found), found


def test_units_of_a_home_are_those_of_its_joints(tmp_path):
    text = robot(link("base"), link("sledge", np.random.default_rng(1)), joint("way", "prismatic", "base", "sledge"))
    assert load(tmp_path, "home: {joints: {way: 20 mm}}", text).home.joints == {"way": (0.02,)}
    ((line, path, message, expected),) = problems(tmp_path, "home: {joints: {way: 70 deg}}", text)
    assert (line, path, message) == (1, "home.joints.way", "a unit of another dimension")
    assert expected == "a length in m"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        gough.load(write(tmp_path, four_bar()), loops=tmp_path / "none.yaml")


def test_homes_in_the_file_choose_the_assembly(tmp_path):
    model = gough.build(load(tmp_path, OWN.replace("home:", "#") + CLOSED))
    np.testing.assert_allclose(np.degrees(model.home), [60, 4.9115, -94.9234], atol=1e-3)
    other = CLOSED.replace("4.9115", "-140").replace("-94.9234", "-200")
    crossed = gough.build(load(tmp_path, OWN.replace("home:", "#") + other))
    assert abs(crossed.home - model.home).max() > 0.5
    assert max(float(m.closure_error(m.home)) for m in (model, crossed)) < 1e-10


def test_a_pin_put_in_turned_is_refused(tmp_path):
    """Its axis points the other way on the rocker: the origins can meet, the pin cannot be put in."""
    turned = OWN.replace("home:", "#").replace(
        "pose: {position: [0.37, 0, -0.02]}", "pose: {position: [0.37, 0, -0.02], rpy_zyx: [0, 0, 180 deg]}"
    )
    with pytest.raises(gough.StructureError, match=r"cannot be assembled: pin stays .*turned|pin stays 180") as found:
        gough.build(load(tmp_path, turned))
    assert "turn its frame on one side" in str(found.value)


def test_a_foot_that_only_fits_turned_is_refused(tmp_path):
    """A plate between two equal cranks that a fixed loop wants the other way round."""
    rng = np.random.default_rng(3)
    axis = '<axis xyz="0 0 1"/>'
    text = robot(
        link("ground"),
        *(link(n, rng) for n in ("left", "right", "plate")),
        link("end"),
        joint("a", "continuous", "ground", "left", "", axis),
        joint("b", "continuous", "ground", "right", 'xyz="1 0 0"', axis),
        joint("c", "continuous", "left", "plate", 'xyz="0 0.6 0"', axis),
        joint("d", "fixed", "right", "end", 'xyz="0 0.6 0" rpy="3.141592653589793 0 0"'),
    )
    said = (
        "loops: [{name: foot, type: revolute, first: {body: plate, pose: {position: [1, 0, 0]}}, second: {body: end}}]"
    )
    said += "\ndrives: a\n"
    with pytest.raises(gough.StructureError, match="cannot be assembled"):
        gough.build(load(tmp_path, said, text))
    assert gough.build(load(tmp_path, said, text.replace("3.141592653589793", "0"))).mobility == 1


def test_lengths_that_do_not_fit_are_told_with_the_remedy(tmp_path):
    far = OWN.replace("home:", "#").replace("[500 mm, 0, 0]", "[5, 0, 0]")
    with pytest.raises(gough.StructureError, match=r"pin stays .* apart.*Change home"):
        gough.build(load(tmp_path, far))


def crane() -> str:
    rng = np.random.default_rng(5)
    rail = joint(
        "the rail", "prismatic", "ground", "cart", more='<limit lower="-1" upper="1" effort="9" velocity="1"/>'
    )
    rope = joint("the rope", "continuous", "cart", "load", 'xyz="0 0 -1"', '<axis xyz="0 1 0"/>')
    return robot(link("ground"), link("cart", rng), link("load", rng), rail, rope)


@pytest.mark.parametrize("idle", ["[the rope]", "the rope", '["the ro*"]'])
def test_idle_freedoms_are_stated_as_in_a_description(tmp_path, idle):
    made = load(tmp_path, f"drives: [the rail]\nidle: {idle}\n", crane())
    assert made.idle == ("the_rope",)
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.IdleWarning)
        assert gough.build(made).layout.idle_names == ("the_rope",)
    with pytest.warns(gough.IdleWarning, match="the_rope"):
        gough.build(load(tmp_path, "drives: [the rail]\n", crane()))


def test_idle_freedoms_that_are_none(tmp_path):
    found = problems(tmp_path, "drives: [the rail]\nidle:\n  - the rope\n  - the roqe\n  - x*\n", crane())
    assert found == [
        (4, "idle[1]", "no rate of a joint 'the roqe'", "'the rope'"),
        (5, "idle[2]", "no rate of a joint 'x*'", "one of the rail, the rope"),
    ]
    found = problems(tmp_path, "drives: [the rail]\nidle: [the rail]\n", crane())
    assert found == [(2, "idle[0]", "'the_rail' is driven, and so not idle", "rates of passive joints")]


def test_followers_begin_where_stated_leaders_put_them(tmp_path):
    """Nobody states them, so that nobody is told that they were moved."""
    rng, axis = np.random.default_rng(2), '<axis xyz="0 1 0"/>'
    text = robot(
        *(link(name, rng) for name in "abcd"),
        joint("j", "continuous", "a", "b", "", axis),
        joint("k", "continuous", "b", "c", "", f'{axis}<mimic joint="j" multiplier="2" offset="0.2"/>'),
        joint("l", "continuous", "c", "d", "", f'{axis}<mimic joint="k" multiplier="-1"/>'),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.HomeWarning)
        model = gough.build(load(tmp_path, "home: {joints: {j: 1.0}}", text))
    np.testing.assert_allclose(model.home, [1.0, 2.2, -2.2], atol=1e-12)
    with pytest.warns(gough.HomeWarning, match="l: 28.6479 deg stated"):
        gough.build(load(tmp_path, "home: {joints: {j: 1.0, l: 0.5}}", text))
