import re
from pathlib import Path

import pytest

from cli.command import gough, gough_json
from gough.robot import gallery
from gough_papers.bibliography import references

ROOT = Path(__file__).resolve().parents[2]

OWN = """format: 1
name: mine
{source}bodies: [{{name: rod, mass: 1, center_of_mass: [0.5, 0, 0]}}]
joints: [{{name: hinge, type: revolute, parent: world, child: rod, drive: {{}}}}]
"""


def keys(*arguments):
    return {entry["key"] for entry in gough_json("cite", *arguments)["entries"]}


def test_a_robot_of_a_paper():
    out, err = gough("cite", "long2014")
    assert "@article{long2014," in out and "Long, Philip and Khalil, Wisama and Martinet, Philippe" in out
    assert "@misc{gough," in out and err == ""
    assert "% - a source of what is assumed: Poisson's ratio 0.3" in out


def test_it_is_bibtex():
    """Entries with balanced braces, fields with values, comments behind %."""
    out, _ = gough("cite", "hexapod_flexible", "--method", "generalised_alpha")
    entries = re.findall(r"^@(\w+)\{(\w+),\n((?:  \w+ *= \{.*\},\n)+)\}$", out, re.MULTILINE)
    assert len(entries) == out.count("\n@") > 5
    rest = re.sub(r"^@\w+\{\w+,\n(?:  \w+ *= \{.*\},\n)+\}$", "", out, flags=re.MULTILINE)
    assert all(line.startswith("%") for line in rest.splitlines() if line)
    for _, _, fields in entries:
        assert fields.count("{") == fields.count("}") and "title" in fields


@pytest.mark.parametrize(
    ("robot", "expected"),
    [
        ("lopes", {"lopes"}),
        ("dualemps", {"briot2014", "walker1982"}),
        ("andrews", {"iftomm_benchmarks", "ivp_test_set"}),
        ("spin_up_beam", {"simo1986"}),
        ("delta", {"clavel1988"}),
        ("long2014_rigid", {"long2014", "khalil1986"}),
        ("hexapod_flexible", {"craig1968", "argyris1968", "gustafsson2020"}),
    ],
)
def test_what_a_robot_rests_on(robot, expected):
    found = keys(robot)
    assert expected <= found and "gough" in found
    assert "fried" not in found


def test_methods_of_integration():
    assert "chung1993" in keys("five_bar", "--method", "generalised_alpha")
    assert gough_json("cite", "five_bar", "--method", "rk4")["unknown"][-1].startswith(
        "a reference for the method 'rk4'"
    )
    _, err = gough("cite", "five_bar", "--method", "no_such", code=2)
    assert "use one of" in err


def test_a_robot_of_ones_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.format(source=""))
    found = gough_json("cite", path)
    assert "its description has no `source:`" in found["unknown"][0]
    path.write_text(OWN.format(source="source: {paper: Nobody 1999, data: '[Lopes, Table 2]'}\n"))
    found = gough_json("cite", path)
    assert found["unknown"] == ["a reference for paper: Nobody 1999"]
    assert "lopes" in {entry["key"] for entry in found["entries"]}


@pytest.mark.parametrize("robot", gallery())
def test_every_robot_of_the_gallery_has_a_source_that_is_known_or_told(robot):
    found = gough_json("cite", robot)
    named = {entry["key"] for entry in found["entries"]}
    papers = {
        "long": "long2014",
        "dualemps": "briot2014",
        "lopes": "lopes",
        "fried": "fried",
        "pedrammehr": "pedrammehr2012",
    }
    for start, key in papers.items():
        assert key in named or not robot.startswith(start)
    assert named - {"gough", "briot2014", "gautier1990"} or found["unknown"]


def test_the_papers_are_told_apart_from_what_is_unknown():
    """Nothing is invented: volumes and pages only where a source at hand prints them."""
    for key in ("long2014", "lopes", "fried", "pedrammehr2012"):
        assert not {"volume", "pages", "doi", "journal"} & set(references()[key].fields)
    assert references()["briot2014"].fields["pages"] == "469--483"


def test_gough_is_cited_as_its_citation_file_says():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = references()["gough"].fields
    assert f'title: "{fields["title"]}"' in text
    assert f"version: {fields['version']}" in text
    assert fields["author"].strip("{}") in text
