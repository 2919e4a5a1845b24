"""Random calls of the C interface, right and wrong, under sanitizers: what the standard asks for comes back, and no crash."""

import re
import shutil
import subprocess
from pathlib import Path

import fmpy
import pytest

import gough
from gough.export import export_fmu
from gough.robot import loads

from .conftest import VERSIONS
from .test_runs import TOP, sweep

HERE, HEADERS = Path(__file__).parent, Path(fmpy.__file__).parent / "c-code"
COMPILER = shutil.which("gcc") or shutil.which("cc") or ""
STRICT = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def clocked(model):
    """A loop closed by a law on a clock, with a delay and encoders."""
    law = gough.laws.JointPD(bandwidth=3.0)
    sensors = gough.sensors.Encoders(resolution=1e-4)
    own = gough.laws.Sampled(law, 0.01, delay=0.004, sensors=sensors)
    return {"controller": own, "motion": sweep(model, 2.0, 0.2)}


ROBOTS = {
    "top": (lambda: gough.build(loads(TOP)), lambda model: {"v": [1.0, 0.5, 8.0]}, 0.1),
    "lopes_simplified": (lambda: gough.build("lopes_simplified"), lambda model: {}, 1.0),
    "spin_up_beam": (lambda: gough.build("spin_up_beam"), lambda model: {"step": 2e-4}, 0.3),
    "clock": (lambda: gough.build("five_bar"), clocked, 0.0),
    "three_prs": (lambda: gough.build("three_prs"), lambda model: {}, 1.0),
    "motions": (lambda: gough.build("five_bar"), lambda model: {"drives": "motions"}, 0.1),
}
"""Name: (robot, how it is exported, size of forces): charts, a platform that turns, a body that bends, a loop closed on a clock,
rotations that follow in part, drives that are led."""


def compile_driver(name, version, folder):
    """(program, words it begins with) that calls the interface of an FMU."""
    make, options, scale = ROBOTS[name]
    model = make()
    file = export_fmu(model, folder / f"{name}.fmu", version=version, binary=False, **options(model))
    sources = Path(fmpy.extract(str(file), str(folder / "unpacked"))) / "sources"
    about = fmpy.read_model_description(str(file))
    kinds = [x.causality for x in about.modelVariables]
    derivatives = re.search(
        'providesDirectionalDerivatives?="true"', (sources.parent / "modelDescription.xml").read_text()
    )
    numbers = [
        kinds.count("input"),
        kinds.count("parameter"),
        len(about.derivatives),
        max(x.valueReference for x in about.modelVariables) + 1,
        int(derivatives is not None),
    ]
    program = folder / "fuzz"
    driver = HERE / f"fuzz{version[0]}.c"
    command = [COMPILER, "-std=gnu99", "-O0", *STRICT, f"-I{HEADERS}", driver, *sorted(sources.glob("*.c")), "-lm"]
    subprocess.run([*command, "-o", program], check=True)
    return program, [str(about.guid)], [str(x) for x in (scale, *numbers)]


def run_calls(compiled, seed, calls):
    """Numbers of calls that came back with OK, Discard and Error."""
    program, token, numbers = compiled
    done = subprocess.run(
        [program, *token, str(seed), str(calls), *numbers], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, f"seed {seed}: {done.returncode}\n{done.stderr[-3000:]}"
    return [int(x) for x in done.stdout.split()]


@pytest.mark.skipif(not COMPILER, reason="there is no C compiler")
@pytest.mark.parametrize("version", VERSIONS)
def test_some_calls(version, tmp_path):
    found = run_calls(compile_driver("top", version, tmp_path), 1, 5_000)
    assert min(found) > 0
    assert sum(found) > 4_000


@pytest.mark.slow
@pytest.mark.skipif(not COMPILER, reason="there is no C compiler")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_million_calls(name, version, tmp_path):
    """A million calls of each robot, from four seeds."""
    compiled = compile_driver(name, version, tmp_path)
    for seed in range(1, 5):
        found = run_calls(compiled, seed, 250_000)
        assert min(found) > 0
        assert sum(found) > 150_000
