"""XML of strangers: lines are known, and nothing in a file can fetch, multiply or overflow anything."""

import pytest

import gough
from gough.interchange import xml


def problem(text):
    with pytest.raises(gough.DescriptionError) as found:
        xml.parse_xml(text, "a.xml")
    return found.value.problems[0]


def test_elements_with_their_lines():
    root = xml.parse_xml('<a>\n <b name="x" k="1">text</b>\n <c/><b/>\n</a>')
    assert [(e.tag, e.line) for e in root.walk()] == [("a", 1), ("b", 2), ("c", 3), ("b", 3)]
    b = root.child("b")
    assert b is not None and (b.get("k"), b.get("no", "0"), b.text, len(root.all("b"))) == ("1", "0", "text", 2)
    assert (b.at("f").path, root.at("f").path, root.child("d")) == ("b 'x'", "a", None)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("<a>\n<b></a>", 2, "mismatched tag"),
        ("", 1, "the file is empty"),
        (b"<a>\n<b name='\xe4'/></a>", 2, "not XML in UTF-8: the byte 0xe4"),
        ("version https://git-lfs.github.com/spec/v1\n", 1, "a pointer of Git LFS"),
        ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", 1, "document type"),
        ("<!DOCTYPE a [\n<!ENTITY x 'y'>]><a>&x;</a>", 1, "document type"),
        ("<a>&x;</a>", 1, "not XML"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", 1, "not XML"),
        ("<a>" * 300 + "</a>" * 300, 1, "nested more than"),
        (b"\xff\xfe\x00", 1, "not XML"),
    ],
)
def test_what_is_refused(text, line, told):
    found = problem(text)
    assert told in found.message and found.line == line


@pytest.mark.slow
def test_too_many_elements():
    text = "<a>" + "<b/>" * (xml.MOST_ELEMENTS + 1) + "</a>"
    assert "elements" in problem(text).message


def test_files(tmp_path):
    with pytest.raises((gough.DescriptionError, FileNotFoundError)):
        xml.read_xml(tmp_path / "none.urdf")
    with pytest.raises(gough.DescriptionError):
        xml.read_xml(tmp_path)
