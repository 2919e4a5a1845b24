"""Generated C against a 50-digit evaluation; what it refuses, flags and survives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backends.compiled_c import COMPILER, STRICT, Compiled, compile_c, needs_compiler
from gough import scalar
from gough.backends._cfamily import C, checked_identifier, comment, identifier, string_literal
from gough.errors import Status, UsageError
from gough.program import Program, Slot, trace
from inner.backends import flat_listing, header, source
from program import precise
from program.specimens import OPERATIONS, random_program

pytestmark = needs_compiler


def flat(program: Program, given: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(given[s.name]) for s in program.inputs])


def random_inputs(program: Program, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {s.name: rng.uniform(0.5, 1.5, s.shape) for s in program.inputs}


def assert_precise(program: Program, compiled: Compiled, seed: int = 0) -> None:
    given = random_inputs(program, seed)
    found, status = compiled(given)
    truth = np.array([float(x) for x in precise.evaluate(program, flat(program, given))])
    assert status == 0
    np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-13)


def test_every_operation(tmp_path: Path) -> None:
    """All specimens in one text, so that the compiler runs once."""

    def every(x):
        return {name: equations(x) for name, equations in OPERATIONS.items()}

    program = trace(every, [Slot("x", (6,))], "every")
    compiled = Compiled.of(flat_listing(program, "every"), tmp_path)
    for seed in range(4):
        assert_precise(program, compiled, seed)


@pytest.mark.parametrize("uniform", [False, True])
def test_random_programs(uniform: bool, tmp_path: Path) -> None:
    program = random_program(3, 120, uniform=uniform)
    compiled = Compiled.of(flat_listing(program, "random"), tmp_path)
    assert (compiled.listing.prepared > 0) == uniform
    for seed in range(4):
        assert_precise(program, compiled, seed)


def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    program = random_program(5, 100, uniform=True)
    listing = flat_listing(program, "checked", defaults={"p": np.array([0.7, 0.8, 0.9])})
    (tmp_path / "checked.h").write_text(header(listing), encoding="utf-8")
    (tmp_path / "checked.c").write_text(source(listing), encoding="utf-8")
    sizes = {a.word: a.slot.size for a in (*listing.signature.varying, *listing.signature.outputs)}
    arrays = "".join(f"double {word}[{n}] = {{0.7}};" for word, n in sizes.items())
    call = ", ".join(["x", "prepared", *[a.word for a in listing.signature.outputs]])
    main = (
        f'#include "checked.h"\nint main(void) {{ {arrays} double prepared[CHECKED_PREPARED_SIZE];'
        f"return checked_prepare(checked_p, prepared) + (int)(checked({call}) >> 63); }}\n"
    )
    (tmp_path / "main.c").write_text(main, encoding="utf-8")
    flags = (*STRICT, "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover")
    compile_c(tmp_path, *flags, "checked.c", "main.c", "-lm", "-o", "run")
    done = subprocess.run([str(tmp_path / "run")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_outputs_may_lie_where_inputs_lie(tmp_path: Path) -> None:
    program = trace(lambda x: {"y": [x[1] + x[2], x[0] * x[2], x[0] - x[1]]}, [Slot("x", (3,))], "swap")
    compiled = Compiled.of(flat_listing(program, "swap"), tmp_path)
    import ctypes

    x = np.array([1.0, 2.0, 3.0])
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    compiled.library["swap"](pointer, pointer)
    np.testing.assert_array_equal(x, [5.0, 3.0, -1.0])


def test_checks_set_their_bits_and_numbers_are_computed_all_the_same(tmp_path: Path) -> None:
    def equations(x):
        scalar.check(Status.OUT_OF_REACH.at("leg 0"), x[0], 0.5)
        scalar.check(Status.OUT_OF_REACH.at("leg 1"), x[1], 0.5)
        scalar.check(Status.FOLDED.at("leg 0"), x[2] * x[2], 0.1)
        return {"y": x[0] + x[1] + x[2]}

    compiled = Compiled.of(flat_listing(trace(equations, [Slot("x", (3,))], "checks"), "checks"), tmp_path)
    assert compiled({"x": [1.0, 1.0, 1.0]})[1] == 0
    y, status = compiled({"x": [0.0, 1.0, 0.1]})
    assert status == compiled.bit("out_of_reach:leg 0") | compiled.bit("folded:leg 0")
    assert y == pytest.approx([1.1])
    assert compiled({"x": [np.nan, 1.0, 1.0]})[1] == compiled.bit("out_of_reach:leg 0") | compiled.bit(
        "not_finite:result"
    )
    assert compiled({"x": [np.inf, 1.0, 1.0]})[1] == compiled.bit("not_finite:result")


def test_singular_systems_are_flagged(tmp_path: Path) -> None:
    program = trace(
        lambda a: {"x": scalar.solve(a.reshape(2, 2), a[:2], Status.SINGULAR.at("demo"))}, [Slot("a", (4,))], "solve"
    )
    compiled = Compiled.of(flat_listing(program, "solve"), tmp_path)
    assert compiled({"a": [2.0, 1.0, 1.0, 3.0]})[1] == 0
    assert compiled({"a": [1.0, 2.0, 2.0, 4.0]})[1] & compiled.bit("singular:demo")


def test_without_checks_only_results_are_watched(tmp_path: Path) -> None:
    listing = flat_listing(random_program(2, 80), "bare", checks=False)
    assert listing.bits.failures == (Status.NOT_FINITE.at("result"),)
    Compiled.of(listing, tmp_path)


def test_more_than_64_checks_share_the_last_bit(tmp_path: Path) -> None:
    def equations(x):
        for k in range(70):
            scalar.check(Status.RESIDUAL.at(f"low {k}"), x[0] - 0.01 * k, 0.0)
        return {"y": x[0]}

    compiled = Compiled.of(flat_listing(trace(equations, [Slot("x", (1,))], "many"), "many"), tmp_path)
    assert compiled({"x": [1.0]})[1] == 0
    assert compiled({"x": [0.685]})[1] == 1 << 63
    assert compiled({"x": [-1.0]})[1] == (1 << 64) - 2


def test_structural_inputs_are_refused_by_position(tmp_path: Path) -> None:
    program = trace(
        lambda x, p: {"y": x[0] * p[1]},
        [Slot("x", (1,)), Slot("p", (4,), uniform=True)],
        "structure",
        {"p": {0: 0.0, 3: 1.5}},
    )
    fixed = {1: (0.0, 0.0), 4: (1.5, 1e-12)}
    compiled = Compiled.of(flat_listing(program, "structure", fixed), tmp_path)
    assert compiled.prepare([0.0, 3.0, 9.0, 1.5 + 1e-13])[0] == 0
    assert compiled.prepare([1e-9, 3.0, 9.0, 1.5])[0] == 1
    assert compiled.prepare([0.0, 3.0, 9.0, 1.6])[0] == 4
    assert compiled.prepare([np.nan, 3.0, 9.0, 1.5])[0] == 1


def test_awkward_names_become_words(tmp_path: Path) -> None:
    def equations(**given):
        with scalar.note("a comment */ that ends /* early \\"):
            return {"double": given["3 d"][0] * given["for"][0], "t7": given["t7"] + 1.0}

    slots = [Slot("3 d", (1,)), Slot("for", (2,)), Slot("t7", (2, 2)), Slot("none", (0,))]
    listing = flat_listing(trace(equations, slots, "awkward"), "awkward")
    words = [a.word for a in (*listing.signature.varying, *listing.signature.outputs)]
    assert len(set(words)) == len(words) == 5
    found, _ = Compiled.of(listing, tmp_path)({"3 d": [2.0], "for": [3.0, 0.0], "t7": np.eye(2)})
    np.testing.assert_array_equal(found, [6.0, 2.0, 1.0, 1.0, 2.0])


def test_header_serves_cpp(tmp_path: Path) -> None:
    (tmp_path / "r.h").write_text(header(flat_listing(random_program(1), "r")), encoding="utf-8")
    (tmp_path / "u.cpp").write_text('#include "r.h"\nint main() { return 0; }\n')
    cpp = Path(str(COMPILER)).with_name("g++")
    if not cpp.exists():
        pytest.skip("no C++ compiler beside the C compiler")
    subprocess.run(
        [str(cpp), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "u.cpp"], cwd=tmp_path, check=True
    )


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from gough.backends.c import flat_listing, header, rolled_listing, source
from program.specimens import random_program
from program.lanes import legs
listing = flat_listing(random_program(4, 150, uniform=True), "text")
loops = rolled_listing(legs(6), "loops")
print(header(listing) + source(listing) + header(loops) + source(loops))
"""


def test_text_is_the_same_under_two_hash_seeds() -> None:
    tests = Path(__file__).resolve().parents[1]
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tests)],
            capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1 and "const double t9 =" in texts.pop()


@pytest.mark.parametrize("x", [0.1, -2.5e-308, 1e300, 5e-324, np.pi, 3.0, -0.0])
def test_numbers_keep_every_digit(x: float) -> None:
    assert float(C.number(x).strip("()")) == x


@pytest.mark.parametrize("word", ["", "3x", "double", "a-b", "é"])
def test_bad_function_names_are_refused(word: str) -> None:
    with pytest.raises(UsageError, match="no C identifier"):
        checked_identifier(word)


def test_words() -> None:
    assert identifier("leg 0: hip") == "leg_0_hip"
    assert identifier("int") == "int_"
    assert "*/" not in comment("*/ /*/ **//") and "\n" not in comment("a\nb")
    assert string_literal('a"b?\\é') == '"a\\042b\\077\\134\\303\\251"'
