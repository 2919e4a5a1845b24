"""Generated C with loops over lanes: values, statuses lane by lane, and that compilers vectorise it."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest

from backends.compiled_c import COMPILER, STRICT, Compiled, compile_c, needs_compiler
from gough.backends.c.listing import Listing
from gough.program import Program
from inner.backends import flat_listing, header, rolled_listing, source
from program import precise
from program.lanes import legs
from program.specimens import random_program

pytestmark = needs_compiler


def loops(program: Program, **options) -> Listing:
    listing = rolled_listing(program, "legs", **options)
    assert listing is not None and any("for (int k = 0; k <" in line for line in listing.state)
    return listing


def inputs(program: Program, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {s.name: rng.uniform(0.5, 1.5, s.shape) for s in program.inputs}


def assert_precise(program: Program, compiled: Compiled, seed: int, **fixed: np.ndarray) -> None:
    given = inputs(program, seed) | fixed
    values = np.concatenate([np.ravel(given[s.name]) for s in program.inputs])
    truth = np.array([float(x) for x in precise.evaluate(program, values)])
    found, status = compiled(given)
    assert status == 0
    np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("lanes", "options"),
    [(3, {"solve": True}), (4, {}), (5, {"odd": True}), (6, {"uniform": True}), (9, {"uniform": True, "solve": True})],
)
def test_values(lanes: int, options: dict, tmp_path: Path) -> None:
    program = legs(lanes, **options)
    compiled = Compiled.of(loops(program), tmp_path)
    for seed in range(4):
        assert_precise(program, compiled, seed)


def test_baked_numbers_stand_in_the_text(tmp_path: Path) -> None:
    program = legs(6, uniform=True)
    p = np.random.default_rng(7).uniform(0.5, 1.5, (6, 4))
    listing = loops(program, defaults={"p": p.ravel()}, baked=True)
    assert listing.prepared == 0
    assert_precise(program, Compiled.of(listing, tmp_path), 1, p=p)


def test_each_lane_has_its_own_bits(tmp_path: Path) -> None:
    """Leg k asks for a length of 0.1 (k + 1), and every length is at least √2."""
    program = legs(20)
    listing = loops(program)
    compiled = Compiled.of(listing, tmp_path)
    given = inputs(program, 0) | {"a": np.full(20, 0.5), "p": np.zeros((20, 4)), "x": np.zeros(3)}
    lengths = np.full(20, np.sqrt(2.0))
    _, status = compiled(given)
    assert status == sum(compiled.bit(f"out_of_reach:leg{k}") for k in range(20) if lengths[k] < 0.1 * (k + 1))
    assert status != 0


def test_angles_beyond_the_reduction_are_flagged(tmp_path: Path) -> None:
    program = legs(4)
    compiled = Compiled.of(loops(program), tmp_path)
    given = inputs(program, 0)
    for angle in (1e6 + 1, -1e300, np.inf, np.nan):
        _, status = compiled(given | {"a": np.array([0.1, 0.2, angle, 0.4])})
        assert status & compiled.bit("angle:too large to reduce")


def test_sines_and_cosines_over_many_turns(tmp_path: Path) -> None:
    program = legs(4)
    compiled = Compiled.of(loops(program), tmp_path)
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert_precise(program, compiled, 0, a=rng.choice([1.0, 50.0, 1e5]) * rng.normal(size=4))


@pytest.mark.skipif(COMPILER is None or "gcc" not in COMPILER, reason="gcc's report is read")
def test_gcc_vectorises_the_loop(tmp_path: Path) -> None:
    listing = loops(legs(6, uniform=True))
    (tmp_path / "legs.h").write_text(header(listing), encoding="utf-8")
    (tmp_path / "legs.c").write_text(source(listing), encoding="utf-8")
    vectors = ("-mavx2",) if platform.machine() == "x86_64" else ()
    said = compile_c(tmp_path, *STRICT, "-O3", *vectors, "-fno-math-errno", "-fopt-info-vec", "-c", "legs.c")
    lines = source(listing).splitlines()
    loop = next(k for k, line in enumerate(lines, start=1) if line.startswith("    for (int k = 0; k < 8"))
    assert any(f"legs.c:{k}:" in said and "loop vectorized" in said for k in (loop, loop + 1)), said


def test_nothing_alike_gives_no_loops() -> None:
    assert rolled_listing(random_program(0, 60), "x", least=5) is None


def test_loops_only_where_they_pay() -> None:
    assert rolled_listing(legs(6), "x", paying=True) is not None
    listing = flat_listing(legs(6), "x")
    assert not any("for (" in line for line in listing.state)
