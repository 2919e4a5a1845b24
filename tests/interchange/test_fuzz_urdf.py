"""Whatever stands in a URDF file or in a file of loops, the answer is a robot or a DescriptionError."""

import random
import re
import warnings

import pytest

import gough
import gough.errors
from interchange.urdf_files import FOUR_BAR, LAAS, OWN, PLUS, arm, four_bar, hexapod, joint, link, robot, write

EXTRAS = """
<material name="red"><color rgba="1 0 0 1"/></material>
<transmission name="t"><joint name="motor"/><actuator name="a"><mechanicalReduction>5</mechanicalReduction>
  <rotorInertia>1e-4</rotorInertia></actuator></transmission>
<ros2_control name="c" type="system"><joint name="foot"><command_interface name="effort"/></joint></ros2_control>
<gazebo reference="elbow"><springStiffness>3</springStiffness><springReference>0.1</springReference></gazebo>
<gazebo><joint name="other" type="revolute"><parent>coupler</parent><child>rocker</child><pose>0.3 0 0 0 0 0</pose>
  <axis><xyz>0 0 1</xyz></axis></joint></gazebo>
<coupling name="gears" type="rolling"><predecessor link="crank"/><successor link="rocker"/><ratio value="2"/></coupling>
"""
MESH = """<visual><origin rpy="0 0 1"/><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry>
<material name="red"/></visual>"""
JUNK = (
    "", "0", "-1", "1e999", "nan", "1_0", "0 0 0", "a b", "1 2", "\u202e", "world", "motor", "crank", "${x}", "true", "x" * 300,
    "1e-320", "1e30", "-0", "\u0661", "revolute", "floating", "planar", "spherical", "fixed", "&amp;", "..", "package://", "/",
    "*",
)  # fmt: skip
SEEDS = {
    "arm": arm(),
    "four_bar": four_bar(PLUS + EXTRAS),
    "hexapod": hexapod()[0],
    "drawn": robot(link("a", more=MESH), link("b"), joint("j", "planar", "a", "b")),
}
LOOPS = {"own": OWN, "laas": LAAS, "hexapod": hexapod()[1]}


def spoiled(text: str, rng: random.Random) -> str:
    """The text with a few things out of place."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        quoted = list(re.finditer(r'"[^"]*"|>[^<>]+<|<[^>]*>|[\w.]+', text))
        where = rng.choice(quoted)
        old = where.group()
        kind = rng.randrange(6)
        if kind == 0 and old[0] in '">':
            new = old[0] + rng.choice(JUNK).replace('"', "") + old[-1]
        elif kind == 1:
            new = ""
        elif kind == 2:
            new = old + old
        elif kind == 3:
            new = rng.choice(quoted).group()
        elif kind == 4:
            new = rng.choice(JUNK)
        else:
            new = old[: rng.randrange(len(old) + 1)]
        text = text[: where.start()] + new + text[where.end() :]
    return text


def try_all(folder, count: int, seed: int, build: bool) -> None:
    rng = random.Random(seed)
    for k in range(count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            name = rng.choice(list(SEEDS))
            text, loops = SEEDS[name], None
            if rng.random() < 0.3:
                name, said = rng.choice(list(LOOPS.items()))
                text = hexapod()[0] if name == "hexapod" else four_bar()
                loops = write(folder, spoiled(said, rng), "loops.yaml")
            else:
                text = spoiled(text, rng)
            path = write(folder, text, "made.urdf")
            try:
                made = gough.load(path, loops=loops)
                if build and k % 10 == 0:
                    gough.build(made)
            except gough.errors.GoughError:
                pass
            except Exception as error:  # what fails is shown whole
                raise AssertionError(f"{error!r}\n{text}\n{'' if loops is None else loops.read_text()}") from error


def test_some_mutants(tmp_path):
    try_all(tmp_path, 150, 1, build=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_mutants(tmp_path, seed):
    try_all(tmp_path, 1000, 100 + seed, build=True)


def test_the_bars_of_the_four_bar_are_named():
    assert set(FOUR_BAR) <= set(re.findall(r'link name="(\w+)"', four_bar()))
