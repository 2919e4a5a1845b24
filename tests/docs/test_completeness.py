"""The pages name everything there is: keys of the description, joint types, units, statuses, calls."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from docs.blocks import ROOT
from docs.generated.keys import MEANINGS, missing_meanings
from gough.errors import Status
from gough.model import Model
from gough.program import Count
from gough.robot import (
    Body,
    ChainJoint,
    Configuration,
    Coupling,
    Cut,
    Drive,
    Flexible,
    Friction,
    Inertia,
    JointSpring,
    Limits,
    Loop,
    LoopEnd,
    Mdh,
    Parameters,
    Payload,
    Pose,
    Spring,
    Telescopic,
    TreeJoint,
)
from gough.robot._merge import LEG_KEYS
from gough.robot.flexible import TieRule, Ties
from gough.robot.flexible.beam import BeamSection, CircleSection, IBeamSection, RectangleSection, TubeSection
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.modes import FlexibleDamping, RayleighFactors, ShapeChoice
from gough.robot.flexible.other_programs import DmigFile, FileUnits, MatrixFiles, Op4File
from gough.robot.loader import DOCUMENT_KEYS
from inner.robot import UNITS, CutType, MovingType

MODELS = (Body, ChainJoint, Configuration, Cut, Drive, Friction, Inertia, JointSpring, Limits, Mdh)
MODELS += (Coupling, Loop, LoopEnd, Parameters, Payload, Pose, Spring, Telescopic, TreeJoint)
FLEXIBLE = (
    Flexible,
    TieRule,
    Ties,
    FlexibleDamping,
    RayleighFactors,
    ElasticMaterial,
    ShapeChoice,
    *Flexible.shapes().values(),
)
FLEXIBLE += (DmigFile, FileUnits, MatrixFiles, Op4File)
FLEXIBLE += (BeamSection, CircleSection, IBeamSection, RectangleSection, TubeSection)


def words(*names: str) -> set[str]:
    """Every word inside the code spans of pages."""
    text = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in names)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return {word for span in spans for word in re.findall(r"[\w°]+", span)}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_has_a_meaning(model: type) -> None:
    assert not set(model.written_keys()) - {"source"} - set(MEANINGS[model.__name__])


def test_meanings_are_those_of_the_keys() -> None:
    assert not missing_meanings()


@pytest.mark.parametrize("model", FLEXIBLE, ids=lambda model: model.__name__)
def test_every_key_of_flexible_bodies_is_described(model: type) -> None:
    assert not set(model.written_keys()) - {"source"} - words("flexible_bodies.md")


def test_every_key_of_the_document_and_of_legs_has_a_meaning() -> None:
    assert not set(DOCUMENT_KEYS) - set(MEANINGS["File"])
    assert not set(LEG_KEYS) - {"source"} - set(MEANINGS["Leg"])


def test_every_joint_type_is_described() -> None:
    assert not {*get_args(MovingType), *get_args(CutType)} - words("robot/joints.md", "robot/legs.md")


def test_every_unit_is_described() -> None:
    assert not {unit for unit in UNITS if unit != "µm"} - words("describing_a_robot.md")


def test_every_status_is_described() -> None:
    assert not {status.name for status in Status} - words("reading_results.md")


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
    assert not calls - same_as_v - inner - words("reading_results.md")


def test_every_count_is_described() -> None:
    assert not set(Count.__dataclass_fields__) - words("reading_results.md")
