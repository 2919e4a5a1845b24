"""Arrays of any stride, kind and leading axes; threads; `out`; chunks; memory; interrupts: one truth, the plain call."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from functools import lru_cache

import numpy as np
import pytest

import gough
from gough.compilation.threads import thread_count

N = 300


@lru_cache(maxsize=1)
def model() -> gough.Model:
    return gough.build("five_bar")


@lru_cache(maxsize=1)
def inputs() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    m = model()
    drives = m.drives(m.home) + rng.uniform(-0.1, 0.1, (N, 2))
    q = m.configuration(drives=drives)
    v, a = rng.normal(size=(2, N, m.layout.nv))
    return {"q": q, "v": v, "acceleration": a, "force": rng.normal(size=(N, m.layout.nv)), "parameters": m.parameters}


def tau(**changes: np.ndarray) -> np.ndarray:
    return model().function("inverse_dynamics").compile()(**(inputs() | changes)).outputs["tau"]


def spread_out(x: np.ndarray) -> np.ndarray:
    """The same numbers, rows far apart."""
    wide = np.full((len(x), 3 * x.shape[1]), np.nan)
    wide[:, 1 : 1 + x.shape[1]] = x
    return wide[:, 1 : 1 + x.shape[1]]


FORMS = {
    "rows apart": spread_out,
    "columns apart": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "columns first": np.asfortranarray,
    "backwards": lambda x: x[::-1].copy()[::-1],
    "bytes off": lambda x: np.frombuffer(b"." + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape),
    "big-endian": lambda x: x.astype(">f8"),
    "list": lambda x: x.tolist(),
    "objects": lambda x: x.astype(object),
    "masked, nothing hidden": np.ma.asarray,
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_array(form: str) -> None:
    changed = {k: FORMS[form](inputs()[k]) for k in ("q", "v", "acceleration", "force")}
    np.testing.assert_array_equal(tau(**changed), tau())


def test_single_precision_and_integers_are_taken_as_they_are() -> None:
    v = np.round(inputs()["v"]).astype(np.int32)
    np.testing.assert_array_equal(tau(v=v), tau(v=v.astype(float)))
    q = inputs()["q"].astype(np.float32)
    np.testing.assert_array_equal(tau(q=q), tau(q=q.astype(float)))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.full((N, 2), 1j), "real numbers"),
        (np.full((N, 2), "1.0"), "real numbers"),
        (np.full((N, 2), object()), "not all entries are numbers"),
        (np.ma.masked_invalid([[1.0, np.nan]]), "masked"),
        (np.zeros((N, 3)), "expected"),
        (np.zeros((7, 2)), "broadcast"),
    ],
)
def test_other_things_are_refused_by_name(value: np.ndarray, what: str) -> None:
    with pytest.raises(gough.UsageError, match=what):
        tau(v=value)


def test_leading_axes_broadcast_without_being_written_out() -> None:
    q, v, a = (inputs()[k] for k in ("q", "v", "acceleration"))
    force = np.zeros(inputs()["force"].shape[-1])
    grid = tau(q=q[:20, None, None], v=v[:5, None], acceleration=a[:7], force=force)
    assert grid.shape == (20, 5, 7, 2)
    for i, j, k in [(0, 0, 0), (19, 4, 6), (3, 2, 5)]:
        one = tau(q=q[i], v=v[j], acceleration=a[k], force=force)
        np.testing.assert_allclose(grid[i, j, k], one, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(threads: int) -> None:
    many = {k: np.tile(inputs()[k], (30, 1)) for k in ("q", "v", "acceleration", "force")}
    f = model().function("inverse_dynamics").compile()
    found = f(threads=threads, **many, parameters=inputs()["parameters"]).outputs["tau"]
    np.testing.assert_array_equal(found, np.tile(tau(), (30, 1)))


def test_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOUGH_NUM_THREADS", raising=False)
    assert thread_count() >= 1 and thread_count(3) == 3
    monkeypatch.setenv("GOUGH_NUM_THREADS", "2")
    assert thread_count() == 2
    gough.set_threads(1)
    assert thread_count() == 1 and thread_count(4) == 4
    gough.set_threads(None)
    assert thread_count() == 2
    for wrong in ("0", "many", "-1"):
        monkeypatch.setenv("GOUGH_NUM_THREADS", wrong)
        with pytest.raises(gough.UsageError, match="thread"):
            thread_count()
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(gough.UsageError, match="threads"):
            gough.set_threads(wrong)  # type: ignore[arg-type]


def test_results_into_given_arrays() -> None:
    f = model().function("inverse_dynamics").compile()
    out = np.full((N, 2), np.nan)
    e = f(out={"tau": out}, **inputs())
    assert np.shares_memory(e.outputs["tau"], out)
    np.testing.assert_array_equal(out, tau())
    for wrong in (np.zeros((N, 3)), np.zeros((N, 2), dtype=np.float32), np.zeros((N, 4))[:, ::2]):
        with pytest.raises(gough.UsageError, match="out"):
            f(out={"tau": wrong}, **inputs())
    with pytest.raises(gough.UsageError, match="no output"):
        f(out={"torque": out}, **inputs())


def test_chunks() -> None:
    f = model().function("inverse_dynamics")
    parts = list(f.chunks(77, **inputs()))
    assert [p.batch for p in parts] == [(77,), (77,), (77,), (69,)]
    np.testing.assert_allclose(np.concatenate([p.outputs["tau"] for p in parts]), tau(), rtol=1e-12, atol=1e-12)
    with pytest.raises(gough.UsageError, match="positive"):
        next(f.chunks(0, **inputs()))


def test_bad_states_keep_their_places_in_any_chunk() -> None:
    q = np.tile(inputs()["q"], (40, 1))
    q[[5, 7000, 11999]] = np.nan
    many = {k: np.tile(inputs()[k], (40, 1)) for k in ("v", "acceleration", "force")}
    f = model().function("inverse_dynamics").compile()
    e = f(q=q, **many, parameters=inputs()["parameters"])
    assert e.bad.tolist() == [5, 7000, 11999] and np.isnan(e.outputs["tau"][e.bad]).all()
    assert (e.codes[[5, 7000, 11999]] == gough.Status.NOT_FINITE).all() and e.codes.astype(bool).sum() == 3


def test_a_call_takes_little_memory_of_its_own() -> None:
    """Inputs that must be copied (columns first) are copied a part at a time."""
    n = 2_000_000
    f = model().function("inverse_dynamics").compile()
    q = np.broadcast_to(inputs()["q"][:1], (n, model().layout.nq))
    v = np.asfortranarray(np.zeros((n, 2)))
    out = np.empty((n, 2))
    tracemalloc.start()
    rest = {"acceleration": np.zeros(2), "force": np.zeros(inputs()["force"].shape[-1])}
    f(q=q, v=v, **rest, parameters=inputs()["parameters"], out={"tau": out})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 128e6


@pytest.mark.parametrize("precision", ["fast", "ieee"])
def test_precisions_agree(precision: str) -> None:
    m = gough.build("five_bar", precision=precision)
    f = m.function("inverse_dynamics").compile()
    np.testing.assert_allclose(f(**inputs()).outputs["tau"], tau(), rtol=1e-11, atol=1e-11)
    assert f.compile(precision=precision) is f


def test_unknown_precisions_and_backends() -> None:
    with pytest.raises(gough.UsageError, match="precision"):
        gough.build("five_bar", precision="double")
    with pytest.raises(gough.UsageError, match="precision"):
        model().function("inverse_dynamics").compile(precision="half")
    with pytest.raises(gough.UsageError, match="backend"):
        model().function("inverse_dynamics").compile(backend="fortran")


def test_baked_parameters_are_this_design_alone() -> None:
    f = model().function("inverse_dynamics", baked=True).compile()
    np.testing.assert_allclose(f(**inputs()).outputs["tau"], tau(), rtol=1e-11, atol=1e-11)
    other = model().parameters.copy()
    other[np.flatnonzero(other)[0]] *= 1.5
    with pytest.raises(gough.PatternError):
        f(**(inputs() | {"parameters": other}))


INTERRUPTED = """
import numpy as np, sys, time, gough
model = gough.build("five_bar")
f = model.function("inverse_dynamics").compile()
n = 100_000_000
q = np.broadcast_to(model.home, (n, model.layout.nq))
chunk = np.empty((n, 2))
print("ready", flush=True)
try:
    f(q=q, v=np.zeros(2), acceleration=np.zeros(2), force=np.zeros(2), parameters=model.parameters, out={"tau": chunk})
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(3)
print("finished", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_an_interrupt_stops_a_hundred_million_states() -> None:
    """Within a second: the process must have ended soon after the signal, long before the work could be done."""
    command = [
        sys.executable,
        "-c",
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + INTERRUPTED,
    ]
    environment = os.environ | {"GOUGH_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 3
        assert process.stdout.read().split() == ["stopped"]
