"""Warnings point at the line of the user's program that led to them, and are shown there once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import gough

SOURCE = Path(gough.__file__).parent
SCRIPT = """
import gough
from gough.robot import loads
text = '''
format: 1
name: crank
bodies: [{name: a, mass: 1}, {name: b, mass: 1}, {name: c, mass: 1}]
joints:
  - {name: A, type: revolute, parent: world, child: a, drive: {}}
  - {name: B, type: revolute, parent: a, child: b, pose: {position: [0.2, 0, 0]}}
  - {name: D, type: revolute, parent: world, child: c, pose: {position: [0.5, 0, 0]}}
loops:
  - name: C
    type: revolute
    first: {body: b, pose: {position: [0.6, 0, 0]}}
    second: {body: c, pose: {position: [0.4, 0, 0]}}
home: {joints: {A: 1, B: -0.3, D: 1.5}}
'''
for _ in range(3):
    model = gough.build(loads(text))  # HERE
body = {"name": "a", "mass": 1, "inertia": {"about": "center_of_mass", "xx": 1, "yy": 1, "zz": 5}}
joint = {"name": "A", "type": "revolute", "parent": "world", "child": "a", "drive": {}}
robot = gough.Robot(name="r", bodies=[body], joints=[joint])  # AND HERE
"""


def test_a_warning_names_the_line_that_led_to_it_once(tmp_path: Path) -> None:
    script = tmp_path / "user.py"
    script.write_text(SCRIPT)
    run = [sys.executable, str(script)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stderr
    told = re.findall(r"^(.*):(\d+): (\w+Warning):", said, flags=re.M)
    lines = SCRIPT.splitlines()
    assert [(Path(file).name, name, lines[int(line) - 1].split("# ")[1]) for file, line, name in told] == [
        ("user.py", "HomeWarning", "HERE"),
        ("user.py", "UnphysicalInertiaWarning", "AND HERE"),
    ]


def test_all_warnings_are_given_so() -> None:
    wrong = [p for p in SOURCE.rglob("*.py") if "warnings.warn(" in p.read_text() and p.name != "errors.py"]
    assert not wrong, "use gough.errors.warn"
