"""Whatever is in an MJCF file: a robot, or errors in words."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import gough
from interchange import mjcf_files
from interchange.test_mjcf import BAD, FILES

TEXTS = [*FILES.values(), BAD, mjcf_files.hexapod(5)]
TOKENS = (
    *(
        '"0"',
        '"-1"',
        '"1e400"',
        '"nan"',
        '"99999999999999999999"',
        '"1 2"',
        '""',
        '"world"',
        '"home"',
        "&",
        "<",
        ">",
        "/>",
        "'",
        '"',
    ),
    *(
        "<body>",
        "</body>",
        "<joint/>",
        "<freejoint/>",
        "<worldbody>",
        "<default>",
        "<include file='model.xml'/>",
        "&#0;",
        "\x00",
    ),
    *(
        "<frame>",
        "<replicate count='9'>",
        "<attach model='x' body='y'/>",
        "<geom type='mesh' mesh='m'/>",
        "<equality>",
        "<key/>",
    ),
    *("ball", "free", "slide", "mesh", "hfield", "ellipsoid", "1e-300", "1e300", "-", "   ", "ß", "\udc80"),
)


def mutant(rng: np.random.Generator) -> str:
    """A text with a few cuts, copies and foreign tokens; often only inside attributes."""
    text = TEXTS[rng.integers(len(TEXTS))]
    wild = rng.random() < 0.4
    for _ in range(rng.integers(1, 4)):
        a, b = sorted(rng.integers(0, len(text) + 1, 2))
        b = min(b, a + int(rng.integers(1, 60)))
        token = TOKENS[rng.integers(len(TOKENS))]
        match rng.integers(6) if wild else rng.integers(3, 9):
            case 0:
                text = text[:a] + text[b:]
            case 1:
                text = text[:b] + text[a:b] + text[b:]
            case 2:
                text = text[:a] + token + text[a:]
            case 3 | 4:  # another value of an attribute
                quotes = [i for i, c in enumerate(text) if c == '"']
                if len(quotes) > 3:
                    k = 2 * int(rng.integers(len(quotes) // 2))
                    text = text[: quotes[k] + 1] + token.strip("\"<>&'") + text[quotes[min(k + 1, len(quotes) - 1)] :]
            case _:
                numbers = [i for i, c in enumerate(text) if c.isdigit()]
                if numbers:
                    at = numbers[rng.integers(len(numbers))]
                    text = text[:at] + str(rng.integers(10)) + text[at + 1 :]
    return text


def try_mutants(folder, seeds) -> dict[str, int]:
    file, tally = folder / "model.xml", {"robots": 0, "refused": 0}
    for seed in seeds:
        text = mutant(np.random.default_rng(seed))
        file.write_bytes(text.encode("utf-8", errors="surrogateescape"))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gough.load(file)
            tally["robots"] += 1
        except (gough.DescriptionError, gough.errors.UsageError) as error:
            tally["refused"] += bool(str(error))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\n{text}") from error
    return tally


def test_mutants_are_robots_or_refused(tmp_path):
    tally = try_mutants(tmp_path, range(100))
    assert min(tally.values()) > 10, tally


@pytest.mark.slow
def test_ten_thousand_mutants_are_robots_or_refused(tmp_path):
    tally = try_mutants(tmp_path, range(1000, 11000))
    assert min(tally.values()) > 1000, tally


def test_what_mujoco_chokes_on_does_not_stop_the_next_file(tmp_path):
    """MuJoCo 4.0 left its thread with messages that never end after such a file, and hung at the second one."""
    body = '<body name="{0}"><joint name="j{0}" axis="0 1 0"/><inertial mass="1" pos="0 0 0.1" diaginertia="1 1 1"/></body>'
    bodies = f"<worldbody>{body.format('a')}{body.format('b')}</worldbody>"
    wrong, right = tmp_path / "wrong.xml", tmp_path / "right.xml"
    wrong.write_text(f'<mujoco>{bodies}<equality><connect body1="a" body2="b" anchor=""/></equality></mujoco>')
    right.write_text(f"<mujoco>{bodies}</mujoco>")
    script = (
        "import gough\n"
        "for _ in range(2):\n"
        "    try:\n"
        f"        gough.load({str(wrong)!r})\n"
        "    except gough.DescriptionError as error:\n"
        "        print('refused')\n"
        f"print(gough.load({str(right)!r}).name)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["refused", "refused", "right"]
