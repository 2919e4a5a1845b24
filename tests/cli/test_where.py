import pytest

from cli.command import gough, gough_json


def test_places_of_an_equation():
    out, err = gough("where", "Briot 2014, eq. 44")
    assert "gough/dynamics/inverse.py:" in out and "_flexible" in out and "[Briot 2014, eq. 44]" in out
    assert err == ""


def test_words_need_no_quotes():
    assert gough("where", "briot", "2014", "eq", "44")[0] == gough("where", "Briot 2014, eq. 44")[0]


def test_keys():
    found = gough_json("where", "Lopes eqs. 77-78")
    assert found["paper"] == "lopes" and found["places"] == ["eqs. 77–78"]
    [first, *_] = found["found"]
    assert first["file"] == "gough/model/coriolis.py" and first["line"] >= 1 and first["corrected"]
    [misprint] = found["misprints"]
    assert misprint["right"] == "∂I/∂x" and misprint["sizes"] == {"T = 2 s": "1.7 %", "T = 0.5 s": "26 %"}
    assert found["nearest"] == []


def test_a_misprint_is_told_with_its_cost():
    out, _ = gough("where", "Fried, eq. 97")
    assert "wrong as printed" in out and "132 %" in out


def test_a_slip_that_may_be_of_the_text_is_told_as_such():
    out, _ = gough("where", "Long 2014, eq. 12")
    assert "and not the paper" in out and gough_json("where", "Long 2014, eq. 12")["misprints"][0]["doubtful"]


def test_what_is_not_in_the_code_says_why():
    out, _ = gough("where", "Fried, eqs. 64-66", code=1)
    assert "not in the code" in out and "projection" in out and "nearest:" in out


def test_nothing_found():
    out, _ = gough("where", "Long 2014, eq. 77", code=1)
    assert out.startswith("the source does not cite [Long 2014, eq. 77]")
    assert "nearest:" in out and "gough/dynamics/" in out
    found = gough_json("where", "Long 2014, eq. 77", code=1)
    assert found["found"] == [] and found["nearest"]


@pytest.mark.parametrize("words", ["nobody 1999", "what is this"])
def test_no_question(words):
    _, err = gough("where", words, code=2)
    assert "names no paper" in err and "Briot 2014, eq. 44" in err
