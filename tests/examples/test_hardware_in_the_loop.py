"""The rehearsal of examples/hardware_in_the_loop: a controller in a process of its own, datagrams on the loopback.

The truth is `gough.simulate` with the same law on a clock, whose loop knows no datagrams; where packets are lost and late it is
a replay below: the packets' fates, what is known at each sample by their definition, the law's C called from here.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import compile_c, needs_compiler
from docs.blocks import ROOT, blocks, same
from examples.rehearsals import FOLDER, SANITIZED, hil, robots
from export.controllers import CLEAN, Controller

SAME = 1e-9


class Made:
    """The task and, where there is a compiler, its controller as a program and as functions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model, self.motion, self.law = hil.the_task()
        self.program = hil.compiled_controller(folder, self.model, self.motion, self.law)
        self.fmu = hil.exported_robot(self.model, folder)

    def rehearse(self, robot: Any, samples: int, network: Any = None, hold: int = 5, **more: Any) -> tuple[Any, dict]:
        with hil.ControllerProcess(self.program, hold, idle=60.0) as controller:
            at = controller.address
            found = robots.rehearse(robot, at, samples, hil.PERIOD, network, hold=hold, patience=60.0, **more)
            return found, json.loads(controller.end())

    def robot(self, kind: str) -> Any:
        return robots.StepperRobot(self.model, hil.STEP) if kind == "stepper" else robots.FmuRobot(self.fmu, self.model)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("law"))


@needs_compiler
@pytest.mark.parametrize(("kind", "lag"), [("fmu", 0), ("stepper", 0), ("fmu", 2), ("stepper", 1)])
def test_lock_step_is_the_simulation(kind: str, lag: int, made: Made) -> None:
    """A command that always takes some samples is the law's delay."""
    robot = made.robot(kind)
    found, told = made.rehearse(robot, 400, robots.Network(lag=lag))
    assert hil.largest_difference(found, made.model, made.motion, lag) < SAME
    assert np.ptp(found.q[:, 0]) > 0.1  # it moved
    assert (told["received"], told["stepped"], told["filled"], told["late"]) == (401, 400, 0, 0)
    assert found.stopped is None and "400 fresh" in found.report()
    robot.close()


def replay(
    made: Made, network: Any, samples: int, hold: int, brake: float
) -> tuple[np.ndarray, np.ndarray, int | None]:
    """Forces, coordinates and the sample of the stop, from the packets' fates without any packet."""
    out, back = network.fates(samples)
    law = Controller(made.folder, "law")
    sim = gough.Stepper(made.model, method="rk4", longest_step=hil.STEP, record=False)
    readings = np.zeros((samples, 2))
    commands: dict[int, tuple[int, np.ndarray]] = {}  # of a reading: from when on, the forces
    used, controller_on, stopped = -1, True, None
    forces, q = [], [sim.q]
    for k in range(samples):
        readings[k] = made.model.drives(sim.q)
        for s in (s for s in range(k + 1) if out[s] >= 0 and s + out[s] == k and s > used):
            if s - used - 1 > hold:
                controller_on = False
            if s < used or not controller_on:
                commands[s] = (k + back[s] if back[s] >= 0 else samples, np.full(2, np.nan))
                continue
            for row in np.linspace(readings[used if used >= 0 else s], readings[s], s - used + 1)[1:]:
                force, status = law.step(row)
                assert status == 0
            used = s
            commands[s] = (k + back[s] if back[s] >= 0 else samples, force)
        newest = max((s for s, (at, _) in commands.items() if at <= k), default=-1)
        force = commands[newest][1] if newest >= 0 else np.zeros(2)
        if stopped is None and (k - newest > hold or np.isnan(force).any()):
            stopped = k
        if stopped is not None:
            force = -brake * (readings[k] - readings[max(k - 1, 0)]) / hil.PERIOD
        sim.step(force, hil.PERIOD)
        forces.append(force)
        q.append(sim.q)
    return np.array(forces), np.array(q), stopped


BAD: dict[str, dict[str, Any]] = {
    "some lost": {"loss": 0.05, "seed": 3},
    "some late": {"late": 0.3, "most": 4, "seed": 1},
    "both, and a lag": {"loss": 0.04, "late": 0.1, "lag": 1, "seed": 5},
    "too many lost": {"loss": 0.35, "late": 0.1, "seed": 2},
}


@needs_compiler
@pytest.mark.parametrize("name", BAD)
def test_bad_network_is_the_replay(name: str, made: Made) -> None:
    network = robots.Network(**BAD[name])
    found, told = made.rehearse(made.robot("stepper"), 300, network, brake=2.0)
    forces, q, stopped = replay(made, network, 300, 5, 2.0)
    assert found.stopped == stopped
    assert (stopped is not None) == (name == "too many lost")
    assert np.abs(found.q - q).max() < SAME
    assert np.abs(found.forces - forces).max() < SAME * np.abs(forces).max()
    out = network.fates(300)[0]
    assert found.counts["readings lost"] == (out < 0).sum() > 0 or name == "some late"
    assert told["stopped"] or told["stepped"] + 6 > 300  # what was missing was filled in
    if stopped is not None:  # a brake takes energy out
        speed = np.abs(np.diff(found.q[:, [0, 2]], axis=0)).max(axis=1) / hil.PERIOD
        assert speed[-1] < 0.05 * max(speed[stopped], 1e-6) or speed[-1] < 1e-3


@needs_compiler
def test_fmu_over_a_bad_network_is_the_stepper(made: Made) -> None:
    network = robots.Network(loss=0.03, late=0.1, seed=7)
    robot = made.robot("fmu")
    found, first = made.rehearse(robot, 300, network)
    again, second = made.rehearse(made.robot("stepper"), 300, network)
    robot.close()
    assert np.abs(found.q - again.q).max() < SAME
    assert found.counts == again.counts
    del first["longest_us"], second["longest_us"]
    assert first == second


@needs_compiler
def test_real_time(made: Made) -> None:
    """How long things take is the machine's affair; what is done with what arrived is not."""
    samples = 150
    found, told = made.rehearse(made.robot("stepper"), samples, robots.Network(), hold=samples, real_time=True)
    assert told["stepped"] == samples and told["filled"] == 0 and found.stopped is None
    law = Controller(made.folder, "law")
    commands = np.array([law.step(row)[0] for row in found.readings])
    newest = np.arange(samples) - found.age
    acted = np.where(newest[:, None] >= 0, commands[newest], 0.0)
    assert np.abs(found.forces - acted).max() == 0
    assert len(found.behind) == samples and "samples began late" in found.report()


@needs_compiler
def test_packets_that_are_none(made: Made, tmp_path: Path) -> None:
    """Under sanitizers: refused without an answer and counted, and the next good one is answered."""
    sources = str(FOLDER / "controller.c"), str(made.folder / "law.c")
    compile_c(tmp_path, *CLEAN, *SANITIZED, "-O1", "-I", str(made.folder), *sources, "-lm", "-o", "controller")
    draw = np.random.default_rng(0)
    first = made.model.drives(made.model.home)

    def packet(number: int, values: Any = first, flags: int = robots.READING, magic: int = robots.MAGIC) -> bytes:
        values = np.asarray(values, dtype="<f8")
        return robots.HEAD.pack(magic, flags, len(values), number, 77, 0, 0) + values.tobytes()

    good = packet(0)
    bad = [
        b"",
        good[:-1],
        good + b"\0",
        packet(0, magic=0x324C4847),
        packet(0, flags=robots.COMMAND),
        packet(0, first[:1]),
    ]
    bad += [packet(0, np.zeros(32)), good + bytes(600)]
    bad += [draw.bytes(int(draw.integers(0, 400))) for _ in range(500)]
    with (
        hil.ControllerProcess(tmp_path / "controller") as controller,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel,
    ):
        channel.connect(controller.address)
        channel.settimeout(60.0)

        def answer(data: bytes) -> tuple[int, int, int, np.ndarray]:
            channel.send(data)
            told = channel.recv(2048)
            magic, flags, count, number, _, echo, status = robots.HEAD.unpack(told[:40])
            assert (magic, count, echo) == (robots.MAGIC, 2, 77)
            return flags, number, status, np.frombuffer(told, dtype="<f8", offset=40)

        for data in bad[:8]:
            channel.send(data)
        flags, number, status, _ = answer(good)
        assert (flags, number, status) == (robots.COMMAND, 0, 0)
        for data in bad[8:]:
            channel.send(data)
            if draw.random() < 0.1:
                assert answer(good)[0] == robots.COMMAND | robots.LATE
        assert answer(packet(1))[2] == 0
        flags, _, status, held = answer(packet(2, first * np.nan))
        assert flags == robots.COMMAND and status != 0 and np.isfinite(held).all()
        for k in range(3, 8):  # more than five in a row
            flags, _, _, held = answer(packet(k, first * np.nan))
        assert flags == robots.COMMAND | robots.STOPPED and (held == 0).all()
        assert answer(packet(2**64 - 1))[0] == robots.COMMAND | robots.STOPPED
        channel.send(packet(0, flags=robots.READING | robots.END))
        told = json.loads(controller.end())
    assert told["refused"] == len(bad) and told["stopped"] == 1 and controller.process.returncode == 0


@needs_compiler
def test_too_large_a_gap_stops(made: Made) -> None:
    with (
        hil.ControllerProcess(made.program, hold=3) as controller,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel,
    ):
        channel.connect(controller.address)
        channel.settimeout(60.0)
        flags, first = [], made.model.drives(made.model.home).tobytes()
        for number in (0, 4, 9, 10):  # 3 missing are filled in, 4 are not
            channel.send(robots.HEAD.pack(robots.MAGIC, robots.READING, 2, number, 0, 0, 0) + first)
            flags.append(robots.HEAD.unpack(channel.recv(2048)[:40])[1] & robots.STOPPED)
    assert flags == [0, 0, robots.STOPPED, robots.STOPPED]


@needs_compiler
def test_controller_gives_up(made: Made) -> None:
    with hil.ControllerProcess(made.program, idle=0.05) as controller:
        told = controller.end()
        assert "nothing came for 0.05 s" in told and controller.process.returncode == 3
    for words in (["70000"], ["0", "-1"], ["0", "5", "nan"], ["0", "5", "1", "nowhere"]):
        assert subprocess.run([str(made.program), *words], capture_output=True, timeout=20).returncode == 2


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.bind(("127.0.0.1", 0))
        return channel.getsockname()[1]


def test_nobody_answers() -> None:
    model = gough.build("five_bar")
    at = "127.0.0.1", free_port()
    with pytest.raises(RuntimeError, match="sample 0: no answer from the controller"):
        robots.rehearse(robots.StepperRobot(model, hil.STEP), at, 3, hil.PERIOD, patience=0.05)
    found = robots.rehearse(robots.StepperRobot(model, hil.STEP), at, 12, hil.PERIOD, real_time=True)
    assert found.stopped == 5 and (found.forces == 0).all()


@pytest.fixture
def echo() -> Iterator[tuple[tuple[str, int], list[bytes]]]:
    """A controller of Python, that answers what is in a list, or else with the packet turned around."""
    answers: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.bind(("127.0.0.1", 0))
        channel.settimeout(60.0)

        def work() -> None:
            while True:
                try:
                    data, at = channel.recvfrom(2048)
                except OSError:
                    return
                magic, flags, count, number, sent, _, _ = robots.HEAD.unpack(data[:40])
                if flags & robots.END:
                    return
                for more in answers:
                    channel.sendto(more, at)
                head = robots.HEAD.pack(magic, robots.COMMAND, count, number, 0, sent, 0)
                channel.sendto(head + np.zeros(count, "<f8").tobytes(), at)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield channel.getsockname(), answers
        thread.join(timeout=10.0)
        assert not thread.is_alive()


def test_robot_refuses_what_is_no_command(echo: Any) -> None:
    """Without a C compiler, too."""
    at, answers = echo
    pack = robots.HEAD.pack
    answers += [b"", b"x" * 56, pack(robots.MAGIC, robots.READING, 2, 0, 0, 0, 0) + bytes(16)]
    answers += [pack(robots.MAGIC, robots.COMMAND, 3, 0, 0, 0, 0) + bytes(24), bytes(2000)]
    answers += [pack(robots.MAGIC, robots.COMMAND, 2, 2**63, 0, 0, 0) + bytes(16)]  # of a sample that is to come
    robot = robots.StepperRobot(gough.build("five_bar"), hil.STEP)
    found = robots.rehearse(robot, at, 20, hil.PERIOD)
    assert found.counts["refused"] == 20 * len(answers) and found.stopped is None and (found.forces == 0).all()


def test_forces_that_are_no_numbers_stop_the_robot(echo: Any) -> None:
    at, answers = echo
    answers.append(robots.HEAD.pack(robots.MAGIC, robots.COMMAND, 2, 0, 0, 0, 0) + np.full(2, np.nan).tobytes())
    robot = robots.StepperRobot(gough.build("five_bar"), hil.STEP)
    found = robots.rehearse(robot, at, 20, hil.PERIOD)
    assert found.stopped == 0 and np.isfinite(found.forces).all()


def test_fates_are_those_of_the_seed() -> None:
    fates = robots.Network(loss=0.1, late=0.2, most=3, lag=1, seed=4).fates(20000)
    assert (fates == robots.Network(loss=0.1, late=0.2, most=3, lag=1, seed=4).fates(20000)).all()
    assert (fates != robots.Network(loss=0.1, late=0.2, most=3, lag=1, seed=5).fates(20000)).any()
    assert np.abs((fates < 0).mean(axis=1) - 0.1).max() < 0.01  # five deviations of a binomial
    assert set(fates[0]) == {-1, 0, 1, 2, 3} and set(fates[1]) == {-1, 1, 2, 3, 4}
    assert abs((fates[0] > 0).mean() - 0.9 * 0.2) < 0.014


@pytest.mark.parametrize(
    "words", ["--loss 2", "--lag -1", "--most 0", "--at here", "--samples 0", "--hold -1", "--seed -3"]
)
def test_what_is_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        hil.main(words.split())
    assert words.split()[0].removeprefix("--") in capsys.readouterr().err.splitlines()[-1]


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # nothing is there
    with pytest.raises(SystemExit, match=r"no C compiler here \(gcc, cc\): the controller cannot be made"):
        hil.main([])
    with pytest.raises(SystemExit, match="take --robot stepper"):
        hil.main(["--at", "127.0.0.1:5005"])


@needs_compiler
@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang on this machine")
def test_clang_says_nothing(made: Made, tmp_path: Path) -> None:
    words = ["clang", *CLEAN, "-I", str(made.folder), "-c", str(FOLDER / "controller.c"), "-o", "controller.o"]
    subprocess.run(words, cwd=tmp_path, check=True)


PAGE = ROOT / "docs" / "hardware_in_the_loop.md"


@needs_compiler
@pytest.mark.slow
def test_the_page_shows_what_it_prints() -> None:
    shown = [b.text for b in blocks(PAGE) if b.note.startswith("recipe: rehearsal")]
    assert shown
    for text in shown:
        command, printed = re.fullmatch(r"\$ python (.*?)\n(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        done = subprocess.run([sys.executable, *command.split()], cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert same(printed, done.stdout), done.stdout
