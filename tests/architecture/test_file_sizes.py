"""One thing a file: small files with names that say what is in them."""

from collections import Counter
from pathlib import Path
from statistics import median

SRC = Path(__file__).resolve().parents[2] / "src"
FILES = sorted(SRC.rglob("*.py"))
LENGTHS = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
EMPTY_NAMES = {"util", "utils", "utilities", "misc", "common", "helper", "helpers", "base", "core", "stuff"}


def test_no_file_over_400_lines():
    long = {str(path.relative_to(SRC)): lines for path, lines in LENGTHS.items() if lines > 400}
    assert not long, f"split by algorithm: {long}"


def test_no_folder_over_25_files():
    counts = Counter(path.parent.relative_to(SRC) for path in FILES)
    assert not {str(folder): n for folder, n in counts.items() if n > 25}


def test_median_file_under_180_lines():
    lengths = [lines for path, lines in LENGTHS.items() if path.name != "__init__.py"]
    assert median(lengths or [0]) < 180


def test_names_say_what_is_inside():
    empty = [str(path) for path in (path.relative_to(SRC) for path in FILES) if empty_parts(path)]
    assert not empty, f"name these after what they hold: {empty}"


def empty_parts(path: Path) -> set[str]:
    return {part.strip("_") for part in path.with_suffix("").parts} & EMPTY_NAMES
