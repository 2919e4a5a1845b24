"""The C++ harness: what is missing is said, and where it can be built it gives the library's numbers.

`test_harness` compiles for minutes; it is skipped, with the names of what to install, where compiler or headers are missing.
"""

from pathlib import Path

import pytest

from bench.cases import bare_model, case
from gough_bench import harness_peer, pinocchio_cpp
from gough_bench.measure import check
from gough_bench.pinocchio_cpp import PinocchioCpp, leg_lines
from gough_bench.tree import Tree


def test_missing_headers_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(pinocchio_cpp, "folders", lambda: [tmp_path])
    said = PinocchioCpp().available()
    assert "pip install 'pin" in said and "pip install cmeel-eigen" in said and "pip install cmeel-boost" in said
    (tmp_path / "Eigen").mkdir()
    (tmp_path / "Eigen" / "Core").write_text("")
    assert "cmeel-eigen" not in PinocchioCpp().available()


def test_missing_compiler_is_named(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "compiler" in PinocchioCpp().available()


def test_a_failed_build_is_told(monkeypatch, tmp_path):
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\necho 'x.cpp:1: error: no such thing' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(pinocchio_cpp, "compiler", lambda: str(broken))
    monkeypatch.setattr(pinocchio_cpp, "include_folders", list)
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    assert "no such thing" in PinocchioCpp().prepare(case("lopes", "inverse_dynamics"))


def test_executables_are_kept_beside_the_programs(monkeypatch, tmp_path):
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    assert harness_peer.executables_folder() == tmp_path / "bench"
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    assert tmp_path not in harness_peer.executables_folder().parents


def test_robots_of_the_inverse_route():
    assert len(leg_lines(Tree(bare_model("pedrammehr2012")))) == 6
    assert len(leg_lines(Tree(bare_model("lopes")))) == 6
    assert leg_lines(Tree(bare_model("five_bar"))) == []
    assert "six legs" in PinocchioCpp().prepare(case("five_bar", "inverse_dynamics"))


@pytest.mark.slow
@pytest.mark.skipif(bool(pinocchio_cpp.missing_tools()), reason=pinocchio_cpp.missing_tools())
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("robot", ["pedrammehr2012", "lopes", "five_bar", "andrews"])
def test_harness(robot, function):
    if function == "inverse_dynamics" and robot in ("five_bar", "andrews"):
        return  # not a robot of that route
    peer = PinocchioCpp()
    try:
        line = check(peer, case(robot, function))
        assert line.reason == "" and line.difference < 1e-9
        assert peer.seconds(1e-3) > 0 and peer.seconds(1e-3, threads=2) > 0
        assert Path(peer._place).exists()
    finally:
        peer.close()
    assert not Path(peer._place).exists()
