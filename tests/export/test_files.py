"""Exported functions of robots: they compile without a warning, and their drivers find the reference values."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import STRICT, Compiled, needs_compiler, run_driver
from gough.errors import UsageError
from gough.export import export, export_texts
from gough.export._references import references
from gough.program import evaluate
from gough.robot import gallery, loads
from inner.backends import flat_listing, rolled_listing
from inner.dynamics import CATALOGUE
from inner.export import Options, subject_of
from inner.structure import common_pattern

LARGE = ("dualemps_8", "hexapod_flexible", "long2014")
"""Flexible robots whose functions have tens of thousands of operations: a C compiler takes minutes for each."""


@cache
def model(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def functions(name: str) -> tuple[str, ...]:
    frame = next(iter(model(name).mechanism.frames), "")
    frames = (f"frame_pose:{frame}", f"frame_twist:{frame}") if frame else ()
    return tuple(f for f in (*CATALOGUE, *frames) if f != "inverse_dynamics" or model(name).driven)


def assert_driver_passes(folder: Path, name: str, *flags: str) -> str:
    done = run_driver(folder, name, *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.quick_cases(
    "five_bar-inverse_dynamics-options10",
    "lopes_simplified-inverse_dynamics@pose-options12",
    "delta_fast-forward_dynamics-options7",
    "lopes_simplified-joint_reactions-options6",
    "five_bar-forward_dynamics-options1",
    "lopes_simplified-mass_matrix-options11",
)
@needs_compiler
@pytest.mark.parametrize(
    ("robot", "function", "options"),
    [
        ("five_bar", "inverse_dynamics", {}),
        ("five_bar", "forward_dynamics", {"baked": True}),
        ("four_bar_chain", "forward_dynamics", {}),
        ("lopes_simplified", "inverse_dynamics", {"friction": False, "wrench": False}),
        ("lopes_simplified", "inverse_dynamics", {"baked": True}),
        ("lopes_simplified", "inverse_dynamics", {"legs": "flat"}),
        ("lopes_simplified", "joint_reactions", {}),
        ("delta_fast", "forward_dynamics", {"checks": False}),
        ("five_bar", "inverse_dynamics", {"derivative": "q"}),
        ("five_bar", "forward_dynamics", {"derivative": "parameters", "mode": "vjp"}),
        ("five_bar", "inverse_dynamics", {"derivative": "parameters", "baked": True, "friction": False}),
        ("lopes_simplified", "mass_matrix", {"derivative": "q", "mode": "jvp"}),
        ("lopes_simplified", "inverse_dynamics@pose", {}),
        ("lopes_simplified", "forward_dynamics@pose", {"baked": True, "friction": False, "wrench": False}),
    ],
)
def test_driver_finds_the_reference_values(robot: str, function: str, options: dict, tmp_path: Path) -> None:
    files = export(model(robot), function, tmp_path, name="f", **options)
    assert [f.name for f in files] == ["f.h", "f.c", "f_test.c"]
    assert "0 wrong" in assert_driver_passes(tmp_path, "f")


@needs_compiler
def test_driver_of_variables_stands_at_their_values(tmp_path: Path) -> None:
    """The states' loops close for the design's own numbers alone; and a driver that would compare nothing is not written."""
    m = model("hobby_6rss")
    export(m, m.function("mass_matrix", variables=True), tmp_path, name="f")
    assert "f: 6 states, 0 wrong" in assert_driver_passes(tmp_path, "f")
    program = m.function("mass_matrix").program
    never = replace(program, checks=(*program.checks[:-1], replace(program.checks[-1], minimum=np.inf)))
    with pytest.raises(UsageError, match=r"none of \d+ states around home is good \(the first: .* compare nothing"):
        references(m, never)


def test_derivatives_by_parameters_have_no_lost_columns() -> None:
    """However numbers are folded: the columns that the model's own derivative has (which see for where they come from)."""
    m = model("five_bar")
    samples = {k: x[:1] for k, x in m.sampled_states.items()}
    f = m.function("inverse_dynamics")
    given = {s.name: samples[s.name][:, : s.size] for s in f.program.inputs}
    truth = f.derivative("parameters")(**given).outputs["tau_parameters"]
    folded = list(m.pattern)
    assert (np.abs(truth[0][:, folded]).max(axis=0) > 1e-9).sum() > 5
    rubbing = [".friction." in name for name in m.parameter_names]
    for pattern in (m.pattern, common_pattern(m.mechanism, m.pattern)):
        for options in (Options(derivative="parameters"), Options(derivative="parameters", baked=True)):
            subject = subject_of(m, "inverse_dynamics", options, pattern)
            inputs = {s.name: given[s.name] for s in subject.program.inputs}
            found = evaluate(subject.program, inputs)["tau_parameters"]
            np.testing.assert_allclose(found, truth, atol=1e-11 * np.abs(truth).max())
            assert subject.held == ("q", "v", "acceleration", "force")
    subject = subject_of(m, "inverse_dynamics", Options(derivative="parameters", friction=False), m.pattern)
    found = evaluate(subject.program, given)["tau_parameters"]
    assert not found[..., rubbing].any()  # left out, as asked
    with pytest.raises(UsageError, match=r"force.*left out"):
        subject_of(m, "inverse_dynamics", Options(derivative="force", wrench=False), m.pattern)


@pytest.mark.parametrize("robot", ["lopes_simplified", "pedrammehr2012"])
def test_functions_of_the_pose_give_the_forces_of_that_pose(robot: str) -> None:
    m = model(robot)
    program = subject_of(m, "inverse_dynamics@pose", Options(), m.pattern).program
    known = references(m, program)
    x = known.inputs
    q = m.configuration(x["pose"])
    truth = m.inverse_dynamics(q, x["v"], x["acceleration"], x["wrench"]).tau
    np.testing.assert_allclose(known.outputs["tau"], truth, rtol=0, atol=1e-10 * np.abs(truth).max())
    header = export_texts(m, "inverse_dynamics@pose", name="f")["f.h"]
    assert "3 qw" in header and "pose[7]" in header


def test_functions_with_their_program_refuse_what_they_have_folded() -> None:
    """Baked numbers and zeros of single legs are structure of a given function, in loops too."""
    m = model("pedrammehr2012")
    for options in (Options(), Options(legs="flat")):
        texts = export_texts(m, m.function("mass_matrix", baked=True), name="f", options=options)
        assert "not read:" not in texts["f.h"]
    with pytest.raises(UsageError, match="no function of pedrammehr2012"):
        export_texts(m, model("five_bar").function("mass_matrix"))


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("robot", [r for r in gallery() if r not in LARGE])
def test_every_function_of_every_robot(robot: str, tmp_path: Path) -> None:
    for function in functions(robot):
        forms: list[dict[str, Any]] = [{}, {"baked": True}, {"legs": "flat"}]
        for options in forms if function in ("inverse_dynamics", "forward_dynamics") else forms[:1]:
            export(model(robot), function, tmp_path, name="f", **options)
            assert_driver_passes(tmp_path, "f", *STRICT, "-O0")


@needs_compiler
@pytest.mark.slow
def test_sanitizers_find_nothing_in_loops(tmp_path: Path) -> None:
    export(model("pedrammehr2012"), "inverse_dynamics", tmp_path, name="f")
    flags = (*STRICT, "-g", "-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover")
    assert_driver_passes(tmp_path, "f", *flags)


@needs_compiler
def test_driver_fails_where_a_number_is_wrong(tmp_path: Path) -> None:
    """One sign changed in the text; a check that fails."""
    export(model("five_bar"), "inverse_dynamics", tmp_path, name="f")
    text = (tmp_path / "f.c").read_text(encoding="utf-8")
    (tmp_path / "f.c").write_text(text.replace("tau[1] = ", "tau[1] = -", 1), encoding="utf-8")
    assert run_driver(tmp_path, "f").returncode == 1
    (tmp_path / "f.c").write_text(text.replace("uint64_t status = 0;", "uint64_t status = 2;", 1), encoding="utf-8")
    assert run_driver(tmp_path, "f").returncode == 1


@needs_compiler
def test_driver_tells_the_time_of_a_call(tmp_path: Path) -> None:
    export(model("five_bar"), "mass_matrix", tmp_path, name="f")
    assert "ns a call" in run_driver(tmp_path, "f", arguments=("2000",)).stdout


@needs_compiler
@pytest.mark.parametrize("legs", ["flat", "loops"])
def test_other_designs_and_bad_ones(legs: str, tmp_path: Path) -> None:
    """Parameters are read, not baked: a changed design gives what the library gives; a broken structure is refused."""
    m = model("lopes_simplified")
    pattern, write = (
        (m.pattern, flat_listing) if legs == "flat" else (common_pattern(m.mechanism, m.pattern), rolled_listing)
    )
    subject = subject_of(m, "inverse_dynamics", Options(), pattern)
    listing = write(subject.program, "f", subject.fixed)
    assert listing is not None
    compiled = Compiled.of(listing, tmp_path)
    states = m.sampled_states
    changed = m.parameters_with({"platform.M": 7.5, "leg2.actuator.M": 3.25})
    for k in range(3):
        given = {s: states[s][k] for s in ("q", "v", "acceleration", "wrench")}
        truth = m.function("inverse_dynamics")(**given, parameters=changed)
        assert truth.good
        found, status = compiled({**given, "parameters": changed})
        assert status == 0
        np.testing.assert_allclose(found, truth.outputs["tau"], rtol=1e-9)
    broken = m.parameters.copy()
    place = next(iter(subject.fixed)) - subject.program.input_offset("parameters")
    broken[place] += 0.1
    assert compiled.prepare(broken)[0] == place + 1


@needs_compiler
def test_bad_states_are_flagged(tmp_path: Path) -> None:
    m = model("lopes_simplified")
    subject = subject_of(m, "inverse_dynamics", Options(), m.pattern)
    compiled = Compiled.of(flat_listing(subject.program, "f", subject.fixed), tmp_path)
    states = m.sampled_states
    good = {s: states[s][0] for s in ("q", "v", "acceleration", "wrench")} | {"parameters": m.parameters}
    q = good["q"].copy()
    q[3:7] *= 1.1
    assert compiled(good | {"q": q})[1] & compiled.bit("bad_quaternion:platform")
    q = good["q"].copy()
    q[7] += 0.1
    assert compiled(good | {"q": q})[1] & compiled.bit("open_loop:leg0")
    assert compiled(good | {"v": np.full(6, np.nan)})[1] & compiled.bit("not_finite:result")


def test_head_names_every_entry() -> None:
    m = model("lopes_simplified")
    header = export_texts(m, "inverse_dynamics", name="f")["f.h"]
    for name in (*m.layout.q_names, *m.layout.v_names, *m.layout.drive_names, *m.parameter_names):
        assert name in header
    assert "Operations of a state:" in header and "structural zeros" in header and "[kg]" in header
    assert "in each of 6 lanes" in header


def test_head_says_what_is_a_turn_and_what_a_second_derivative() -> None:
    screw = "{name: j, type: ball_screw, lead: 5 mm, parent: world, child: b, drive: {}}"
    robot = loads(f"format: 1\nname: a\nbodies: [{{name: b, mass: 1}}]\njoints: [{screw}]")
    header = export_texts(gough.build(robot), "inverse_dynamics", name="f")["f.h"]
    assert "j.lead [m a turn]" in header and "d2/dt2 j [rad/s2]" in header and "-ffast-math:" in header
    flexible = export_texts(model("flexible_slider_crank"), "inverse_dynamics", name="f", options=Options(legs="flat"))[
        "f.h"
    ]
    assert re.search(r"out  eddot.*\n +0 d2/dt2 \S+mode1 \[m kg\^0\.5/s2\]", flexible)
    header = export_texts(model("delta_fast"), "inverse_dynamics", name="f")["f.h"]
    assert " d/dt vx [m/s2]" in header


def test_sections_are_headed_by_their_equations() -> None:
    source = export_texts(model("five_bar"), "inverse_dynamics", name="f")["f.c"]
    assert "/* left_rod: recursion [Briot 2014" in source and "/* pin: projection [Fried, eq. 94] */" in source
    loops = export_texts(model("lopes_simplified"), "inverse_dynamics", name="f")["f.c"]
    assert "/* leg*: recursion [Briot 2014" in loops


def test_left_out_parts_leave_no_argument() -> None:
    m = model("lopes_simplified")
    header = export_texts(m, "inverse_dynamics", name="f", options=Options(baked=True, wrench=False, legs="flat"))[
        "f.h"
    ]
    assert "wrench[" not in header and "prepare(" not in header and "F_PREPARED" not in header
    assert "Left out: wrench." in header


def test_functions_with_their_program_are_exported_too() -> None:
    m = model("five_bar")
    derivative = m.function("inverse_dynamics").derivative("v")
    texts = export_texts(m, derivative, name="f")
    assert "double tau_v[4]" in texts["f.h"] or "[4]" in texts["f.h"]
    with pytest.raises(UsageError, match="given by name"):
        export_texts(m, derivative, options=Options(baked=True))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target": "fortran"}, "use one of c, cuda"),
        ({"function": "nonsense"}, "no function 'nonsense'"),
        ({"name": "3d"}, "no C identifier"),
        ({"options": Options(legs="maybe")}, "use one of auto, loops, flat"),
        ({"options": Options(legs="loops")}, "nothing three times alike"),
        ({"options": Options(derivative="q", mode="upwards")}, "use one of jacobian"),
        ({"options": Options(derivative="nothing")}, "no input 'nothing'"),
        ({"target": "cuda", "options": Options(legs="loops")}, "use legs='flat'"),
    ],
)
def test_bad_usage_says_what_to_do(arguments: dict, said: str) -> None:
    function: str = arguments.pop("function", "inverse_dynamics")
    with pytest.raises(UsageError, match=re.escape(said)):
        export_texts(model("five_bar"), function, **arguments)


def test_too_few_drives_and_folders_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="fewer drives than freedoms"):
        export_texts(model("bricard"), "inverse_dynamics")
    with pytest.raises(UsageError, match="cannot be written"):
        export(model("five_bar"), "mass_matrix", "/dev/null/here")


def test_structure_common_to_all_legs() -> None:
    m = model("pedrammehr2012")
    common = common_pattern(m.mechanism, m.pattern)
    names = m.mechanism.table.names
    assert set(common) < set(m.pattern)
    for i in set(m.pattern) - set(common):
        suffix = names[i].split(".", 1)[1]
        others = [m.pattern.get(j) for j, n in enumerate(names) if n.split(".", 1)[1] == suffix and n.startswith("leg")]
        assert len(set(others)) > 1


def test_tolerances_follow_what_rounding_does() -> None:
    """A residual that is zero at assembled states is compared on the scale of what cancels in it."""
    m = model("five_bar")
    known = references(m, m.function("closure_residual").program)
    assert (known.tolerances["residual"] > 1e-14).all() and (known.tolerances["residual"] < 1e-9).all()
    tau = references(m, m.function("inverse_dynamics").program)
    assert (tau.tolerances["tau"] < 1e-6 * np.abs(tau.outputs["tau"]).max(axis=1)).all()


HOST_CUDA = """
#define __host__
#define __device__
#define __global__
struct dim3 { unsigned x; dim3(unsigned a) : x(a) {} };
static const dim3 blockIdx(0), blockDim(1), threadIdx(0);
typedef int cudaError_t;
typedef void *cudaStream_t;
enum { cudaSuccess = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
static int cudaGetDeviceCount(int *n) { *n = 0; return 100; }
static inline int cudaMalloc(void **, size_t) { return 1; }
static inline int cudaMemcpy(void *, const void *, size_t, int) { return 1; }
static inline int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) { return 1; }
static inline int cudaDeviceSynchronize() { return 1; }
static inline const char *cudaGetErrorString(int) { return ""; }
"""


@needs_compiler
def test_cuda_text_gives_the_reference_values_on_the_host(tmp_path: Path) -> None:
    """Through a stand-in for the CUDA header: the function of a state is the same for host and device."""
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    files = export(model("five_bar"), "forward_dynamics", tmp_path, target="cuda", name="f")
    assert [f.name for f in files] == ["f.cuh", "f.cu", "f_test.cu"]
    (tmp_path / "cuda_runtime.h").write_text("#include <stddef.h>\n" + HOST_CUDA)
    flags = ("-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-I.", "-x", "c++")
    subprocess.run(["g++", *flags, "f.cu", "f_test.cu", "-o", "t"], cwd=tmp_path, check=True)
    done = subprocess.run([str(tmp_path / "t")], capture_output=True, text=True)
    assert done.returncode == 0 and "on the host: 6 states, 0 wrong" in done.stdout, done.stdout


@pytest.mark.slow
def test_nvcc_takes_the_cuda_text(tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    export(model("lopes_simplified"), "inverse_dynamics", tmp_path, target="cuda", name="f")
    subprocess.run(["nvcc", "f.cu", "f_test.cu", "-o", "t"], cwd=tmp_path, check=True)
    done = subprocess.run([str(tmp_path / "t")], capture_output=True, text=True)
    assert done.returncode == 0 and "0 wrong" in done.stdout
