"""Remarks of many places are one warning; problems are told all at once, in the file's order."""

import pytest

import gough
from gough.interchange import ConversionWarning, findings, foreign


def at(line):
    return foreign.Written("a.urdf", line, f"link {line}")


def test_remarks_of_many_places():
    noted = findings.Findings()
    for line in (3, 9, 9, 12):
        noted.remark(at(line), "shapes are left out")
    noted.remark(at(1), "another")
    with pytest.warns(ConversionWarning) as told:
        noted.tell()
    assert [str(w.message) for w in told] == [
        "a.urdf:3: link 3: shapes are left out (and in 2 more places)",
        "a.urdf:1: link 1: another",
    ]


def test_problems_in_order():
    noted = findings.Findings()
    for line in (9, 3, 9):
        noted.refuse(at(line), "no")
    with pytest.raises(gough.DescriptionError) as found:
        noted.tell()
    assert [p.line for p in found.value.problems] == [3, 9]
