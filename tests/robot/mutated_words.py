"""What stands in the place of numbers, words and values in changed descriptions."""

from typing import Any

NUMBERS = [
    *"0 -0.0 1 -1 2 3 7 8 100 1e-300 1e300 -1e300 1e308 1e400 -1e400 5e-324 1e-12 1e12 1e6 -1e6 nan inf .nan .inf -.inf".split(),
    *"1_000 0x1F 0b11 0o17 017 1:30 12,5 1.2.3 1e 1e+ --1 +-1 0x 1/2 ½ １２ − 1e5e5 true null ~ '' [] {} [1]".split(),
    *("9" * 400, "9" * 5000, "0." + "0" * 400 + "1", "1" + "0" * 308, "-" + "9" * 309, "1e-5000", "1e99999999999"),
    *(
        '"12 mm"',
        "12 mm",
        "30 deg",
        "1e400 mm",
        "3 kg",
        "-5 N",
        "1 m.m.m.m",
        "'1" + " " * 3000 + "m'",
        "5 km9.km9.km9",
        "*x",
        "{a: 1}",
        "!!int a",
    ),
]
WORDS = [
    *"x y z yaw pitch roll world platform source name type base cut home body mass flexible drive legs chain like axis".split(),
    *"hinge ball slider weld pin continuous floating revolute prismatic spherical universal fixed free planar".split(),
    *"cylindrical constant_length templates loops springs velocities drives null true nan position pose axes mdh matrix".split(),
    *"couplings gear rack mimic differential teeth radii".split(),
    *"quaternion_wxyz rpy_zyx about origin center_of_mass beam plate solid modal modes number kind clamped guyan gravity".split(),
    *(
        "a" * 300,
        "é",
        "日本",
        "a-b",
        "a.b",
        "leg0.hip",
        "$x$",
        "<b>",
        "=1+1",
        "\u202e",
        "\\e[31m",
        "__class__",
        "*",
        "&a",
        "!t",
    ),
]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 3, 10**20, 10**299, -(10**299), 0.0, -0.0, 1e300, -1e300, 1e-300, 5e-324),
    *(float("nan"), float("inf"), "", "x", "world", "12 mm", "30 deg", "1 kg", "12,5", "revolute", "slider", "home"),
    *(
        [],
        {},
        [0],
        [0, 0, 0],
        [1, 2, 3],
        [1e300] * 3,
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[]],
        [{}],
        {"a": 1},
        ["a", "b"],
    ),
    *({"name": "hip"}, {"position": [0, 0, 0]}, {"position": 5}, {"mass": 1e300}, {"mass": 0}, {"type": "fixed"}),
    *(
        {"type": "free"},
        {"body": "world"},
        {"x": [1, 0, 0], "y": [0, 1, 0]},
        {"beam": {}},
        {"number": 3},
        {"joint": "x"},
    ),
]
