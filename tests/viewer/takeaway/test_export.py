import base64
import re
from pathlib import Path

import pytest

from gough.errors import UsageError
from gough.viewer import export
from gough.viewer.takeaway import pictures
from viewer.playback.runs import path1

pytest.importorskip("viser")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("a.webm", {}, r"\.html, \.png, \.mp4, \.gif"),
        ("a", {}, "ends in"),
        ("a.html", {"channels": ["energy.kinetik"]}, "did you mean 'energy.kinetic'"),
        ("a.html", {"fps": 0}, "fps=0"),
        ("a.html", {"speed": float("nan")}, "speed=nan"),
        ("a.html", {"seconds": -1}, "seconds=-1"),
        ("a.png", {"width": 3}, "width=3: give 16 to 8192 pixels"),
        ("a.gif", {"height": 100_000}, "height"),
        ("a.png", {"channels": ["pose"]}, "only"),
    ],
)
def test_bad_wishes_are_refused_and_leave_nothing(name: str, options: dict, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        export(path1(), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_robot_without_a_run_has_no_film_and_no_channels(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not move"):
        export("five_bar", tmp_path / "a.gif")
    with pytest.raises(UsageError, match="robot without a run"):
        export("five_bar", tmp_path / "a.html", channels=["pose"])
    assert list(tmp_path.iterdir()) == []


def test_without_a_browser_nothing_is_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv(pictures.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    (tmp_path / "a.png").write_text("before")
    with pytest.raises(UsageError, match=r"An \.html file needs none"):
        export("five_bar", tmp_path / "a.png")
    assert (tmp_path / "a.png").read_text() == "before" and len(list(tmp_path.iterdir())) == 1


def test_a_page_holds_all_it_needs(tmp_path: Path) -> None:
    told: list[float] = []
    path = export(
        path1(), tmp_path / "run.html", seconds=1.0, fps=10, channels=["tau.leg0.slide"], progress=told.append
    )
    text = path.read_text(encoding="utf-8")
    assert told == sorted(told) and told[-1] == 1.0
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=[\"']?https?:", text)
    frames = re.search(r'id="gough-frames">([^<]*)<', text)
    assert frames is not None and len(base64.b64decode(frames.group(1))) > 1000
    assert "tau.leg0.slide" in text and "(N)" in text


def test_a_page_carries_the_licences_of_what_it_holds(tmp_path: Path) -> None:
    text = export("five_bar", tmp_path / "robot.html").read_text(encoding="utf-8")
    notices = text.partition('id="notices">')[2].partition("</script>")[0]
    assert "viser" in notices
    assert "Apache License" in notices and "Version 2.0" in notices


def test_names_from_files_are_text(tmp_path: Path) -> None:
    run = path1()
    odd = "<script>alert(1)</script>"
    again = type(run).from_states(
        run.model, run.time[:3], run.q[:3], run.v[:3], run.tau[:3], recorded={odd: run.time[:3]}
    )
    text = export(again, tmp_path / "a.html", channels=[odd]).read_text(encoding="utf-8")
    assert odd not in text and "\\u003cscript>alert(1)" in text
