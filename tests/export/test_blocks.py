"""Long programs as text: large blocks as loops, statements in parts; the results and the flags of plain statements."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gough
from backends.compiled_c import COMPILER, STRICT, Compiled, needs_compiler, run_driver
from gough.errors import Status
from gough.export import export, export_texts
from gough.program import Program, Slot, evaluate, trace
from gough.scalar import check, product, solve_constrained, solve_spd, sqrt
from inner.backends import flat_listing, parts_listing
from inner.export import Options, subject_of

HERE = Status.SINGULAR.at("here")
HIGH = "-O0"
"""Large texts are compiled as they stand: that is quick."""


@pytest.fixture
def small_loops(monkeypatch: pytest.MonkeyPatch, limits) -> None:
    limits(text_least=5, text_margin=1e6, text_part=40)
    monkeypatch.setitem(trace.__globals__, "LARGE_PRODUCT", 50)


def spd(n: int, seed: int) -> np.ndarray:
    a = np.random.default_rng(seed).normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def written(program: Program, folder: Path, name: str = "f", word: str = "solve_symmetric(") -> Compiled:
    listing = parts_listing(program, name)
    assert listing is not None and any(word in piece for piece in listing.support)
    return Compiled.of(listing, folder)


@needs_compiler
@pytest.mark.parametrize(("n", "m"), [(3, 1), (8, 4), (9, 3), (14, 6), (21, 1)])
def test_solve(n: int, m: int, tmp_path: Path, small_loops: None) -> None:
    """As LAPACK; a matrix that is not positive definite has the bit of its failure."""
    program = trace(lambda a, b: {"x": solve_spd(a, b, HERE)}, [Slot("a", (n, n)), Slot("b", (n, m))])
    f = written(program, tmp_path)
    a, b = spd(n, 0), np.random.default_rng(1).normal(size=(n, m))
    x, status = f({"a": a, "b": b})
    assert status == 0
    np.testing.assert_allclose(x.reshape(n, m), np.linalg.solve(a, b), rtol=0, atol=1e-14)
    a[n - 1, n - 1] = -1.0
    assert f({"a": a, "b": b})[1] == f.bit("singular:here")
    a[n - 1, n - 1] = np.nan
    assert f({"a": a, "b": b})[1] == f.bit("singular:here") | f.bit("not_finite:result")


@needs_compiler
def test_solve_of_a_sparse_matrix(tmp_path: Path, small_loops: None) -> None:
    """Bands, and rows that reach far: rows end where fill-in does."""
    n = 30
    filled = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) < 3
    filled[[4, 22]] = filled[:, [4, 22]] = False
    filled[np.arange(n), np.arange(n)] = True
    filled[17, 4] = filled[4, 17] = filled[29, 9] = filled[9, 29] = True

    def equations(a, b):
        return {"x": solve_spd(np.where(filled, a, 0.0), b, HERE)}

    f = written(trace(equations, [Slot("a", (n, n)), Slot("b", (n, 2))]), tmp_path)
    a, b = np.where(filled, spd(n, 3), 0.0) + 9 * n * np.eye(n), np.random.default_rng(4).normal(size=(n, 2))
    x, status = f({"a": a, "b": b})
    assert status == 0
    np.testing.assert_allclose(x.reshape(n, 2), np.linalg.solve(a, b), rtol=0, atol=1e-15)
    ends = next(piece for piece in f.listing.support if "ends[8] = {" in piece).split("ends[8] = {")[1].split("}")[0]
    assert max(int(x) for x in ends.split(",")[:1]) < 10


@needs_compiler
def test_constrained_solve(tmp_path: Path, small_loops: None) -> None:
    """The last pivots are negative: a positive one is flagged."""
    n, k = 9, 4

    def equations(a, c, b, d):
        return {"x": solve_constrained(a, c, np.concatenate([b, d]), HERE)}

    slots = [Slot("a", (n, n)), Slot("c", (k, n)), Slot("b", (n,)), Slot("d", (k,))]
    f = written(trace(equations, slots), tmp_path)
    rng = np.random.default_rng(5)
    given = {"a": spd(n, 5), "c": rng.normal(size=(k, n)), "b": rng.normal(size=n), "d": rng.normal(size=k)}
    whole = np.block([[given["a"], given["c"].T], [given["c"], np.zeros((k, k))]])
    right = np.concatenate([given["b"], given["d"]])
    found, status = f(given)
    assert status == 0
    np.testing.assert_allclose(found, np.linalg.solve(whole, right), rtol=1e-12)
    assert f(given | {"c": np.zeros((k, n))})[1] & f.bit("singular:here")


@needs_compiler
@pytest.mark.parametrize(("n", "k", "m"), [(4, 8, 4), (7, 9, 5), (1, 60, 1), (13, 6, 2), (2, 7, 31)])
@pytest.mark.parametrize("uniform", [(), ("a",), ("b",)])
def test_product(n: int, k: int, m: int, uniform: tuple[str, ...], tmp_path: Path, small_loops: None) -> None:
    slots = [Slot("a", (n, k), uniform="a" in uniform), Slot("b", (k, m), uniform="b" in uniform)]
    f = written(trace(lambda a, b: {"x": product(a, b)}, slots), tmp_path, word="multiply(")
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    x, status = f({"a": a, "b": b})
    assert status == 0
    np.testing.assert_allclose(x.reshape(n, m), a @ b, rtol=0, atol=1e-13)


def mixed(a, b, p):
    """Blocks after blocks, statements between them, numbers, inputs that are results, work of the design, checks."""
    check(Status.OUT_OF_REACH.at("leg"), b[0], -5.0)
    c = product(a, a.T) + np.diag(p[:9] * p[:9]) + 9.0 * np.eye(9)
    half = np.array([[c[max(i, j), min(i, j)] for j in range(9)] for i in range(9)])
    x = solve_spd(half, b, HERE)
    twice = product(np.reshape(p, (2, 9)), x)
    y = solve_spd(
        half * (1.0 + twice[0] * twice[0]), np.array([sqrt(1.0 + e * e) for e in x]), Status.SINGULAR.at("there")
    )
    return {"y": y, "same": b[:3], "number": np.array([2.5]), "norm": twice[1] / p[0]}


MIXED = [Slot("a", (9, 7)), Slot("b", (9,)), Slot("p", (18,), uniform=True)]


@needs_compiler
def test_blocks_and_statements_in_turn(tmp_path: Path, small_loops: None) -> None:
    program = trace(mixed, MIXED)
    f, flat = written(program, tmp_path), flat_listing(program, "f")
    assert f.listing.bits == flat.bits and sum("_part" in piece for piece in f.listing.support) > 6
    for seed in range(5):
        rng = np.random.default_rng(seed)
        given = {"a": rng.normal(size=(9, 7)), "b": rng.normal(size=9), "p": rng.uniform(0.5, 1.5, 18)}
        truth = evaluate(program, given)
        found, status = f(given)
        assert status == 0
        np.testing.assert_allclose(found, np.concatenate([np.ravel(x) for x in truth.values()]), rtol=1e-12)
    given["b"][0] = -6.0
    assert f(given)[1] == f.bit("out_of_reach:leg")
    given["a"][0, 0] = np.inf
    assert f(given)[1] & f.bit("singular:here")


@needs_compiler
def test_without_checks_and_design(tmp_path: Path, small_loops: None) -> None:
    program = trace(lambda a, b: mixed(a, b, np.linspace(0.5, 1.5, 18)), MIXED[:2])
    listing = parts_listing(program, "f", checks=False)
    assert listing is not None and listing.prepared == 0 and len(listing.bits.failures) == 1
    f = Compiled.of(listing, tmp_path, *STRICT, "-O2", "-g", "-fsanitize=undefined", "-fno-sanitize-recover")
    rng = np.random.default_rng(0)
    given = {"a": rng.normal(size=(9, 7)), "b": rng.normal(size=9)}
    truth = np.concatenate([np.ravel(x) for x in evaluate(program, given).values()])
    np.testing.assert_allclose(f(given)[0], truth, rtol=1e-12)


# Robots.


@cache
def model(modes: int) -> gough.Model:
    """The hexapod of [Long 2014] with that many modes of its plate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = gough.load("long2014")
    assert robot.platform is not None and not isinstance(robot.platform, str)
    body = robot.platform.body
    assert body.flexible is not None and body.flexible.modes is not None
    number = body.flexible.modes.model_copy(update={"number": modes})
    flexible = body.flexible.model_copy(update={"modes": number, "stiffness": None})
    platform = robot.platform.model_copy(update={"body": body.model_copy(update={"flexible": flexible})})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot.model_copy(update={"platform": platform}))


def assert_same_as_the_library(m: gough.Model, function: str, folder: Path) -> None:
    """Results to 1e-12 of their scale, and the same verdict, at good and bad states."""
    subject = subject_of(m, function, Options(), m.pattern)
    listing = parts_listing(subject.program, "f", subject.fixed)
    assert listing is not None and any("solve_symmetric(" in piece for piece in listing.support)
    f = Compiled.of(listing, folder, "-std=c99", HIGH)
    states, known = m.sampled_states, m.function(function)
    for k in range(3):
        given = {s.name: np.resize(states[s.name], (3, s.size))[k] for s in subject.program.inputs if s.name in states}
        given |= {s.name: np.zeros(s.shape) for s in subject.program.inputs if s.name not in (*states, "parameters")}
        given["parameters"] = m.parameters
        truth = known(**given)
        found, status = f(given)
        assert status == 0 and truth.good
        wanted = np.concatenate([np.ravel(x) for x in truth.outputs.values()])
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    q = given["q"].copy()
    q[3:7] *= 1.1
    assert f(given | {"q": q})[1] & f.bit("bad_quaternion:platform")
    assert f(given | {"v": np.full(len(given["v"]), np.nan)})[1] & f.bit("not_finite:result")


@pytest.mark.slow
@needs_compiler
def test_a_flexible_robot(tmp_path: Path) -> None:
    m = model(20)
    assert_same_as_the_library(m, "inverse_dynamics", tmp_path)
    texts, flat = (
        export_texts(m, "inverse_dynamics", name="f", options=Options(legs=legs)) for legs in ("auto", "flat")
    )
    assert "solve_symmetric(20, 7, " in texts["f.c"] and "solve_symmetric" not in flat["f.c"]
    assert "on the stack" in texts["f.h"] and "in loops multiply-adds" in texts["f.h"]
    enumeration = [text["f.h"].split("enum {")[2].split("}")[0] for text in (texts, flat)]
    assert enumeration[0] == enumeration[1]


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("function", ["forward_dynamics", "inverse_dynamics"])
def test_a_robot_with_many_modes(function: str, tmp_path: Path) -> None:
    assert_same_as_the_library(model(80), function, tmp_path)
    export(model(80), function, tmp_path, name="f")
    done = run_driver(tmp_path, "f", *STRICT, "-O1")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "f.c").stat().st_size < 3e6  # five times as much, written out


@needs_compiler
def test_long_texts_without_large_blocks_are_in_parts(tmp_path: Path, limits) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = gough.build(gough.robots.four_bar_chain(12))
    limits(text_long=500)
    export(m, "forward_dynamics", tmp_path, name="f")
    assert "f_part1(" in (tmp_path / "f.c").read_text(encoding="utf-8")
    assert run_driver(tmp_path, "f").returncode == 0
    short = export_texts(gough.build("five_bar"), "forward_dynamics", name="f")["f.c"]
    assert "_part" not in short


@pytest.mark.slow
def test_nvcc_takes_loops(tmp_path: Path, small_loops: None) -> None:
    if shutil.which("nvcc") is None or COMPILER is None:
        pytest.skip("no nvcc on this machine")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = gough.build("flexible_slider_crank")
    export(m, "forward_dynamics", tmp_path, target="cuda", name="f")
    assert "solve_symmetric(" in (tmp_path / "f.cuh").read_text(encoding="utf-8")
    subprocess.run(["nvcc", "f.cu", "f_test.cu", "-o", "t"], cwd=tmp_path, check=True)
    done = subprocess.run(["./t"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout
