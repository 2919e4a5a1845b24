"""The tree speaks of robots only: no path of somebody's machine, no note on how the work was shared out."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNFIT = re.compile(
    r"(?<![\w.])/(?:work|root)/|/tmp/(?:plan|try)\b|\bsub-?agents?\b|pypi\.org/simple"
    r"|\bthe lead\b(?!\s+(?:screw|angle|of|is|per|time)\b)",  # a screw has a lead
    re.IGNORECASE,
)


def files_of_the_tree() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode == 0:
        return [ROOT / name for name in listing.stdout.split("\0") if name]
    folders = ("src", "tests", "docs", "examples", "benchmarks")  # an unpacked archive
    return [*ROOT.glob("*")] + [path for folder in folders for path in (ROOT / folder).rglob("*")]


def test_files_are_fit_to_publish():
    found = []
    for path in files_of_the_tree():
        if not path.is_file() or path == Path(__file__).resolve():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # not text
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if UNFIT.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "fit"),
    [
        ("cd /" + "work/main", False),
        ("cat /root/.config", False),
        ("ask the lead first", False),
        ("power = force/time, work/energy", True),
        ("the lead screw turns", True),
        ("a session of tests", True),
    ],
)
def test_the_rule_itself(line, fit):
    assert (UNFIT.search(line) is None) == fit
