"""Other importers, and compilers: sources without warnings, binaries from sources, a driver that knows the headers alone."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.build import build_platform_binary

import gough
from gough.export import export_fmu
from gough.robot import loads

from .conftest import VERSIONS, Instance
from .test_description import SLIDER
from .test_runs import TOP

HEADERS = Path(fmpy.__file__).parent / "c-code"
COMPILER = shutil.which("cc") or shutil.which("gcc") or ""


@pytest.fixture(scope="module")
def pushed():
    """The five-bar after 0.5 s with 0.3 N m on its left motor."""
    sim = gough.Stepper(gough.build("five_bar"), method="rk4", longest_step=1e-3)
    for _ in range(50):
        sim.step(np.array([0.3, 0.0]), 0.01)
    return sim


@pytest.mark.skipif(not COMPILER, reason="there is no C compiler")
@pytest.mark.parametrize("version", VERSIONS)
def test_compiles_without_warnings(five_bar, version):
    folder = Path(five_bar[version][1]) / "sources"
    own = sorted(file.name for file in folder.glob("*.c") if "_program_" not in file.name)
    strict = ["-std=c99", "-fsyntax-only", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    done = subprocess.run([COMPILER, *strict, *own], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not COMPILER or sys.platform == "win32", reason="there is no C compiler")
def test_driver_of_plain_headers(five_bar, opened, pushed, tmp_path):
    one, unpacked = opened(), Path(five_bar["3.0"][1])
    (library,) = unpacked.glob("binaries/*/five_bar.*")
    source = Path(__file__).with_name("driver.c")
    subprocess.run([COMPILER, "-std=gnu99", f"-I{HEADERS}", source, "-o", tmp_path / "driver", "-ldl"], check=True)
    words = [
        one.description.instantiationToken,
        *(str(one.references[n]) for n in ("left_motor.force", "q.left_motor")),
    ]
    done = subprocess.run([tmp_path / "driver", library, *words], capture_output=True, text=True, check=True)
    position, rates = map(float, done.stdout.split())
    model = gough.build("five_bar")
    vdot = model.forward_dynamics(model.home, np.zeros(2), np.array([0.3, 0.0])).vdot
    assert position == pytest.approx(pushed.q[0], abs=1e-9)
    assert rates == pytest.approx(vdot.sum(), rel=1e-12)


@pytest.mark.skipif(not COMPILER or not sys.platform.startswith("linux"), reason="there is no C compiler, or no ELF")
@pytest.mark.parametrize("more", [(), ("-DFMI2_FUNCTION_PREFIX={}_",)])
def test_two_models_in_one_program(more, tmp_path):
    """Names of the interface begin with the model's, by themselves and where the importer asks for it; one file allocates."""
    objects, lines, calls = [], ['#include "fmi2FunctionTypes.h"'], []
    for name, text in (("top", TOP), ("slider", SLIDER)):
        model = gough.build(loads(text))
        file = export_fmu(model, tmp_path / f"{name}.fmu", version="2.0", binary=False, derivatives=False)
        sources = Path(fmpy.extract(str(file), str(tmp_path / name))) / "sources"
        flags = [x.format(name) for x in more]
        subprocess.run(
            [COMPILER, "-std=c99", "-O0", "-c", *flags, *(x.name for x in sources.glob("*.c"))], cwd=sources, check=True
        )
        objects += sources.glob("*.o")
        lines.append(f"fmi2InstantiateTYPE {name}_fmi2Instantiate;")
        token = fmpy.read_model_description(str(file)).guid
        calls.append(f'!{name}_fmi2Instantiate("x", fmi2CoSimulation, "{token}", 0, &own, 0, 0)')
    for file in objects:
        undefined = subprocess.run(["nm", "-u", file], capture_output=True, text=True, check=True).stdout.split()
        assert not {"malloc", "calloc", "realloc", "free"} & set(undefined) or file.name.endswith("_fmi2.o")
    lines.append(f"int main(void) {{ fmi2CallbackFunctions own = {{0}}; return {' || '.join(calls)}; }}")
    driver = tmp_path / "driver.c"
    driver.write_text("\n".join(lines) + "\n")
    subprocess.run(
        [COMPILER, "-std=c99", f"-I{HEADERS}", driver, *objects, "-lm", "-o", tmp_path / "driver"], check=True
    )
    assert subprocess.run([tmp_path / "driver"], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_fmpy_compiles_the_sources(five_bar, version, tmp_path, pushed):
    unpacked = tmp_path / "here"
    shutil.copytree(five_bar[version][1], unpacked)
    shutil.rmtree(unpacked / "binaries")
    build_platform_binary(unpacked)
    one = Instance(five_bar[version][0], str(unpacked), "steps")
    one.put(**{"left_motor.force": 0.3})
    one.begin()
    for k in range(50):
        one.step(0.01 * k, 0.01)
    assert one.get("q.left_motor")[0] == pytest.approx(pushed.q[0], abs=1e-9)
    one.fmu.freeInstance()


@pytest.mark.parametrize("version", VERSIONS)
def test_ecos(five_bar, version, pushed):
    """An importer by others, in C++."""
    for name in ("libtbb.so.12", str(Path(sys.prefix) / "lib" / "libtbb.so.12")):
        try:
            ctypes.CDLL(name, getattr(ctypes, "RTLD_GLOBAL", 0))
            break
        except OSError:
            continue
    import ecospy

    with ecospy.EcosSimulationStructure() as structure:
        structure.add_model("robot", str(five_bar[version][0]))
        with ecospy.EcosSimulation(structure=structure, step_size=0.01) as sim:
            sim.init()
            sim.set_real("robot::left_motor.force", 0.3)
            sim.step(50)
            assert sim.get_real("robot::q.left_motor") == pytest.approx(pushed.q[0], abs=1e-9)
