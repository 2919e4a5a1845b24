"""Kernels and reference values for `cuda_states.py`, which runs where there is a GPU and no gough.

    python benchmarks/cuda_artefacts.py build/cuda.tar.gz [--robots delta,fried] [--tiny]

For every robot of the gallery and every function of the catalogue: the kernel saved as users save it, 64 states and their
results by the interpreter. For `pedrammehr2012` without friction the functions that are timed, and 4096 states.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tarfile
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.backends.cuda import GpuKernel, runtime
from gough.backends.cuda._lowering import lower_for_gpu
from gough.dynamics.catalogue import CATALOGUE, FunctionKey
from gough.dynamics.inverse import load_sizes
from gough.model.functions import trace_entry
from gough.program import Program, Slot
from gough.program.derivatives import vjp
from gough.program.ops import Op
from gough.program.passes.outputs import computed_outputs
from gough.program.verdict import evaluate_with_care, flat_inputs
from gough.structure.alike import common_pattern
from gough_bench.states import lossless_robot, random_states

FREE = (
    Op.INPUT,
    Op.CONST,
    Op.NEG,
    Op.ABS,
    Op.SELECT,
    Op.SIGN,
    Op.RCP_SEED,
    Op.RSQRT_SEED,
    Op.QUADRANT_SIN,
    Op.QUADRANT_COS,
)
"""Operations that are no instructions of the double-precision units."""
LARGEST = 30_000
CHECKED, TIMED = 64, 4096
"""States of functions that are checked, and of those that are timed."""
TINY = {"CHECKED": 4, "TIMED": 8, "LARGEST": 4_000}
"""What --tiny changes."""
DYNAMICS = ("inverse_dynamics", "forward_dynamics")


def inputs_of(model: gough.Model, states: int, seed: int = 4) -> dict[str, np.ndarray]:
    """Rows of every input a function may take."""
    found = random_states(model, states, seed)
    rng = np.random.default_rng(seed)
    return {
        "q": found.q,
        "pose": np.ascontiguousarray(found.q[:, : model.layout.joints.start]),
        "v": found.v,
        "acceleration": found.acceleration,
        "vdot": found.acceleration,
        "tau": found.tau,
        **{slot: 10.0 * rng.normal(size=(states, n)) for slot, n in load_sizes(model.mechanism).items()},
        "parameters": model.parameters[None],
    }


def with_common_structure(model: gough.Model) -> gough.Model:
    """The same model whose programs keep legs alike: only what is zero in all legs is folded."""
    linkage = replace(model.linkage, pattern=common_pattern(model.mechanism, model.pattern))
    return replace(model, linkage=linkage)


def save(folder: Path, program: Program, rows: dict[str, np.ndarray], kind: str, **options: Any) -> None:
    """GpuKernel and reference of one program. rows may be wider than its inputs: accelerations of v without elastic rates."""
    kernel = GpuKernel(program, **options)
    kernel.save(folder)
    (folder / "gough_kernel.py").unlink()  # one loader serves them all here
    rows = {s.name: rows[s.name][:, : s.size] for s in program.inputs}
    n = max(len(x) for x in rows.values())
    truth, failed = evaluate_with_care(program, flat_inputs(program, rows, n))
    np.savez_compressed(
        folder / "reference.npz",
        good=np.array([not x for x in failed]),
        **{f"in_{name}": x for name, x in rows.items()},
        **{f"out_{s.name}": x for s, x in zip(program.outputs, truth, strict=True)},
    )
    each = lower_for_gpu(program, kernel.precision, kernel.dtype.name).each
    figures = {
        "kind": kind,
        "fp64": sum(op not in FREE for op in each.ops),
        "in_stages": "for (int leg" in kernel.source,
        "operations": sum(op > Op.CONST for op in each.ops),
    }
    (folder / "figures.json").write_text(json.dumps(figures))


def checked(target: Path, robots: list[str]) -> None:
    """Every function of every robot."""
    for name in robots:
        start = time.perf_counter()
        model = gough.build(gough.load(name))
        common = with_common_structure(model)
        rows = inputs_of(model, CHECKED)
        count = 0
        for function in CATALOGUE:
            if function == "inverse_dynamics" and not model.driven:
                continue
            program = model.function(function)._computed.program
            if len(program.ops) > LARGEST or not sum(s.size for s in program.outputs):
                continue
            other = common.function(function)._computed.program
            if (other.inputs, other.outputs) != (program.inputs, program.outputs):
                other = None  # an entry that is a number in this design only
            save(target / "checked" / f"{name}.{function}", program, rows, "checked", alike=other)
            count += 1
        print(f"{name}: {count} functions, {time.perf_counter() - start:.0f} s", flush=True)


def plain_programs(model: gough.Model) -> dict[str, Program]:
    """What is timed with parameters as inputs."""
    inverse = model.function("inverse_dynamics").program
    from_pose = model.function("inverse_dynamics@pose").program
    return {
        "inverse_dynamics": inverse,
        "forward_dynamics": model.function("forward_dynamics").program,
        "inverse_dynamics_pose": from_pose,
        "gradient_pose": vjp(from_pose, ["pose", "v", "acceleration"]),
        "gradient": vjp(inverse, ["q", "v", "acceleration"]),
        "jacobian": model.tangent_derivative("inverse_dynamics", "q", "v", "acceleration").program,
    }


def timed(target: Path, name: str = "pedrammehr2012") -> None:
    """What is timed."""
    model = gough.build(lossless_robot(gough.load(name)))
    rows = inputs_of(model, TIMED) | {"wrench": np.zeros((1, 6))}  # no wrench: one row for all states
    numbers = dict(enumerate(map(float, model.parameters))) | model.pattern
    baked = {
        f"{name}_baked": model.order_solves(trace_entry(model.mechanism, FunctionKey(name), numbers))
        for name in DYNAMICS
    }
    baked |= {f"{name}_pose_baked": model.function(f"{name}@pose", baked=True).program for name in DYNAMICS}
    programs, common = plain_programs(model), plain_programs(with_common_structure(model))
    programs |= baked
    rng = np.random.default_rng(7)
    for title, program in programs.items():
        if len(program.ops) > LARGEST:
            continue
        program = computed_outputs(program).program
        other = computed_outputs(common[title]).program if title in common else None
        given = {s.name: rows[s.name] if s.name in rows else _weights(rng, s) for s in program.inputs}
        save(target / "timed" / title, program, given, "timed", alike=other)
        if title in DYNAMICS:
            for block in (32, 128):
                save(target / "timed" / f"{title}_block{block}", program, given, "timed", block=block)
        if title == "inverse_dynamics":
            save(target / "timed" / f"{title}_float32", program, given, "timed", dtype="float32")
        print(title, flush=True)


def _weights(rng: np.random.Generator, slot: Slot) -> np.ndarray:
    return rng.normal(size=(TIMED, slot.size))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("archive", type=Path)
    parser.add_argument("--robots", default="", help="default: the whole gallery")
    parser.add_argument("--tiny", action="store_true", help="few states of small robots: shows that all of it runs")
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
    warnings.simplefilter("ignore")
    gallery = Path(gough.__file__).parent / "robot" / "gallery"
    robots = options.robots.split(",") if options.robots else sorted(p.stem for p in gallery.glob("*.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        shutil.copyfile(str(runtime.__file__), target / "gough_kernel.py")
        timed(target)
        checked(target, robots)
        options.archive.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(options.archive, "w:gz") as archive:
            archive.add(target, "cuda")
    print(f"{options.archive}: {options.archive.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
