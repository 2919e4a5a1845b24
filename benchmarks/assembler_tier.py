"""What the assembler tier gains over LLVM's code generator on this CPU: ns a state of kernels made both ways, taken in turn.

Run: `python benchmarks/assembler_tier.py`, on a quiet machine with AVX-512 (docs/costs.md shows a run).
"""

import argparse
import statistics
import time
import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np

import gough
from gough.backends.llvm import Kernel
from gough.backends.llvm.target import host
from gough.program import Program

STATES = 8192


def made(program: Program, assembler: bool) -> tuple[Kernel, float]:
    """(kernel, seconds it took to make)."""
    with patch("gough.backends.llvm._kernel.host", lambda: replace(host(), assembler=assembler)):
        began = time.perf_counter()
        return Kernel(program), time.perf_counter() - began


def rows(model: gough.Model, program: Program) -> list[np.ndarray]:
    """States at home with random rates and loads."""
    rng = np.random.default_rng(0)
    known = {"q": np.repeat(model.home[None], STATES, axis=0), "parameters": model.parameters[None]}
    return [known.get(s.name, 0.1 * rng.normal(size=(STATES, s.size))) for s in program.inputs]


def main(robots: list[str], rounds: int) -> None:
    """Print a row a function."""
    warnings.simplefilter("ignore")
    print("function                                nodes  assembler ns  LLVM ns  ratio  made in s: assembler  LLVM")
    for robot in robots:
        model = gough.build(robot)
        for name in ("inverse_dynamics", "forward_dynamics"):
            for function in (model.function(name), model.function(name).derivative("v")):
                program = function.program
                inputs, outputs = rows(model, program), [np.empty((STATES, s.size)) for s in program.outputs]
                kernels = [made(program, assembler) for assembler in (True, False)]
                times: list[list[float]] = [[], []]
                for k in range(rounds):
                    for way in (0, 1) if k % 2 else (1, 0):
                        began = time.perf_counter()
                        kernels[way][0](inputs, STATES, outputs)
                        times[way].append((time.perf_counter() - began) / STATES * 1e9)
                best, median = [min(x) for x in times], [statistics.median(x) for x in times]
                ratios = f"{best[1] / best[0]:.2f} (medians {median[1] / median[0]:.2f})"
                print(f"{function.name:40s} {len(program):6d} {best[0]:9.1f} {best[1]:9.1f}  {ratios}", end="")
                print(f"  {kernels[0][1]:.2f} {kernels[1][1]:.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41, help="how often each kernel takes its turn")
    parser.add_argument("--tiny", action="store_true", help="one small robot, two rounds")
    given = parser.parse_args()
    if given.tiny:
        main(["five_bar"], 2)
    else:
        main(["fried", "pedrammehr2012", "long2014"], given.rounds)
