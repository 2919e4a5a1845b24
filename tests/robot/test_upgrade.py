"""`gough check --upgrade`: the newest format, comments and layout kept, nothing else changed."""

from importlib import resources
from pathlib import Path

import pytest

from cli.command import gough, gough_json
from gough.robot import DescriptionError, gallery, load
from inner.robot import FORMAT, upgrade_text

LAYOUTS = [
    "# a robot\nformat: 1   # the first\nname: a\n",
    "{format: 1, name: a}\n",
    '"format" :  1\nname: a  # format: 1\n',
    "name: format\ntitle: 'format: 1'\nformat: 1\r\n",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_only_the_number_changes(text: str) -> None:
    newer, before, now = upgrade_text(text)
    assert (before, now) == (1, FORMAT)
    assert sum(a != b for a, b in zip(text, newer, strict=True)) == 1
    assert upgrade_text(newer) == (newer, FORMAT, FORMAT)


@pytest.mark.parametrize(
    ("text", "newer"),
    [
        ("name: a\nformat:\n  1 # first\n", "name: a\nformat:\n  2 # first\n"),
        ("format: +1\nname: a\n", "format: 2\nname: a\n"),
        ("format: 0x1\r\nname: a\r\n", "format: 2\r\nname: a\r\n"),
        ("format: 0o1\nname: a\n", "format: 2\nname: a\n"),
        ("format: 01\nname: a\n", "format: 2\nname: a\n"),
        ("format: !!int 1\nname: a\n", "format: !!int 2\nname: a\n"),
        ("format: &f 1\nname: a\n", "format: &f 2\nname: a\n"),
        ("? format\n: 1\nname: a\n", "? format\n: 2\nname: a\n"),
        ("{name: a, title: 'format: 1', format: 1}", "{name: a, title: 'format: 1', format: 2}"),
        ("é: 'ü'\nformat: 1\n", "é: 'ü'\nformat: 2\n"),
    ],
)
def test_the_number_may_be_written_anyhow(text: str, newer: str) -> None:
    assert upgrade_text(text) == (newer, 1, FORMAT)


def test_a_number_that_stands_for_another_one_too_is_refused_in_words() -> None:
    with pytest.raises(DescriptionError, match="an alias may repeat it elsewhere"):
        upgrade_text("format: &f 1\nname: a\nmass: *f\n")


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    text = (resources.files("gough.robot") / "gallery" / "five_bar.yaml").read_text(encoding="utf-8")
    path = tmp_path / "five_bar.yaml"
    path.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    gough("check", path, "--upgrade")
    assert path.read_bytes() == upgrade_text(text)[0].replace("\n", "\r\n").encode("utf-8-sig")


@pytest.mark.parametrize("name", gallery())
def test_an_upgraded_robot_is_the_same(name: str, tmp_path: Path) -> None:
    from importlib import resources

    text = (resources.files("gough.robot") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
    path = tmp_path / f"{name}.yaml"
    path.write_text(upgrade_text(text)[0], encoding="utf-8")
    assert load(path) == load(name)


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "five_bar.yaml"
    text = (resources.files("gough.robot") / "gallery" / "five_bar.yaml").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    assert f"format 1 is now format {FORMAT}" in gough("check", path, "--upgrade")[0]
    assert path.read_text(encoding="utf-8") == text.replace("format: 1", f"format: {FORMAT}", 1)
    assert "has the newest format" in gough("check", path, "--upgrade")[0]
    assert gough_json("check", path, "--upgrade")["upgraded"] is None


def test_what_is_not_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("format: 1\nname: a\nplatfrom: {}\n", encoding="utf-8")
    assert "is not upgraded" in gough("check", path, "--upgrade", code=1)[0]
    assert path.read_text(encoding="utf-8").startswith("format: 1")
    assert "is a robot of the gallery" in gough("check", "five_bar", "--upgrade", code=2)[1]
