"""Parameters written back into descriptions: what is read again has them, for all robots and all parameters that can be."""

import json
import re
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import dumps, gallery, load, loads
from gough.structure import build_structure, stated_parameters
from reference.designs import LEG_FAMILIES, MECHANISM_FAMILIES, design
from reference.designs.flexible import FLEXIBLE_DESIGNS, design_flexible

pytestmark = pytest.mark.filterwarnings(
    "ignore::gough.robot.UnphysicalInertiaWarning", "ignore::gough.errors.VariableWarning"
)

FAMILIES = (*LEG_FAMILIES, *MECHANISM_FAMILIES)
QUICK = ("five_bar", "pedrammehr2012", "hobby_6rss", "geared_gripper", "<effects>")
SLOW = tuple(x for x in (*gallery(), *(f"<{f}>" for f in FAMILIES)) if x not in QUICK)
TURNS = ("yaw", "pitch", "roll", "qw", "qx", "qy", "qz")
NEVER = re.compile(r".*\.(frame|second|first|(along|about)_[xyz])\.[a-z]+|.* at .*|.*\[.*")
"""What descriptions do not state: axes that follow from joints, guides, numbers of flexible bodies."""


def robot_of(name: str) -> Any:
    return design(name.strip("<>"), 1) if name.startswith("<") else load(name)


def table_of(robot: Any) -> dict[str, float]:
    table = build_structure(robot).table
    return dict(zip(table.names, table.values, strict=True))


def rotations(table: dict[str, float]) -> dict[str, np.ndarray]:
    """R = Rz(yaw) Ry(pitch) Rx(roll), or of a quaternion, of everything that is placed."""
    found = {}
    for head in {name.rpartition(".")[0] for name in table if name.endswith((".yaw", ".qw"))}:
        if f"{head}.yaw" in table:
            (a, b, c) = (table[f"{head}.{word}"] for word in TURNS[:3])
            z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
            y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
            x = np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]])
            found[head] = z @ y @ x
        else:
            q = np.array([table[f"{head}.{word}"] for word in TURNS[3:]])
            w, v = q[0] / np.linalg.norm(q), q[1:] / np.linalg.norm(q)
            K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
            found[head] = np.eye(3) + 2 * w * K + 2 * K @ K
    return found


def assert_same(found: dict[str, float], wanted: dict[str, float]) -> None:
    """To 1e-12 of the largest number of a group; turns as rotations."""
    turned, aims = rotations(found), rotations(wanted)
    assert all(np.abs(turned[head] - R).max() < 1e-12 for head, R in aims.items() if " at " not in head)
    sizes: dict[str, float] = {}
    for name, x in wanted.items():
        key = name if "[" in name else name.rpartition(".")[0]
        sizes[key] = max(sizes.get(key, 0.0), abs(x))
    for name, x in wanted.items():
        head, _, last = name.rpartition(".")
        if last not in TURNS and " at " not in name:
            assert abs(found[name] - x) <= 1e-12 * sizes[name if "[" in name else head], (name, found[name], x)


def moved(robot: Any, table: dict[str, float], rng: np.random.Generator) -> dict[str, float]:
    """Every parameter that the description states, moved by up to 5 %, zeros to something small."""
    out = {}
    for name in stated_parameters(robot):
        head, _, last = name.rpartition(".")
        replaced = any(f"{head}.{other}" in table for other in ("polynomial.c1", "table.0.at"))
        fixed = (last == "stiffness" and replaced) or (
            last in ("rest", "rest_length") and f"{head}.table.0.at" in table
        )
        fixed |= (last == "preload" and f"{head}.rounding" in table) or last.startswith("rest_q")
        fixed |= last.startswith("c") and table[name] == 0  # a force at rest of what only pulls
        if not fixed:
            x = table[name]
            out[name] = x * (1 + rng.uniform(-0.05, 0.05)) if x else rng.uniform(1e-4, 1e-3)
    return out


def check_round_trip(robot: Any, seed: int = 1) -> None:
    table, rng = table_of(robot), np.random.default_rng(seed)
    changes = moved(robot, table, rng)
    new = robot.with_parameters(changes, "moved")
    wanted = {**table, **changes}
    assert_same(table_of(new), wanted)
    assert_same(table_of(loads(dumps(new), file=robot.file or "robot.yaml")), wanted)
    some = {name: changes[name] for name in rng.choice(sorted(changes), 5)}
    assert_same(table_of(robot.with_parameters(some)), {**table, **some})


@pytest.mark.parametrize("name", QUICK)
def test_all_parameters_there_and_back(name: str) -> None:
    check_round_trip(robot_of(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_all_parameters_of_all_robots_there_and_back(name: str) -> None:
    check_round_trip(robot_of(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", FLEXIBLE_DESIGNS)
def test_bodies_that_are_python_objects_stay(name: str) -> None:
    robot = design_flexible(name)
    table = table_of(robot)
    changes = moved(robot, table, np.random.default_rng(2))
    assert_same(table_of(robot.with_parameters(changes)), {**table, **changes})


@pytest.mark.parametrize("name", ["delta_fast", "flexible_slider_crank", "<skewed>"])
def test_the_others_are_refused_with_a_reason(name: str) -> None:
    robot = robot_of(name)
    table, stated = table_of(robot), set(stated_parameters(robot))
    others = [n for n in table if n not in stated]
    flexible = {n.partition(" at ")[0] for n in table if " at " in n}
    kinds: dict[str, str] = {}
    for n in others:
        of_body = any(n.startswith(f"{body}.") for body in flexible)
        attached = flexible and n.endswith((".x", ".y", ".z"))
        assert NEVER.fullmatch(n) or ".friction." in n or of_body or attached, n
        kinds[re.sub(r"\d+", "#", n)] = n
    for n in list(kinds.values())[:: max(1, len(kinds) // 2)]:
        with pytest.raises(gough.UsageError, match=f"{re.escape(n)} cannot be written back: .*change|give it"):
            robot.with_parameters({n: table[n] + 1e-3})
        assert robot.with_parameters({n: table[n]}) == robot


def test_the_new_robot_moves_as_the_old_one_with_other_numbers() -> None:
    model = gough.build("pedrammehr2012", free=["platform.MX"])
    changes = {"leg2.upper.XX": 0.3, "leg*.lower.M": 2.5, "leg1.hip.x": table_of(model.robot)["leg1.hip.x"] + 1e-3}
    changes |= {"platform.MX": 0.02, "leg3.ball.on_platform.z": -0.11}
    new = gough.build(model.robot.with_parameters(changes))
    by_name = {
        name: changes.get(name, changes["leg*.lower.M"])
        for name in model.parameter_names
        if name in changes or name.endswith("lower.M")
    }
    q = new.home
    v, a = np.linspace(-1, 1, 6), np.linspace(2, -1, 6)
    there = new.inverse_dynamics(q, v, a).tau
    here = model.inverse_dynamics(q, v, a, parameters=model.parameters_with(by_name)).tau
    assert np.allclose(there, here, rtol=1e-10)


def test_equal_legs_stay_one_template() -> None:
    robot = load("pedrammehr2012")
    before, after = (
        dumps(robot),
        dumps(robot.with_parameters({"leg*.upper.M": 1.3, "leg*.slide.friction.viscous": 4.0})),
    )
    assert after.count("M: 1.3") == 1 and after.count("viscous: 4.0") == 1
    assert after.count("\n") < before.count("\n") + 12
    own = dumps(robot.with_parameters({"leg2.hip.x": -0.299}))
    assert own.count("\n") == before.count("\n") and "[-0.299, 0.3, 0.1]" in own


CRANE: dict[str, Any] = {
    "format": 2,
    "name": "crane",
    "variables": {"reach": "0.5 m", "tilt": "20 deg", "weight": "2 kg"},
    "bodies": [
        {
            "name": "arm",
            "mass": "weight",
            "center_of_mass": ["reach/2", 0, 0],
            "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.2, "zz": 0.2, "source": "drawing 7"},
            "payload": {"mass": 0.5, "center_of_mass": [0.1, 0.2, 0.3], "at": {"position": ["reach", 0, 0]}},
        },
        {"name": "hand", "mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}},
    ],
    "joints": [
        {
            "name": "hip",
            "type": "universal",
            "parent": "world",
            "child": "arm",
            "axes": [[0, 0.6, 0.8], [1, 0, 0]],
            "armature": 0.01,
            "spring": [{"stiffness": 4.0, "source": "supplier"}, {"stiffness": 5.0}],
            "pose": {"bryant_xyz": [0.1, "tilt", 0.3], "position": [0, 0, 1]},
        },
        {
            "name": "wrist",
            "type": "revolute",
            "parent": "arm",
            "child": "hand",
            "mdh": {"d": "reach", "alpha": 0.4, "theta": "tilt"},
            "drive": {"rotor_inertia": 0.002, "gear": 10},
        },
    ],
    "velocities": "any",
}


def crane() -> Any:
    return loads(json.dumps(CRANE), file="crane.yaml")


def test_a_payload_stays_and_the_body_takes_the_difference() -> None:
    robot = crane()
    new = robot.with_parameters({"arm.M": 3.0, "arm.MY": 0.4})
    before, after = table_of(robot), table_of(new)
    assert after["arm.M"] == pytest.approx(3.0, rel=1e-14) and after["arm.MY"] == pytest.approx(0.4, rel=1e-14)
    assert [n for n in before if abs(before[n] - after[n]) > 1e-14] == ["arm.M", "arm.MY"]
    assert new.bodies[0].payload == robot.bodies[0].payload and float(new.bodies[0].parameters.M) == 2.5
    with pytest.raises(gough.UsageError, match=r"payload of 0\.5 kg leaves -0\.1 kg"):
        robot.with_parameters({"arm.M": 0.4})


def test_numbers_lose_their_formulas_with_a_warning() -> None:
    robot = crane()
    with pytest.warns(gough.errors.VariableWarning, match=r"bodies\[0\].mass \(was weight\)"):
        robot.with_parameters({"arm.M": 3.0})
    names = list(table_of(robot))
    turn = [n for n in names if n.startswith("hip.q")]
    assert len(turn) == 4  # it follows tilt
    q = np.array([table_of(robot)[n] for n in turn]) + [0.0, 0.01, -0.02, 0.01]
    wanted = dict(zip(turn, q / np.linalg.norm(q), strict=True))
    with pytest.warns(gough.errors.VariableWarning, match="tilt"):
        new = robot.with_parameters(wanted)
    assert_same(table_of(new), {**table_of(robot), **wanted})
    assert new.joints[0].placement.bryant_xyz is not None and new.joints[1].mdh is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            robot.with_parameters({"hip.z": 1.1}).joints[0].placement.bryant_xyz == robot.joints[0].placement.bryant_xyz
        )
    with pytest.raises(gough.UsageError, match=r"robot\.with_variables\(\{'tilt'"):
        robot.with_parameters({"tilt": 0.3})


def test_forms_stay_where_they_can() -> None:
    robot = crane()
    new = robot.with_parameters({"hip_1.armature": 0.02, "hip_1.spring.stiffness": 7.0, "wrist.rotor_inertia": 0.5})
    hip, wrist = new.joints
    assert hip.armature == (0.02, 0.01) and hip.spring[0].stiffness == 7.0 and hip.spring[1].stiffness == 5.0
    assert wrist.drive.rotor_inertia == pytest.approx(0.005, rel=1e-14) and wrist.drive.gear == 10
    both = robot.with_parameters({"hip_*.armature": 0.02, "hip_*.spring.stiffness": 7.0}).joints[0]
    assert both.armature == 0.02 and both.spring[0].stiffness == both.spring[1].stiffness == 7.0
    placed = robot.with_parameters(
        {"wrist.z": 0.01}
    )  # along z of the arm's own axes, which are those of its tilted hip
    assert placed.joints[1].mdh is None
    assert_same(table_of(placed), {**table_of(robot), "wrist.z": 0.01})


def test_axes_from_home_do_not_turn_with_the_leg() -> None:
    robot = load("agile_eye")
    turned = next(
        n for n in stated_parameters(robot) if n.startswith("leg1.") and n.endswith(".roll") and "on_" not in n
    )
    table = table_of(robot)
    new = robot.with_parameters({turned: table[turned] + 0.02})
    assert_same(table_of(new), {**table, turned: table[turned] + 0.02})
    assert new.legs[1].on_platform.orientation is None and new.legs[0].on_platform.orientation == "home"


def test_unphysical_inertia_is_said_and_still_written() -> None:
    robot = load("five_bar")
    with pytest.warns(gough.UnphysicalInertiaWarning, match=r"left_crank.*negative"):
        new = robot.with_parameters({"left_crank.ZZ": -0.1})
    assert table_of(new)["left_crank.ZZ"] == -0.1
    with pytest.raises(gough.UsageError, match="a mass is not negative"):
        robot.with_parameters({"left_crank.M": -0.1})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"left_crank.mass": 1.0}, "has no parameter 'left_crank.mass'; use 'left_crank.M'"),
        ({"nobody*": 1.0}, "has no parameter"),
        ({"left_crank.M": np.nan}, "one finite number"),
        ({"left_crank.M": "2 kg"}, "one finite number"),
        ([1.0], "a mapping"),
    ],
)
def test_names_and_numbers_are_checked(values: Any, said: str) -> None:
    with pytest.raises(gough.UsageError, match=re.escape(said)):
        load("five_bar").with_parameters(values)


def test_what_keys_do_not_allow_is_told_with_its_place() -> None:
    with pytest.raises(
        gough.DescriptionError, match=r"other left_motor\.friction\.viscous: joints\[0\]\.friction\.viscous: negative"
    ):
        load("five_bar").with_parameters({"left_motor.friction.viscous": -1.0})


@pytest.mark.parametrize("order", [1, -1])
def test_a_name_goes_before_a_pattern_whatever_their_order(order: int) -> None:
    robot = load("three_rrr")
    values = dict([("leg0.rod.M", 1.0), ("leg*.rod.M", 2.0)][::order])
    table = table_of(robot.with_parameters(values))
    assert [table[f"leg{k}.rod.M"] for k in range(3)] == [1.0, 2.0, 2.0]
    values = dict([("leg0.motor.offset", 1.0), ("leg*.motor.offset", 2.0)][::order])
    table = table_of(robot.with_parameters(values))
    assert [table[f"leg{k}.motor.spring.preload"] for k in range(3)] == [-1.0, -2.0, -2.0]


def test_tied_names_mean_all_their_members() -> None:
    robot = load("five_bar")
    table = table_of(robot.with_parameters({"{left_crank,right_crank}.M": 0.7, "{left_motor,right_motor}.offset": 0.5}))
    assert table["left_crank.M"] == table["right_crank.M"] == 0.7
    assert table["left_motor.spring.preload"] == table["right_motor.spring.preload"] == -0.5
    with pytest.raises(gough.UsageError, match="no parameter"):
        robot.with_parameters({"{left_crank,middle_crank}.M": 0.7})
