"""The ros2_control package of examples/hardware_in_the_loop/ros2, compiled against stand-ins of ROS's headers and called by a
driver in the order of the controller manager; the robot is at the other end of the wire. Of ROS itself this says nothing."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

from backends.compiled_c import compile_c, needs_compiler
from docs.blocks import ROOT
from examples.rehearsals import FOLDER, SANITIZED, hil, robots
from export.controllers import Controller
from gough.export import export_law

PACKAGE = FOLDER / "ros2"
STAND_INS = ROOT / "tests" / "examples" / "ros2_stand_ins"
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wconversion")
GXX = shutil.which("g++")
needs_cpp = pytest.mark.skipif(GXX is None, reason="no C++ compiler (g++) on this machine")
SOURCES = [*sorted(str(x) for x in (PACKAGE / "src").glob("*.cpp")), str(STAND_INS / "driver.cpp")]


class Built:
    """The driver with package and law, and the law as functions."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.folder, self.program = folder, folder / "driver"
        self.model, self.motion, law = hil.the_task()
        export_law(self.model, law, folder, motion=self.motion, name="law")
        compile_c(folder, "-std=c99", "-O1", "-c", "law.c")
        places = [f"-I{x}" for x in (STAND_INS, folder, FOLDER, PACKAGE / "include")]
        words = [str(GXX), *STRICT, *flags, *places, *SOURCES, "law.o", "-lm", "-o", "driver"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]

    def run(self, *words: str) -> str:
        """What the driver prints when no robot is there."""
        done = subprocess.run([str(self.program), "patience=0.05", *words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and not done.stderr, done.stderr
        return done.stdout

    @contextmanager
    def started(self, *words: str) -> Iterator[tuple[tuple[str, int], subprocess.Popen[str]]]:
        """(where it listens, process)."""
        process = subprocess.Popen(
            [str(self.program), "patience=60", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            assert process.stdout is not None
            told = ""
            while (port := re.search(r"listening at 127\.0\.0\.1, port (\d+)", told)) is None:
                line = process.stdout.readline()
                assert line, told
                told += line
            yield ("127.0.0.1", int(port[1])), process
        finally:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("ros2"))


def over(process: subprocess.Popen[str]) -> str:
    printed = process.communicate(timeout=120)[0]
    assert process.returncode == 0, printed
    return printed


@needs_compiler
@needs_cpp
def test_efforts_are_those_of_the_law(built: Built) -> None:
    with built.started("wait=10") as (at, process):
        robot = robots.StepperRobot(built.model, hil.STEP)
        found = robots.rehearse(robot, at, 300, hil.PERIOD, patience=60.0)
        printed = over(process)
    law = Controller(built.folder, "law", "-O0")
    assert np.array_equal(found.forces, [law.step(row)[0] for row in found.readings])
    assert np.ptp(found.q[:, 0]) > 0.1
    assert "read DEACTIVATE after 300 cycles" in printed and "300 cycles, 0 bad, 0 begun" in printed
    assert "0 datagrams refused, 0 readings late" in printed


@needs_compiler
@needs_cpp
def test_late_readings_are_answered_as_late(built: Built) -> None:
    network = robots.Network(late=0.2, seed=1)
    with built.started("wait=10") as (at, process):
        robot = robots.StepperRobot(built.model, hil.STEP)
        found = robots.rehearse(robot, at, 200, hil.PERIOD, network, patience=60.0)
        printed = over(process)
    late = found.counts["answered as late"]
    assert late > 10 and f"{late} readings late" in printed and found.stopped is None


@needs_compiler
@needs_cpp
@pytest.mark.slow
def test_under_sanitizers(tmp_path: Path) -> None:
    """A rehearsal that is the simulation, one over a bad network, and datagrams that are none."""
    built = Built(tmp_path, *SANITIZED, "-O1")
    with built.started("wait=10") as (at, process):
        found = robots.rehearse(robots.StepperRobot(built.model, hil.STEP), at, 300, hil.PERIOD, patience=60.0)
        over(process)
    assert hil.largest_difference(found, built.model, built.motion) < hil.SAME
    draw = np.random.default_rng(0)
    with built.started("wait=10") as (at, process), connected(at) as channel:
        for _ in range(90):
            channel.send(draw.bytes(int(draw.integers(0, 400))))
        network = robots.Network(late=0.2, seed=1)
        found = robots.rehearse(robots.StepperRobot(built.model, hil.STEP), at, 100, hil.PERIOD, network, patience=60.0)
        printed = over(process)
    assert found.stopped is None and "90 datagrams refused" in printed and "ERROR" not in printed


def packet(number: int, values: Any, flags: int = 0) -> bytes:
    head = robots.HEAD.pack(robots.MAGIC, robots.READING | flags, len(values), number, 5, 0, 0)
    return head + np.asarray(values, "<f8").tobytes()


def answered(channel: socket.socket, data: bytes) -> tuple[int, int, np.ndarray]:
    """(flags, number, efforts)."""
    channel.send(data)
    told = channel.recv(2048)
    _, flags, count, number, _, echo, _ = robots.HEAD.unpack(told[:40])
    assert count == 2 and echo == 5
    return flags, number, np.frombuffer(told, "<f8", offset=40)


@contextmanager
def connected(at: tuple[str, int]) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect(at)
        channel.settimeout(60.0)
        yield channel


@needs_compiler
@needs_cpp
def test_silent_robot(built: Built) -> None:
    first = built.model.drives(built.model.home)
    with built.started("wait=0.02", "hold=3") as (at, process), connected(at) as channel:
        channel.send(b"rubbish")
        for k in range(3):
            channel.send(packet(k, first))
        printed = over(process)
    assert re.search(
        r"no reading in 4 cycles after number [0-2]\nread ERROR", printed.replace("[ERROR] five_bar: ", "")
    )
    assert "system on_error: SUCCESS" in printed


@needs_compiler
@needs_cpp
@pytest.mark.parametrize("wrong", ["reading", "interface"])
def test_bad_cycles_in_a_row_stop_it(wrong: str, built: Built) -> None:
    first = built.model.drives(built.model.home)
    words = ["wait=10", "hold=2", *(["busy=3"] if wrong == "interface" else [])]
    with built.started(*words) as (at, process), connected(at) as channel:
        values = [first] * 3 + [first * np.nan if wrong == "reading" else first] * 3
        told = [answered(channel, packet(k, x)) for k, x in enumerate(values)]
        printed = over(process)
    assert [number for _, number, _ in told] == list(range(6))
    assert all(np.isfinite(efforts).all() for _, _, efforts in told) and (told[-1][2] == 0).all()
    assert "3 bad cycles in a row" in printed and "update ERROR after 5 cycles" in printed


@needs_compiler
@needs_cpp
def test_robot_that_has_stopped(built: Built) -> None:
    first = built.model.drives(built.model.home)
    with built.started("wait=10") as (at, process), connected(at) as channel:
        answered(channel, packet(0, first))
        channel.send(packet(1, first, robots.STOPPED))
        printed = over(process)
    assert "the robot has stopped, before number 1" in printed and "read ERROR after 1 cycles" in printed


REFUSED = {
    "joints=left_motor": "1 joints, the law has 2 drives",
    "effort=velocity": "joint left_motor: it needs the state position and the command effort",
    "port=70000": "port: '70000'; give a number from 0 to 65535",
    "wait=soon": "wait: 'soon'; give a number",
    "hold=nan": "hold: 'nan'; give a number",
    "address=nowhere": "no socket at nowhere",
    "patience=0.01": "no robot sent its readings within 0.01 s",
}


@needs_compiler
@needs_cpp
@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words: str, built: Built) -> None:
    assert REFUSED[words] in built.run(words)


@needs_compiler
@needs_cpp
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rate=500", "update_rate: 500 Hz, the law was exported for 1000 Hz"),
        ("order=wrong", "interface 0 is right_motor/position and left_motor/effort, not left_motor"),
    ],
)
def test_what_the_controller_refuses(words: str, said: str, built: Built) -> None:
    with built.started(words) as (at, process), connected(at) as channel:
        channel.send(packet(0, built.model.drives(built.model.home)))
        printed = process.communicate(timeout=120)[0]
    assert process.returncode == 1 and said in printed


@needs_compiler
@needs_cpp
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake on this machine")
def test_its_cmake_builds_a_library(built: Built, tmp_path: Path) -> None:
    def configured(folder: Path) -> subprocess.CompletedProcess[str]:
        words = ["cmake", "-S", str(PACKAGE), "-B", str(tmp_path / folder.name), f"-DLAW_FOLDER={folder}"]
        words.append(f"-DCMAKE_PROJECT_INCLUDE={STAND_INS / 'stand_ins.cmake'}")
        return subprocess.run(
            words, capture_output=True, text=True, env=os.environ | {"CMAKE_COLOR_DIAGNOSTICS": "OFF"}
        )

    refused = configured(tmp_path / "empty")
    assert refused.returncode != 0 and "no law.c in" in refused.stderr
    done = configured(built.folder)
    assert done.returncode == 0, done.stderr
    where = str(tmp_path / built.folder.name)
    done = subprocess.run(["cmake", "--build", where], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    placed = subprocess.run(
        ["cmake", "--install", where, "--prefix", str(tmp_path / "to")], capture_output=True, text=True
    )
    assert placed.returncode == 0, placed.stderr
    files = {x.relative_to(tmp_path / "to").as_posix() for x in (tmp_path / "to").rglob("*") if x.is_file()}
    assert {"lib/libgough_law.so", "share/gough_law/config/controllers.yaml"} <= files


def test_files_of_the_package_agree() -> None:
    """Names of plugins, drives and packages are the same wherever they stand."""
    exported = {}
    for path in (PACKAGE / "src").glob("*.cpp"):
        found = re.findall(r"PLUGINLIB_EXPORT_CLASS\((\S+), (\S+)\)", path.read_text(encoding="utf-8"))
        exported |= dict(found)
    told = {x.get("type"): x.get("base_class_type") for x in ET.parse(PACKAGE / "gough_law.xml").getroot()}
    assert exported == told and len(told) == 2
    names = {x.get("name"): x.get("type") for x in ET.parse(PACKAGE / "gough_law.xml").getroot()}
    assert all(name and name.replace("/", "::") == kind for name, kind in names.items())
    settings = YAML(typ="safe").load(PACKAGE / "config" / "controllers.yaml")
    mine = settings["law_controller"]["ros__parameters"]
    urdf = ET.parse(PACKAGE / "urdf" / "five_bar.urdf").getroot()
    model, _, law = hil.the_task()
    assert mine["type"] in names and urdf.findtext(".//plugin") in names
    assert (
        mine["joints"] == list(model.layout.drive_names) == [x.get("name") for x in urdf.findall("ros2_control/joint")]
    )
    assert settings["controller_manager"]["ros__parameters"]["update_rate"] * law.period == 1
    cmake = (PACKAGE / "CMakeLists.txt").read_text(encoding="utf-8")
    package = ET.parse(PACKAGE / "package.xml").getroot()
    needed = {x.text for x in package.findall("depend")} | {package.findtext("buildtool_depend")}
    assert set(re.findall(r"find_package\((\w+)", cmake)) == needed
    assert f"project({package.findtext('name')} " in cmake
    compile((PACKAGE / "launch" / "rehearsal.launch.py").read_text(encoding="utf-8"), "launch", "exec")
