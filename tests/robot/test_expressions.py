"""Expressions in the place of numbers: what they give, what is refused and how, and that nothing but arithmetic happens."""

import ast
import math
import pickle
import random
import warnings

import pytest

from gough.errors import UnitWarning
from gough.robot import DescriptionError, Robot, dumps, loads
from gough.scalar import replay
from inner.robot import Expression, Scope, UnitError, change_friction

GIVEN = {"radius": "80 mm", "a": "12 deg", "n": 3, "m_0": "2 kg", "twice": "2*radius", "area": "radius*twice"}
R, A, N, M = 0.08, math.radians(12), 3.0, 2.0
LENGTH, NUMBER, ANGLE, MASS, AREA = (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, 0), (2, 0, 0, 0)

VALUES = [
    ("radius*cos(a)", R * math.cos(A), LENGTH),
    ("80 mm*cos(a)", R * math.cos(A), LENGTH),
    ("80 mm*cos(12 deg) + 5mm", R * math.cos(A) + 0.005, LENGTH),
    ("-radius**2 + area", R * R, AREA),
    ("2**3**2", 512.0, NUMBER),
    ("-2**2", -4.0, NUMBER),
    ("2**-1", 0.5, NUMBER),
    ("n**0.5", math.sqrt(N), NUMBER),
    ("n**-1.5", N**-1.5, NUMBER),
    ("sqrt(area)", math.sqrt(2) * R, LENGTH),
    ("sqrt(radius**2 + (60 mm)**2)", 0.1, LENGTH),
    ("atan2(radius, 2*radius)", math.atan2(1, 2), ANGLE),
    ("asin(radius/twice)", math.asin(0.5), ANGLE),
    ("acos(-radius/twice)", math.acos(-0.5), ANGLE),
    ("atan(n)", math.atan(3), ANGLE),
    ("tan(a)", math.tan(A), NUMBER),
    ("pi/6 + n", math.pi / 6 + 3, NUMBER),
    ("max(radius, 70 mm, twice)", 2 * R, LENGTH),
    ("min(radius, 70 mm, twice)", 0.07, LENGTH),
    ("abs(-radius)", R, LENGTH),
    ("m_0*radius**2/12", M * R * R / 12, (2, 1, 0, 0)),
    ("m_0*9.81 m/s2", M * 9.81, (1, 1, -2, 0)),
    ("2 kg*m2 + m_0*area", 2 + M * 2 * R * R, (2, 1, 0, 0)),
    ("5 m**2 - area", 5 - 2 * R * R, AREA),
    ("80 mm/radius", 1.0, NUMBER),
    ("radius * 1/s", R, (1, 0, -1, 0)),
    ("(((radius)))", R, LENGTH),
    (" radius ", R, LENGTH),
    ("3*min(a, 5 deg)", 3 * math.radians(5), ANGLE),
    ("1e-3*radius", 1e-3 * R, LENGTH),
    (".5*radius", 0.5 * R, LENGTH),
]


@pytest.mark.parametrize(("text", "value", "dimension"), VALUES)
def test_values_and_dimensions(text: str, value: float, dimension: tuple[int, ...]) -> None:
    found = Scope(GIVEN, 2).read(text)
    assert found is not None
    assert float(found) == pytest.approx(value, rel=4e-16)
    assert found.dimension == dimension


REFUSED = [
    ("radius + a", "a sum of a length and an angle", 8),
    ("radius + 1", "a sum of a length and a number", 8),
    ("sin(radius)", "sin of a length; it takes an angle", 1),
    ("asin(a)", "asin of an angle; it takes a number", 1),
    ("sqrt(radius)", "a root of a length, which has no unit", 1),
    ("radius**0.5", "a fractional power of a number with a unit; use sqrt", 7),
    ("n**(1/3)", "there are whole ones and halves", 2),
    ("2**n", "an exponent with a variable", 2),
    ("2**a", "an exponent that is an angle", 2),
    ("radius/(twice - 2*radius)", "a division by zero", 7),
    ("sqrt(-n)", "a root of -3", 1),
    ("acos(n)", "acos of 3", 1),
    ("radus*2", "did you mean 'radius'?", 1),
    ("nothing_known*2", "define it under `variables`", 1),
    ("3*radus", "did you mean 'radius'?", 3),
    ("2*mm", "stands after a number", 3),
    ("radius*mm", "stands after a number", 8),
    ("3*a + 20 deg-2", "write blanks around the minus", 13),
    ("2 radius", "products are written with *", 3),
    ("radius*(a", "ends where ')' should be", 10),
    ("radius*", "the expression ends where a number, a variable or '(' should be", 8),
    ("cos a", "'(' after cos", 5),
    ("atan2(n)", "atan2 of 1 arguments; it takes 2", 1),
    ("radius^2", "powers are written **", 7),
    ("radius.real", "'.' has no meaning", 7),
    ("__import__('os')", "'(' where an operator should be", 11),
    ("[radius]", "'[' has no meaning", 1),
    ("radius if a else n", "'if' where an operator should be", 8),
    ("lambda: radius", "':' has no meaning", 7),
    ("5 m**12 + area", "write brackets", 4),
    ("(" * 60 + "radius" + ")" * 60, "nested more than", 41),
    ("radius" + "+radius" * 300, "characters", 1),
    ("n" + "+n" * 300, "more than 200 operations", 400),
    ("a*2 Hz", "Hz counts turns", 3),
    ("1e300*1e300*sin(1e300*1e300)*n", "no number comes of this", 13),
]


@pytest.mark.parametrize(("text", "message", "column"), REFUSED)
def test_what_is_refused_says_why_and_where(text: str, message: str, column: int) -> None:
    with pytest.raises(UnitError) as caught:
        Scope(GIVEN, 2).read(text)
    assert message in str(caught.value)
    assert f"at character {column} of the expression" in str(caught.value)


ROBOT = """
format: {format}
name: arm
variables: {variables}
bodies:
  - {{name: link, mass: {mass}, center_of_mass: [{center}, 0, 0]}}
joints:
  - {{name: pin, type: revolute, parent: world, child: link, axis: [{axis}, 0, 1], pose: {{rpy_zyx: [{yaw}, 0, 0]}}, drive: {{}}}}
"""
USUAL = {
    "format": 2,
    "variables": "{radius: 80 mm, a: 12 deg}",
    "mass": 1,
    "center": "radius",
    "axis": 0,
    "yaw": "a",
}


def problems(**changes: object) -> list[str]:
    with pytest.raises(DescriptionError) as caught:
        loads(ROBOT.format(**{**USUAL, **changes}), "arm.yaml")
    return [str(p) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("changes", "place", "message"),
    [
        ({"center": '"a*2"'}, "arm.yaml:6: bodies[0].center_of_mass[0]", "gives an angle, not a length"),
        ({"center": '"radius*a"'}, "arm.yaml:6: bodies[0].center_of_mass[0]", "gives m.rad, not a length"),
        ({"center": '"radius*"'}, "arm.yaml:6: bodies[0].center_of_mass[0]", "at character 8 of the expression"),
        ({"mass": '"radius*3 kg/(-1 m)"'}, "arm.yaml:6: bodies[0].mass", "negative mass"),
        ({"axis": '"sin(a)"'}, "arm.yaml:8: joints[0].axis[0]", "a direction that follows a variable"),
        ({"variables": "{radius: twice, twice: 2*radius, a: 1}"}, "arm.yaml:4: variables.", "twice"),
        ({"variables": "{radius: 80 mm, a: 12 deg, mm: 3}"}, "arm.yaml:4: variables.mm", "'mm' is a unit"),
        ({"variables": "{radius: 80 mm, a: 12 deg, sin: 3}"}, "arm.yaml:4: variables.sin", "'sin' is a function"),
        ({"variables": "{radius: 80 mm, a: [1]}"}, "arm.yaml:4: variables.a", "not a number"),
        ({"variables": "[1, 2]"}, "arm.yaml:4: variables", "not a mapping"),
        ({"variables": "{radius: 80 mm, a: 12 deg, f: 2 Hz}"}, "arm.yaml:4: variables.f", "Hz counts turns"),
    ],
)
def test_problems_of_a_file_have_their_place(changes: dict[str, object], place: str, message: str) -> None:
    found = problems(**changes)
    assert any(p.startswith(place) and message in p for p in found), found


def test_a_cycle_is_named() -> None:
    told = problems(variables="{radius: b1 + 1 mm, b1: c1, c1: 2*radius, a: 1}")
    assert any("radius → b1 → c1 → radius" in p for p in told), told


@pytest.mark.parametrize("order", ["forward", "backward", "mixed"])
def test_variables_may_be_defined_in_any_order(order: str) -> None:
    """A long chain, read and pickled, and closed to a circle."""
    texts = {f"v{k}_": f"v{k - 1}_ + 1 mm" for k in range(1, 900)} | {"v0_": "1 m"}
    names = sorted(texts, key=lambda name: int(name[1:-1]), reverse=order == "backward")
    if order == "mixed":
        random.Random(2).shuffle(names)
    scope = Scope({name: texts[name] for name in names}, 2)
    assert not scope.faults
    assert scope.known["v899_"] == pytest.approx(1.899)
    back = pickle.loads(pickle.dumps(scope.variables))
    assert list(back) == names
    assert replay([back["v899_"].node], {"v0_": 2.0}) == [pytest.approx(2.899)]
    round_ = Scope({name: "v899_" if name == "v0_" else texts[name] for name in names}, 2)
    circles = [fault.message for fault in round_.faults if "follow from each other" in fault.message]
    assert len(circles) == 1
    assert "→ … →" in circles[0]


def test_older_formats_have_neither() -> None:
    told = problems(format=1)
    assert any("variables" in p and "a key of format 2" in p for p in told)
    assert any("expressions need `format: 2`" in p for p in problems(format=1, variables="{}", center='"3 mm + 2 mm"'))


def test_a_bound_is_one_of_the_value_and_numbers_of_expressions_serve_as_angles() -> None:
    robot = loads(ROBOT.format(**{**USUAL, "yaw": '"pi/6"', "mass": '"3 kg*(radius/80 mm - 1)"'}))
    assert robot.joints[0].placement.rpy_zyx == (math.pi / 6, 0.0, 0.0)
    assert isinstance(robot.bodies[0].mass, Expression)
    assert float(robot.bodies[0].mass) == 0.0


def test_an_expression_without_a_unit_that_turns_far_is_told() -> None:
    with pytest.warns(UnitWarning, match="arm.yaml:8: .*rpy_zyx.*is 30 rad; give its variables a unit"):
        loads(ROBOT.format(**{**USUAL, "variables": "{radius: 80 mm, a: 30}"}), "arm.yaml")


DEGREES = """format: 2
name: arm
variables: {swing: 45, n: 12, straight: 2*pi*3, side: 45 deg}
bodies:
- mass: 1
  name: arm
  center_of_mass: [0.1 m*cos(SIDE), 0.1 m*sin(straight + pi), 0]
  inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}
- {mass: 1, name: hand}
joints:
- {name: h, type: revolute, axis: [0, 1, 0], parent: world, child: arm, drive: {stroke: [-n/2, swing]}, limits: {lower: -2*swing}}
- {name: s, type: prismatic, axis: [0, 1, 0], parent: arm, child: hand, limits: {upper: swing*0.5 m}}
home: {joints: {h: n}}
initial: {joints: {h: [n]}}
"""


def test_degrees_that_were_forgotten_are_told_wherever_an_angle_stands() -> None:
    """Not of a slide, not of radians that are a turn or less, or that are written with pi."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads(DEGREES.replace("SIDE", "30"), "arm.yaml")
    said = [str(w.message) for w in caught if w.category is UnitWarning]
    assert [line.split(": ")[1] for line in said] == [
        "joints[0].drive.stroke[1]",
        "joints[0].limits.lower",
        "home.joints.h",
        "initial.joints.h[0]",
        "bodies[0].center_of_mass[0]",
    ]
    assert "takes the cos of 30 rad, 4.77 turns; give the angle a unit: 30 deg" in said[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        given = DEGREES.replace("SIDE", "side").replace("swing: 45", "swing: 45 deg").replace("n: 12", "n: 12 deg")
        loads(given.replace("swing*0.5 m", "3 m"))


def test_friction_that_is_scaled_stays_an_expression() -> None:
    text = ROBOT.format(**USUAL).replace("drive: {}", 'drive: {viscous: "2 N.m.s*radius/(1 m)"}')
    robot = change_friction(loads(text), viscous=3.0)
    drive = robot.joints[0].drive
    assert drive is not None
    assert isinstance(drive.viscous, Expression)
    assert drive.viscous.written == "3.0*(2 N.m.s*radius/(1 m))"
    assert float(loads(dumps(robot)).joints[0].drive.viscous) == float(drive.viscous)  # type: ignore[union-attr]


def test_home_follows_variables() -> None:
    """Joints at home too: written back as they are, and read again with other values."""
    text = """
format: 2
name: slider
variables: {lean: 20 deg, out: 3 mm}
bodies: [{name: arm, mass: 1}, {name: tip, mass: 1}]
joints:
  - {name: turn, type: revolute, parent: world, child: arm, drive: {}}
  - {name: slide, type: prismatic, parent: arm, child: tip, drive: {stroke: [-out, 2*out]}}
home: {joints: {turn: 2*lean, slide: out}}
"""
    robot = loads(text)
    assert '{turn: "2*lean", slide: out}' in dumps(robot)
    other = robot.with_variables({"lean": 0.1, "out": "5 mm"})
    assert {name: float(q) for name, (q,) in other.home.joints.items()} == {"turn": 0.2, "slide": 0.005}
    drive = other.joints[1].drive
    assert drive is not None and drive.stroke is not None and [float(x) for x in drive.stroke] == [-0.005, 0.01]
    assert loads(dumps(robot)).with_variables({"lean": 0.1, "out": 0.005}) == other


@pytest.mark.parametrize(
    ("written", "lead"), [("radius/8", 0.01), ("radius/8/rev", 0.01), ("radius/8/rad", 0.02 * math.pi)]
)
def test_a_lead_follows_variables_and_a_home_may_be_a_number_of_them(written: str, lead: float) -> None:
    text = ROBOT.format(**USUAL).replace("type: revolute", f"type: ball_screw, lead: {written}")
    robot = loads(text + "home: {joints: {pin: 3*radius/(80 mm)}}")
    assert isinstance(robot.joints[0].lead, Expression)  # type: ignore[attr-defined]
    assert float(robot.joints[0].lead) == pytest.approx(lead, rel=1e-15)  # type: ignore[attr-defined]
    assert loads(dumps(robot)) == robot
    wider = robot.with_variables({"radius": "160 mm"})
    assert float(wider.joints[0].lead) == pytest.approx(2 * lead, rel=1e-15)  # type: ignore[attr-defined]
    assert float(wider.home.joints["pin"][0]) == pytest.approx(6.0, rel=1e-15)


def test_written_back_with_variables_and_expressions() -> None:
    robot = loads(ROBOT.format(**{**USUAL, "mass": '"3 kg*radius/(80 mm)"', "center": '"20 mm + 3 mm"'}))
    again = loads(dumps(robot))
    assert again == robot
    assert dumps(again) == dumps(robot)
    assert '"3 kg*radius/(80 mm)"' in dumps(robot)
    assert 'radius: "80 mm"' in dumps(robot)
    assert robot.bodies[0].center_of_mass[0] == pytest.approx(0.023, rel=1e-15)
    assert not isinstance(robot.bodies[0].center_of_mass[0], Expression)


def test_a_flexible_body_has_numbers() -> None:
    text = """
format: 2
name: arm
variables: {length_0: 1 m}
bodies:
  - name: beam
    flexible:
      beam:
        points: [[0, 0, 0], [length_0, 0, 0]]
        material: {E: 70 GPa, nu: 0.3, density: 2700}
        section: {circle: {radius: 5 mm}}
        elements: 4
      modes: {number: 2}
joints: [{name: pin, type: revolute, parent: world, child: beam, drive: {}}]
"""
    with pytest.raises(DescriptionError) as caught:
        loads(text)
    assert "follows a variable" in str(caught.value)


def test_a_robot_made_in_python_has_variables_too() -> None:
    robot = Robot.model_validate(
        {
            "name": "arm",
            "variables": {"half": 0.2, "long": "half*2 m"},
            "bodies": [{"name": "link", "mass": 1, "center_of_mass": ["long/2", 0, 0]}],
            "joints": [{"name": "pin", "type": "revolute", "parent": "world", "child": "link"}],
        }
    )
    centre = robot.bodies[0].center_of_mass[0]
    assert isinstance(centre, Expression)
    assert (float(centre), centre.written, centre.dimension) == (0.2, "long/2", LENGTH)
    assert loads(dumps(robot)) == robot


# Random texts: a number or a refusal, and numbers are those of Python's own parser, which the test alone uses.

PIECES = [
    "radius",
    "a",
    "n",
    "m_0",
    "twice",
    "area",
    "pi",
    "2",
    "0.5",
    "3 mm",
    "12 deg",
    "1e3",
    "sin(",
    "cos(",
    "sqrt(",
    "abs(",
]
PIECES += [
    "max(",
    "min(",
    "atan2(",
    "+",
    "-",
    "*",
    "/",
    "**",
    "(",
    ")",
    ")",
    ",",
    " ",
    "__class__",
    ".",
    "x",
    "[0]",
    "0",
    "°",
    "²",
    "é",
    ";",
]


def grown(chance: random.Random, depth: int) -> str:
    """A text of the grammar."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(["radius", "a", "n", "2", "0.25", "3.5 m", "20 deg", "pi", "twice"])
    inner = [grown(chance, depth - 1) for _ in range(2)]
    form = [
        "{}+{}",
        "{} - {}",
        "{}*{}",
        "{}/{}",
        "({} - {})",
        "-{}",
        "({})**2",
        "sin({})",
        "cos({})",
        "sqrt(abs({}))",
        "max({},{})",
    ]
    return chance.choice(form).format(*inner)


def by_python(text: str) -> complex | float:
    """The number of an expression without units, by walking Python's tree of it."""
    names = {"radius": R, "a": A, "n": N, "twice": 2 * R, "pi": math.pi}
    functions = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "abs": abs, "max": max}

    def walk(node: ast.AST) -> float:
        match node:
            case ast.Expression():
                return walk(node.body)
            case ast.Constant():
                return float(node.value)  # type: ignore[arg-type]
            case ast.Name():
                return names[node.id]
            case ast.UnaryOp():
                return -walk(node.operand)
            case ast.Call():
                return functions[node.func.id](*map(walk, node.args))  # type: ignore[attr-defined]
            case ast.BinOp():
                x, y = walk(node.left), walk(node.right)
                match node.op:
                    case ast.Add():
                        return x + y
                    case ast.Sub():
                        return x - y
                    case ast.Mult():
                        return x * y
                    case ast.Div():
                        return x / y
                    case ast.Pow():
                        return x**y
        raise AssertionError(node)

    return walk(ast.parse(text.replace("3.5 m", "3.5").replace("20 deg", repr(math.radians(20))), mode="eval"))


def try_texts(numbers: range) -> tuple[int, int]:
    """(texts that give a number, that are refused)."""
    given = refused = 0
    for k in numbers:
        chance = random.Random(k)
        proper = k % 2 == 0
        text = grown(chance, 4) if proper else "".join(chance.choices(PIECES, k=chance.randint(1, 14)))
        try:
            found = Scope(GIVEN, 2).read(text)
        except UnitError:
            refused += 1
            continue
        if found is None:
            refused += 1
        else:
            given += 1
            if proper and math.isfinite(found):
                assert float(found) == pytest.approx(by_python(text), rel=1e-12, abs=1e-12), text
    return given, refused


def test_random_texts_are_numbers_or_refused() -> None:
    given, refused = try_texts(range(4000))
    assert given > 300
    assert refused > 300


@pytest.mark.slow
def test_many_random_texts() -> None:
    given, refused = try_texts(range(4000, 104_000))
    assert given > 8000
    assert refused > 8000
