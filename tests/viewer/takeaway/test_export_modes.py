"""Files of a mode: what they tell, and what is refused."""

import json
import re
from pathlib import Path

import pytest

from gough.errors import UsageError
from gough.viewer import export
from viewer.playback.runs import path1
from viewer.posing.models import model_of

pytest.importorskip("viser")


def about(path: Path) -> dict:
    found = re.search(r'id="gough-about">([^<]*)<', path.read_text(encoding="utf-8"))
    assert found is not None
    return json.loads(found.group(1))


def test_a_page_tells_the_frequency_and_has_one_swing_without_curves(tmp_path: Path) -> None:
    path = export(model_of("dualemps"), tmp_path / "mode.html", mode=2, fps=20)
    told = about(path)
    assert re.fullmatch(r"dualemps, mode 2: [\d.]+ Hz", told["title"])
    assert told["panels"] == [] and told["start"] == 0.0 and told["end"] == pytest.approx(2.0)
    assert len(told["times"]) == 41
    assert "drives locked" in told["notes"] and "Deflection" in told["notes"]


@pytest.mark.parametrize(
    ("what", "name", "options", "said"),
    [
        ("dualemps", "a.html", {"mode": 0}, "expected a positive whole number"),
        ("dualemps", "a.gif", {"mode": 1000}, "mode 1000: give a whole number, 1 to "),
        ("dualemps", "a.html", {"mode": 1, "channels": ["pose"]}, "mode 1: no channels"),
        ("dualemps", "a.mp4", {"mode": 1, "seconds": 3.0}, "mode 1: no seconds"),
        ("dualemps", "a.gif", {"mode": 1, "speed": 100.0}, "fewer than 4 frames"),
        ("dualemps", "a.html", {"mode": 1, "speed": -1.0}, "speed=-1.0"),
        (None, "a.html", {"mode": 1}, "is a run; modes are of a robot"),
    ],
)
def test_bad_wishes_are_refused_and_leave_nothing(
    what: str | None, name: str, options: dict, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        export(path1() if what is None else model_of(what), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []
