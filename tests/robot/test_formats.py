"""Formats of descriptions: old files are read and written back as they are, new keys need the format they came with."""

from typing import ClassVar

import pytest
from pydantic import ValidationError

from gough.robot import gallery, load
from inner.robot import FORMAT, Item, document, faults_of, oldest_format


class Newer(Item):
    """An item with a key that came later, and one inside of another."""

    NEWER_KEYS: ClassVar = {"turns": 2}

    mass: float = 0.0
    turns: float | None = None
    inner: "Newer | None" = None


@pytest.mark.parametrize("name", gallery())
def test_a_robot_is_written_in_the_oldest_format_that_can_say_it(name: str) -> None:
    robot = load(name)
    assert document(robot)["format"] == oldest_format(robot) <= FORMAT


def test_a_newer_key_in_an_older_file_is_refused_with_the_remedy() -> None:
    old = {"reading": True, "format": 1}
    with pytest.raises(ValidationError) as caught:
        Newer.model_validate({"turns": 3, "inner": {"turns": 1}}, context=old)
    found = faults_of(caught.value)
    assert {f.place for f in found} == {("turns",), ("inner", "turns")}
    assert all("format 2" in f.message and "format 1" in f.message and "format: 2" in f.expected for f in found)
    assert Newer.model_validate({"mass": 3, "inner": {"mass": 1}}, context=old).mass == 3
    assert Newer.model_validate({"turns": 3}, context={"reading": True, "format": 2}).turns == 3


def test_the_oldest_format_counts_what_is_written_at_any_depth() -> None:
    assert oldest_format(Newer(mass=3.0)) == 1
    assert oldest_format((Newer(inner=Newer(turns=1.0)), 3)) == 2
