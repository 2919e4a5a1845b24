"""Many runs at once: each as it is alone; killed and resumed without losing or repeating a finished part."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import Ensemble, simulate, simulate_many, vary
from gough.errors import RunWarning, UsageError
from inner.simulation import PART, part_of
from laws.subjects import built
from simulation.mutants import mutants


@pytest.fixture(scope="module")
def model() -> gough.Model:
    return built(gough.load("four_bar_chain"))


def test_every_run_is_as_alone(model: gough.Model) -> None:
    runs = 2 * PART + 13
    v = np.linspace(0.5, 1.5, runs)[:, None]
    found = simulate_many(model, model.home, v, duration=0.3, step=1e-3, stored=10)
    assert np.isnan(found.failed).all() and found.runs == runs
    for k in (0, PART, runs - 1):
        alone = simulate(model, duration=0.3, v=v[k], method="rk4", step=1e-3)
        assert np.abs(found.end_q[k] - alone.q[-1]).max() < 1e-13
        at = np.searchsorted(alone.time, found.time[3] - 1e-9)
        assert np.abs(found.q[k, 3] - alone.q[at]).max() < 1e-13


def test_designs(model: gough.Model) -> None:
    """Other masses: the pendulum's law does not depend on a common factor of all inertias, so neither may the motion."""
    names = model.parameter_names
    inertial = [i for i, n in enumerate(names) if n.rpartition(".")[2] in ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ")]
    assert len(inertial) > 20
    designs = np.repeat(model.parameters[None], 3, axis=0)
    designs[1, inertial] *= 2.0
    designs[2, names.index("crank0.MY")] *= 1.5
    found = simulate_many(model, model.home, [1.0], duration=0.5, parameters=designs)
    assert np.abs(found.end_q[1] - found.end_q[0]).max() < 1e-10
    assert np.abs(found.end_q[2] - found.end_q[0]).max() > 1e-6


def test_prescribed_motion() -> None:
    five_bar = built(gough.load("five_bar"))
    start = five_bar.home[five_bar.drive_index]
    motion = gough.motions.quintic(drives=[start, start + 0.2], durations=[0.4])
    found = simulate_many(five_bar, five_bar.home, None, motion, step=2e-3)
    alone = simulate(five_bar, motion, method="rk4", step=2e-3)
    assert np.abs(found.end_q[0] - alone.q[-1]).max() < 1e-13
    assert np.abs(found.tau[0, 5] - alone.tau[np.searchsorted(alone.time, found.time[5] - 1e-9)]).max() < 1e-9


SCRIPT = """
import numpy as np, sys, time, gough
from gough.simulation.ensembles.ensemble import simulate_many
model = gough.build("four_bar_chain")
drawn = gough.vary.monte_carlo({"rate.foot0": gough.vary.uniform(0.5, 1.5)}, 14 * 256, seed=7)
simulate_many(model, vary=drawn, duration=2.0, step=1e-4, stored=5, folder=sys.argv[1], threads=1)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_killed_and_resumed(model: gough.Model, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)])
    deadline = time.time() + 120
    while len(list(folder.glob("part*.npz"))) < 2 and process.poll() is None and time.time() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    finished = {p.name: p.stat().st_mtime_ns for p in folder.glob("part*.npz")}
    part = part_of(14 * 256)
    assert 2 <= len(finished) < 16 and part == 224
    drawn = gough.vary.monte_carlo({"rate.foot0": gough.vary.uniform(0.5, 1.5)}, 14 * 256, seed=7)
    told: list[int] = []
    given: dict[str, Any] = {"duration": 2.0, "step": 1e-4, "stored": 5}
    again = simulate_many(model, vary=drawn, folder=folder, progress=lambda done, runs: told.append(done), **given)
    assert told == [(len(finished) + 1 + k) * part for k in range(16 - len(finished))]
    assert again.resumed == len(finished) * part
    assert {p: (folder / p).stat().st_mtime_ns for p in finished} == finished
    assert len(list(folder.glob("part*.npz"))) == 16
    some = slice(3 * part, 5 * part)
    fresh = simulate_many(model, None, drawn.values["rate.foot0"][some, None], **given)
    assert np.array_equal(fresh.end_q, again.end_q[some])


@pytest.mark.parametrize("stored", [1, 7, 100, 5000])
def test_ensembles_end_at_the_end(stored: int) -> None:
    """The last stored state is that of the end, with its forces, as of one simulation."""
    model = built(gough.load("five_bar"))
    law = gough.laws.Free((0.2, -0.1))
    found = simulate_many(model, v=[[0.1, 0.0], [0.0, 0.2]], controller=law, duration=1.2, step=1e-2, stored=stored)
    assert found.time[-1] == 1.2 and (np.diff(found.time) > 0).all()
    np.testing.assert_array_equal(found.q[:, -1], found.end_q)
    np.testing.assert_array_equal(found.tau[:, -1], [[0.2, -0.1]] * 2)
    one = simulate(model, None, law, v=[0.0, 0.2], duration=1.2, step=1e-2, method="rk4")
    np.testing.assert_allclose(found.run(1).q[-1], one.q[-1], atol=1e-12)


def test_what_varied_is_told_in_numbers() -> None:
    from gough.vary import monte_carlo, within

    model = built(gough.load("five_bar"))
    drawn = monte_carlo({"left_rod.M": within(0.1)}, runs=5, seed=2)
    found = simulate_many(model, duration=0.02, vary=drawn, step=1e-2)
    k = model.parameter_names.index("left_rod.M")
    np.testing.assert_allclose(found.varied["left_rod.M"], model.parameters[k] * drawn.values["left_rod.M"])
    assert [found.run(j).design[k] for j in range(5)] == found.varied["left_rod.M"].tolist()


def test_a_folder_of_another_ensemble_is_refused(model: gough.Model, tmp_path: Path) -> None:
    simulate_many(model, model.home, [1.0], duration=0.1, folder=tmp_path)
    with pytest.raises(UsageError, match="another ensemble"):
        simulate_many(model, model.home, [1.1], duration=0.1, folder=tmp_path)


@pytest.fixture
def study(model: gough.Model, tmp_path: Path) -> tuple[Path, Callable[[], Ensemble]]:
    """A folder of three parts, and the call that made them."""
    v = np.linspace(0.5, 1.5, 20)[:, None]

    def run() -> Ensemble:
        return simulate_many(model, model.home, v, duration=0.02, step=1e-3, stored=3, folder=tmp_path / "study")

    run()
    return tmp_path / "study", run


def done_again(run: Callable[[], Ensemble], *names: str) -> Ensemble:
    """The ensemble; a warning names each of the parts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run()
    told = [str(w.message) for w in caught if issubclass(w.category, gough.errors.RunWarning)]
    assert len(told) == len(names) and all(name in text for name, text in zip(names, told, strict=True)), told
    return found


def same(a: Ensemble, b: Ensemble) -> bool:
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("time", "q", "v", "end_q", "end_v"))


def check_mutants(study: tuple[Path, Callable[[], Ensemble]], changed: Iterable[bytes]) -> None:
    """Whatever a part is turned into, the ensemble is as it was; what is not the part itself is named and done again."""
    folder, run = study
    truth, part = run(), folder / "part000001.npz"
    data = part.read_bytes()
    for mutant in changed:
        part.write_bytes(mutant)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = run()
        told = [str(w.message) for w in caught]
        assert same(found, truth) and (found.resumed == truth.resumed or any(str(part) in text for text in told))
        assert found.resumed == truth.resumed or part.read_bytes() == data
        part.write_bytes(data)


def test_damaged_parts(study: tuple[Path, Callable[[], Ensemble]]) -> None:
    data = (study[0] / "part000001.npz").read_bytes()
    every = range(0, len(data), len(data) // 12)
    flipped = [data[:i] + bytes([data[i] ^ 4]) + data[i + 1 :] for i in every]
    check_mutants(study, [*(data[:i] for i in every), *flipped, *mutants(data, 14, 1)])


@pytest.mark.slow
def test_more_damaged_parts(study: tuple[Path, Callable[[], Ensemble]]) -> None:
    """Cut and flipped everywhere, headers and directory byte by byte."""
    data = (study[0] / "part000001.npz").read_bytes()
    places = sorted({*range(400), *range(0, len(data), 1997), *range(len(data) - 600, len(data))})
    flipped = (data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :] for i in places)
    check_mutants(study, [*(data[:i] for i in places[::4]), *flipped, *mutants(data, 140, 2)])


def test_copied_and_swapped_parts(study: tuple[Path, Callable[[], Ensemble]], model: gough.Model) -> None:
    folder, run = study
    truth, (a, b, _) = run(), sorted(folder.glob("part*.npz"))
    first, second = a.read_bytes(), b.read_bytes()
    b.write_bytes(first)
    assert same(done_again(run, b.name), truth) and b.read_bytes() == second
    a.write_bytes(second)
    b.write_bytes(first)
    assert same(done_again(run, a.name, b.name), truth)
    other = folder.parent / "other"
    simulate_many(model, model.home, np.full((20, 1), 1.1), duration=0.02, step=1e-3, stored=3, folder=other)
    a.write_bytes((other / a.name).read_bytes())
    assert same(done_again(run, "of another ensemble"), truth)
    assert done_again(run).resumed == 20


def test_changed_numbers_with_a_good_sum(study: tuple[Path, Callable[[], Ensemble]]) -> None:
    """Written anew by somebody else: the archive is whole, the part is not."""
    folder, run = study
    part = folder / "part000000.npz"
    with np.load(part) as data:
        arrays = dict(data)
    truth = run()
    np.savez(part, **(arrays | {"end_q": arrays["end_q"] + 1e-9}))
    assert same(done_again(run, "numbers were changed"), truth)
    np.savez(part, **{name: x for name, x in arrays.items() if name != "about"})
    assert same(done_again(run, part.name), truth)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"format": 2, "mark": "0", "parts": 3}'])
def test_a_damaged_head(text: str, study: tuple[Path, Callable[[], Ensemble]], model: gough.Model) -> None:
    """The parts tell whose folder it is."""
    folder, run = study
    (folder / "ensemble.json").write_text(text)
    assert done_again(run).resumed == 20
    (folder / "ensemble.json").write_text(text)
    with pytest.raises(UsageError, match="another ensemble"):
        simulate_many(model, model.home, [1.1], duration=0.02, folder=folder)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "duration"),
        ({"duration": 1.0, "step": -1.0}, "positive"),
        ({"duration": 1.0, "v": [[1.0], [np.nan]]}, "finite"),
        ({"duration": 1.0, "v": np.ones((3, 1)), "q": np.zeros((2, 5))}, "rows"),
    ],
)
def test_bad_input(model: gough.Model, more: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        simulate_many(model, more.pop("q", model.home), more.pop("v", None), **more)


INTERRUPTED = """
import os, signal, sys, threading
import gough
signal.signal(signal.SIGINT, signal.default_int_handler)
model = gough.build("four_bar_chain")
drawn = gough.vary.monte_carlo({"rate.foot0": gough.vary.uniform(0.5, 1.5)}, 48, seed=7)
given = {"step": 1e-4, "stored": 5, "threads": 1}
gough.simulate_many(model, vary=drawn, duration=1e-3, **given)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    gough.simulate_many(model, vary=drawn, duration=1e5, **given)
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_heard_within_a_part() -> None:
    """10⁹ steps of a run take hours."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "heard", done.stderr


def test_few_runs_are_several_parts() -> None:
    assert [part_of(n) for n in (1, 8, 50, 129, 1000, 4096, 10**6)] == [8, 8, 8, 16, 64, 256, 256]


def test_runs_that_crossed_say_so(model: gough.Model) -> None:
    with pytest.warns(RunWarning, match="singular poses"):
        found = simulate_many(model, model.home, [[0.5], [1.5]], duration=2.0, step=1e-3, stored=50)
    assert found.crossed.all()
    for k in range(2):
        run = found.run(k)
        assert run.crossings and "not exact" in run.crossings[0][1]
        assert run.summary()["crossed"]


def test_a_part_of_nothing_varies_nothing_and_is_refused() -> None:
    """A factor times 0 is 0 in every run: the numbers that were asked for are not the ones that would be simulated."""
    m = gough.build("five_bar")
    assert m.parameters[list(m.parameter_names).index("gravity.x")] == 0.0
    for draw in (vary.spread(0.1), vary.within(0.2)):
        with pytest.raises(UsageError, match=r"gravity\.x is 0.*normal or uniform in m/s2.*free=\['gravity\.x'\]"):
            gough.simulate_many(m, vary=vary.monte_carlo({"gravity.x": draw}, 4), duration=0.01)


def test_runs_that_do_not_go_into_memory_are_refused_before_it_is_taken() -> None:
    with pytest.raises(UsageError, match=r"runs=100000000: .* GB, 2 GB are the most; draw at most \d+"):
        vary.monte_carlo({"gravity.z": vary.spread(0.1)}, 10**8)
    m = gough.build("five_bar")
    many = vary.monte_carlo({"gravity.z": vary.spread(0.1)}, 1000)
    with pytest.raises(UsageError, match=r"1000 runs that store 1000002 states each need .* GB.*at most \d+ at a time"):
        gough.simulate_many(m, vary=many, duration=100, step=1e-4, stored=10**6)
    assert gough.simulate_many(m, vary=many, duration=0.01, stored=10**6).runs == 1000  # ten steps each: that goes


@pytest.mark.parametrize("designs", [False, True])
def test_bands_and_largest_tracking_errors(designs: bool) -> None:
    """Of the numbers themselves, of a run that failed as far as it came; with and without designs of their own."""
    model = built(gough.load("five_bar"))
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + 0.2], durations=[0.1])
    law = gough.laws.Sampled(gough.laws.JointPD(200.0, 6.0), 2e-3, sensors=gough.sensors.Encoders(noise=1e-3))
    wrench = np.zeros((9, 6))
    wrench[4] = 1e100
    more: dict[str, Any] = {"parameters": np.tile(model.parameters, (9, 1)) * (1 + 1e-9)} if designs else {}
    found = simulate_many(
        model, v=np.zeros((9, 2)), motion=motion, controller=law, wrench={"left_rod.tool": wrench}, step=1e-3, **more
    )
    drives = found.q[:, :, model.drive_index]
    good = np.arange(9) != 4
    band = found.band("drives.position", (0.0, 50.0, 100.0))
    np.testing.assert_allclose(band.values[:, -1], np.percentile(drives[good, -1], [0, 50, 100], axis=0), atol=1e-14)
    assert band.columns == model.layout.drive_names and band.units == ("rad", "rad") and band.runs[-1] == 8
    seen = found.band("encoders", [50.0]).values
    np.testing.assert_allclose(
        seen[0, 3, :2], np.median([found.run(int(k))["encoders"][3, :2] for k in np.flatnonzero(good)], axis=0)
    )
    error = np.abs(drives - motion.at(found.time).position).max(axis=(1, 2))
    np.testing.assert_allclose(found.tracking["rad"][good], error[good], atol=1e-14)
    with pytest.raises(UsageError, match="percent"):
        found.band("elastic", [120.0])
    pushed = found.band("left_rod.tool.wrench", [50.0])
    assert pushed.units[0] == "N" and not np.nanmax(np.abs(pushed.values))
    figure = found.plot("drives.position", "left_rod.tool.wrench", percent=[0, 100])
    titles = [ax.get_ylabel() for ax in figure.axes]
    assert titles == ["drives.position (rad)", "left_rod.tool.wrench (N)", "left_rod.tool.wrench (N m)"]
    with pytest.raises(UsageError, match="low < high"):
        found.plot(percent=[95, 5])
