"""Names of gough.fem: all of them are there, and old ones still work."""

import pytest

from gough import fem


@pytest.mark.parametrize("name", fem.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(fem, name).__name__ == name


@pytest.mark.parametrize(("old", "new"), fem._RENAMED.items())
def test_old_names_work_and_say_the_new_one(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(fem, old) is getattr(fem, new)
