from pathlib import Path

import pytest

from gough.errors import UsageError
from gough.files import whole_file


def test_a_file_is_there_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.html"
    with whole_file(path) as aside:
        assert aside.suffix == ".html" and not path.exists()
        aside.write_text("all of it")
    assert path.read_text() == "all of it" and [p.name for p in path.parent.iterdir()] == ["a.html"]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_or_as_it_was(kind: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    path.write_text("before")
    with pytest.raises(kind), whole_file(path) as aside:  # noqa: PT012
        aside.write_text("half")
        raise kind
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="folder"), whole_file(tmp_path):
        pass
    with pytest.raises(UsageError, match="cannot be written"), whole_file(tmp_path / "file" / "a.png"):
        pass
