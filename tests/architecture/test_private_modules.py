"""A module that only its own package reads begins with an underscore: without one it is a door, a member of a family, or read
from elsewhere."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from architecture.outlines import SRC, outlines

ROOT = SRC.parent
FAMILIES = (
    "gough",
    "gough.cli",
    "gough.dynamics",
    "gough.dynamics.legs",
    "gough.friction",
    "gough.interchange",
    "gough.joints",
    "gough.joints.motions",
    "gough.robot.flexible",
    "gough.robots",
    "gough.simulation.actuators",
    "gough.simulation.control",
    "gough.simulation.control.observers",
    "gough.simulation.integration.methods",
    "gough.simulation.loads",
    "gough.simulation.sensors",
)
"""Packages whose modules are members, each to be read for itself."""
OPEN = {
    "gough.robot.closures": "users name its types",
    "gough.robot.schema": "users write the schema of descriptions with it",
    "gough.backends.cuda.march.runtime": "copied to machines that have nothing else of the library",
}


def name_of(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in SRC.rglob("*.py")}


def read_by(name: str, path: Path) -> set[str]:
    """Modules of the tree that a module imports, late imports too."""
    out = set()
    for node in outlines()[path].imports:
        if isinstance(node, ast.Import):
            out |= {a.name for a in node.names if a.name in MODULES}
        elif node.module in MODULES:
            inside = {f"{node.module}.{a.name}" for a in node.names}
            out |= (inside & MODULES.keys()) | ({node.module} if inside - MODULES.keys() else set())
    return out - {name}


def readers() -> dict[str, set[str]]:
    out: dict[str, set[str]] = defaultdict(set)
    for name, path in MODULES.items():
        for other in read_by(name, path):
            out[other].add(name)
    return out


def doors() -> set[str]:
    """Where the house's page says to begin reading."""
    house = (ROOT / "CONTRIBUTING.md").read_text().split("Where is")[0]
    return {f"gough.{path.replace('/', '.')}" for path in re.findall(r"`([\w/]+)\.py`", house)}


def test_private_modules_begin_with_an_underscore():
    known, wrong = readers(), []
    for name, path in MODULES.items():
        package, _, last = name.rpartition(".")
        inner = name in known and all(r == package or r.startswith(f"{package}.") for r in known[name])
        if path.name == "__init__.py" or not name.startswith("gough.") or name in OPEN or package in FAMILIES:
            continue
        if last.startswith("_") and not inner:
            wrong.append(f"{name} is read from elsewhere: {sorted(known[name])}")
        if not last.startswith("_") and inner and name not in doors():
            wrong.append(f"{name} is read by its own package alone")
    assert not wrong
