"""What people write by mistake is answered in their words: the line, what was meant_word, and what to write instead."""

import warnings
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest

from gough.errors import UnitWarning
from gough.robot import DescriptionError, Robot, loads
from gough.robot.checks.suggestions import MEANT, meant_word
from gough.simulation.scenarios import files as _  # so that the items of motions and scenarios are there  # noqa: F401
from inner.robot import CutType, Item, MovingType
from robot.documents import VALID, problems, put, text, tree

HEAD = "format: 1\nname: a\n"
HIP, SLIDE, CUT = "templates/ups/chain/0", "templates/ups/chain/1", "templates/ups/cut"


@pytest.mark.parametrize(
    ("document", "line", "words"),
    [
        ("a: 1\n\tb: 2\n", 2, ["a tab in the indentation"]),
        ("a:\n  b: 1\n\tc: 2\n", 3, ["a tab"]),
        ("a: 1\n  b: 2\n", 2, ["check the indentation", "'  b: 2'", "line before, 1: 'a: 1'"]),
        ("a:\n  b: 1\n c: 2\n", 3, ["check the indentation", "line before, 2: '  b: 1'"]),
        ("a:\n  - 1\n\n# word\n - 2\n", 5, ["check the indentation", "line before, 2: '  - 1'"]),
        ("a:1\nb: 2\n", 2, ["line before, 1: 'a:1'", "a space after each colon"]),
        ("a: [1, 2\nb: 3\n", 2, ["'[' of line 1 is not closed"]),
        ("a: {x: [1, 2}\n", 1, ["'[' of line 1 is not closed"]),
        ("a: 1\nb: 'abc\nc: 2\n", 2, ["a quote of line 2 is not closed"]),
        ("  a: 1\nb: 2\n", 2, ["check the indentation"]),
        ("a: \x1b[31m\n", 1, ["U+001B"]),
        ('a: "\\e[31m"\n', 1, ["U+001B"]),
        ('a: 1\n"\\u202e": 2\n', 2, ["U+202E"]),
        ('a: "\\ud800"\n', 1, ["U+D800"]),
        ("a: !!int abc\n", 1, ["!!int"]),
        ("a: !!bool maybe\n", 1, ["!!bool"]),
        ("a: !!float x\n", 1, ["!!float"]),
        ("a: !!set {x, y}\n", 1, ["!!set|set is not allowed"]),
        ("a: !thing [1]\n", 1, ["!thing is not allowed"]),
        ("a: &x {b: 1}\nc: {<<: *x}\n", 2, ["merge key"]),
        ("a: " + "9" * 5000, 1, ["5000 characters"]),
        ("a: " + "9" * 401, 1, ["401 characters"]),
        ("a: " + "[" * 490 + "]" * 490, 1, ["nested more than"]),
        ("- " * 3000 + "1", 1, ["nested more than"]),
        ("a: [" + "1," * 80_100 + "1]", 1, ["more than 80000 entries"]),
        (
            "a: &a [x, x, x]\n" + "".join(f"b{i}: &b{i} [{','.join(['*a'] * 3000)}]\n" for i in range(10)),
            None,
            ["without end"],
        ),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_texts_that_are_no_yaml(document, line, words):
    found = problems(document)
    told = [p for p in found if all(any(one in str(p) for one in word.split("|")) for word in words)]
    assert told, "\n".join(map(str, found[:5]))
    assert line is None or told[0].line == line


@pytest.mark.parametrize(
    ("place", "value", "message", "expected"),
    [
        ("platform/mass", "12,5", "a decimal comma, write 12.5", ""),
        ("platform/mass", "12,5 kg", "a decimal comma, write 12.5 kg", ""),
        ("platform/center_of_mass", ["0,1", 0, 0], "a decimal comma, write 0.1", ""),
        ("platform/center_of_mass", ["\u22125 mm", 0, 0], "another sign for minus, write -5 mm", ""),
        ("platform/mass", "3 kilograms", "did you mean 'kg'?", ""),
        ("platform/inertia/xx", "3 kg m2", "did you mean 'kg.m2'?", ""),
        (f"{HIP}/limits/cone", "50 degrees", "did you mean 'deg'?", ""),
        ("platform/mass", "1" * 5000 + " kg", "characters", "mass"),
        ("gravity", ["1 km9.km9.km9.km9.km9.km9.km9.km9.km9.km9.km9.km9", 0, 0], "another dimension", "acceleration"),
        (f"{SLIDE}/type", "slider", "did you mean 'prismatic'?", "'prismatic'"),
        (f"{HIP}/type", "ball", "did you mean 'spherical'?", "'universal'"),
        (f"{CUT}/type", "hinge", "did you mean 'revolute'?", "'revolute'"),
        (f"{CUT}/type", "weld", "did you mean 'fixed'?", ""),
        (f"{CUT}/drive", {"gear": 2}, "a drive on a cut joint", "a joint of the tree"),
        (f"{CUT}/motor", {}, "a drive on a cut joint", "passive joint"),
        (f"{CUT}/spring", {"stiffness": 2}, "a spring on a cut joint", "a joint of the tree"),
        ("platform/com", [0, 0, 0], "did you mean 'center_of_mass'?", ""),
        ("platform/frames/tool/rpy", [0, 0, 0], "did you mean 'rpy_zyx'?", ""),
        (f"{SLIDE}/motor", {}, "did you mean 'drive'?", ""),
        ("links", [], "did you mean 'bodies'?", ""),
        ("legs/0/like", "usp", "no template 'usp'", "'ups'"),
        ("springs/0/from/body", "ground", "no body 'ground'", "'world'"),
        ("home/joints/leg0.hpi", [0, 0], "no joint 'leg0.hpi'", "'leg0.hip'"),
        ("velocities", ["vxx"], "no velocity", "'vx'"),
        (f"{SLIDE}/body/telescopic/joint", "slid", "not in the leg", "slide"),
        ("templates/ups/loops", [{"name": "cut"}], "", ""),
        ("title", "a" * 500, "a title of 500 characters", "source"),
        ("legs/0/name", "a" * 500, "a name of 500 characters", "at most"),
        ("templates/chain", [], "not a mapping", "templates by name"),
    ],
)
def test_mistakes_are_understood(place, value, message, expected):
    found = problems(text(put(tree(), place, value)))
    hit = [p for p in found if message in p.message and expected in p.expected]
    assert hit, "\n".join(map(str, found[:5]))
    assert all(len(str(p)) < 1000 for p in found)


def test_a_unit_of_many_blanks():
    found = problems(VALID.replace("mass: 4", f"mass: '4{' ' * 50_000}kg'"))
    assert "a text of 50003 characters" in found[0].message and len(str(found[0])) < 1000


@pytest.mark.parametrize("kind", sorted({*get_args(MovingType), *get_args(CutType)}))
def test_other_words_for_every_joint_type(kind):
    known = [*get_args(MovingType), *get_args(CutType)]
    for word in MEANT[kind].split():
        assert meant_word(word, known) == kind
        assert meant_word(word.upper(), known) == kind
    assert meant_word(kind[:-1], known) == kind
    assert meant_word("zzz", known) is None


def test_a_telescopic_body_at_a_coordinate_beyond_squares_loads():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert loads(VALID.replace("leg0.slide: 700 mm", "leg0.slide: 1e50")).home.joints["leg0.slide"] == (1e50,)
    (problem,) = problems(VALID.replace("leg0.slide: 700 mm", "leg0.slide: -1e51"))
    assert "a number beyond 1e+50" in problem.message  # in equations squares of what follows from it are infinite


def all_items(base: type[Item] = Item) -> list[type[Item]]:
    return [base, *[found for kind in base.__subclasses__() for found in all_items(kind)]]


def choices(annotation: Any) -> Iterator[list[str]]:
    """The words of every Literal in a type."""
    if get_origin(annotation) is Literal:
        words = [word for word in get_args(annotation) if isinstance(word, str)]
        yield from [words] if len(words) > 1 else []
    else:
        for part in get_args(annotation):
            yield from choices(part)


@pytest.mark.parametrize("kind", all_items(), ids=lambda kind: kind.__name__)
def test_every_key_and_every_choice_that_is_misspelt_is_recognised(kind):
    for key in kind.written_keys():
        if len(key) > 2:
            assert f"did you mean {key!r}?" in kind.unknown(key + key[-1], 0).message
            assert f"did you mean {key!r}?" in kind.unknown(key.upper(), 0).message
    for field in kind.model_fields.values():
        for words in choices(field.annotation):
            for word in (word for word in words if len(word) > 2):
                assert meant_word(word + word[-1], words) == word
                assert meant_word(word.replace("_", "-").title(), words) == word


def test_a_loop_may_not_be_called_as_the_cut_without_a_name():
    data = put(tree(), f"{CUT}/name", "-")
    ends = {"first": {"body": "lower"}, "second": {"body": "world"}}
    data = put(data, "templates/ups/loops", [{"name": "cut", "type": "spherical", **ends}])
    found = [p for p in problems(text(data)) if p.path.endswith("loops[0].name")]
    assert (
        found and "what the leg's cut joint is called" in found[0].message and "a name in the cut" in found[0].expected
    )


def test_angles_of_many_turns_without_a_unit():
    document = VALID.replace("rpy_zyx: [30 deg, 0, 0]", "rpy_zyx: [30, 0, 6]").replace("cone: 50 deg", "cone: 50")
    document = document.replace("leg0.hip: [0, -20 deg]", "leg0.hip: [0, -20]")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads(document, "it.yaml")
    said = sorted(str(w.message) for w in caught if w.category is UnitWarning)
    assert [line.split(": ")[1] for line in said] == [
        "templates.ups.chain[0].limits.cone",
        "home.joints.leg0.hip[1]",
        "platform.frames.tool.rpy_zyx[0]",
    ]
    assert all("write '" in line and "deg' or '" in line for line in said)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        loads(document.replace("[30, 0, 6]", "[30 rad, 0, 6]").replace("cone: 50", "cone: 1").replace("-20]", "-0.3]"))


def many(count: int, line: str) -> str:
    return "".join(line.format(i) for i in range(count))


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        HEAD + many(35_000, "key{0}: 1\n"),
        HEAD + "bodies:\n" + many(12_000, "- {{name: b{0}, mas{0}: 1}}\n"),
        HEAD + "bodies:\n" + many(7000, "- {{name: b{0}}}\n") + "joints:\n"
        + many(5000, "- {{name: j{0}, type: hinge, parent: x{0}, child: y{0}}}\n"),
        HEAD + "bodies:\n" + many(4000, "- {{name: b{0}}}\n") + "joints:\n"
        + many(3999, "- {{name: j{0}, type: revolute, parent: b{0}, child: b{0}}}\n"),
        HEAD + "loops:\n" + many(4000, "- {{name: l{0}, type: ball, first: {{body: q{0}}}, second: {{body: r{0}}}}}\n"),
        HEAD + "velocities: [" + many(70_000, "v{0},") + "]",
        HEAD + "home: {joints: {" + many(35_000, "v{0}: 1,") + "}}",
        HEAD + "templates: {t: {chain: [{name: a, type: revolute}]}}\nlegs:\n" + "- {like: tt, bse: 1}\n" * 12_000,
    ],
    ids=range(8),
)  # fmt: skip
def test_thousands_of_mistakes_end_soon_and_in_a_short_message(document):
    with pytest.raises(DescriptionError) as caught:
        loads(document)
    assert len(caught.value.problems) > 1000 or "circle" in str(caught.value)
    assert len(str(caught.value)) < 100_000


def test_a_chain_of_joints_that_is_long_is_no_circle():
    bodies = many(1500, "- {{name: b{0}, mass: 1}}\n")
    joints = "- {name: j0, type: revolute, parent: world, child: b0}\n"
    joints += "".join(f"- {{name: j{i}, type: revolute, parent: b{i - 1}, child: b{i}}}\n" for i in range(1, 1500))
    robot = loads(f"{HEAD}bodies:\n{bodies}joints:\n{joints}")
    assert isinstance(robot, Robot) and len(repr(robot)) < 200
