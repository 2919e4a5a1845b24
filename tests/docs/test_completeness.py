"""The pages name everything there is: keys of the description, joint types, units, statuses, calls."""

from __future__ import annotations

import re
from typing import Any, get_args

from docs.blocks import ROOT
from docs.generated.keys import MEANINGS, missing_meanings
from gough.errors import Status
from gough.model import Model
from gough.program import Count
from gough.robot._merge import LEG_KEYS
from gough.robot.loader import DOCUMENT_KEYS
from inner.robot import UNITS, CutType, Item, MovingType

PLAIN = {
    "EvenShape",
    "PointMass",
    "ThinRod",
    "ThinRing",
    "ThinDisc",
    "FullCylinder",
    "RoundTube",
    "FullCone",
    "FullSphere",
}
PLAIN |= {"ThinShell", "FullBox", "HexagonPlate", "TelescopicInertia", "Platform"}
"""Parts of a description whose keys explain themselves, or, of the platform, are those of a body."""


def models() -> list[type]:
    """Every model that is reached from a description."""
    found: list[Any] = [Item]
    for model in found:
        found += model.__subclasses__()
    return [m for m in found if m.__module__.startswith("gough.robot.") and m.__name__ not in ("Item", "Leg", "Robot")]


def words(*names: str) -> set[str]:
    """Every word inside the code spans of pages."""
    text = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return {word for span in spans for word in re.findall(r"[\w°]+", span)}


def test_every_key_has_a_meaning() -> None:
    told = {*MEANINGS, *PLAIN}
    abstract = {m.__name__ for m in models() if m.__subclasses__()}
    assert not {m.__name__ for m in models()} - told - abstract


def test_meanings_are_those_of_the_keys() -> None:
    assert not missing_meanings()


def test_every_key_of_the_document_and_of_legs_has_a_meaning() -> None:
    assert not set(DOCUMENT_KEYS) - set(MEANINGS["File"])
    assert not set(LEG_KEYS) - {"source"} - set(MEANINGS["Leg"])


def test_every_joint_type_is_described() -> None:
    assert not {*get_args(MovingType), *get_args(CutType)} - words("robot/joints.md", "robot/legs.md")


def test_every_unit_is_described() -> None:
    assert not {unit for unit in UNITS if unit != "µm"} - words("describing_a_robot.md")


def test_every_status_is_described() -> None:
    assert not {status.name for status in Status} - words("statuses.md")


def test_every_call_is_described() -> None:
    calls = {name for name in dir(Model) if not name.startswith("_") and callable(getattr(Model, name))}
    same_as_v = {"twist", "velocity"}  # for a platform with six freedoms
    inner = {
        "cached",
        "pose_array",
        "order_solves",
        "designs_of_variables",
        "variable_slopes",
        "led_by",
        "traced",
        "unfolded",
    }
    assert not calls - same_as_v - inner - words("reading_results.md", "functions.md", "other_designs.md")


def test_every_count_is_described() -> None:
    assert not set(Count.__dataclass_fields__) - words("functions.md")
