"""Rivals: each gives the truth where it solves the same problem and is named where it does not; the table has all of it.

Drake, MJX and MuJoCo Warp are compared where they are installed; Pinocchio, MuJoCo and Exudyn always.
"""

import csv
import json

import numpy as np
import pytest

from bench.cases import bare_model, case
from cli.command import gough, gough_json
from gough import UsageError
from gough_bench.drake_peer import DrakeComposed, DrakeStep
from gough_bench.exudyn_peer import Exudyn
from gough_bench.grbda_peer import Clusters
from gough_bench.measure import check
from gough_bench.mujoco_batches import Mjx, MuJoCoRollout, MuJoCoWarp
from gough_bench.mujoco_peer import MuJoCo
from gough_bench.peer import Case, Peer
from gough_bench.pinocchio import PinocchioComposed, PinocchioLoops
from gough_bench.pinocchio_cpp import PinocchioCpp
from gough_bench.rivals import EFFORT, SUBJECTS, run_rivals, short_effort
from gough_bench.rivals_report import behind, closer, idle_threads, rivals_markdown, write_rivals
from gough_bench.run import bare_model as bare
from gough_bench.run import judged_case
from gough_bench.states import PeerStates, random_states

ROBOTS = ("pedrammehr2012", "delta", "five_bar", "four_bar_chain")


def judged(robot: str, function: str) -> Case:
    return judged_case(bare_model(robot), function, case(robot, function, 4).states)


def at_rest(asked: Case) -> Case:
    """The same states without velocities."""
    s = asked.states
    still = PeerStates(s.q, 0 * s.v, s.acceleration, s.tau, 0 * s.u, s.ud)
    return judged_case(asked.model, asked.function, still)


def checked(peer: Peer, asked: Case) -> float:
    """The peer's difference; skipped where it is not installed."""
    if reason := peer.available():
        pytest.skip(reason)
    line = check(peer, asked, time_wrong=True)
    peer.close()
    assert not line.reason
    return line.difference


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize(
    ("kind", "tolerance"), [(PinocchioLoops, 1e-6), (Exudyn, 1e-5), (MuJoCoRollout, 1e-4), (DrakeComposed, 1e-9)]
)
def test_accelerations(kind, tolerance, robot):
    assert checked(kind(), judged(robot, "forward_dynamics")) < tolerance


@pytest.mark.parametrize("robot", ROBOTS[:3])
@pytest.mark.parametrize("kind", [PinocchioComposed, DrakeComposed])
def test_drive_forces_composed_by_hand(kind, robot):
    assert checked(kind(), judged(robot, "inverse_dynamics")) < 1e-11


@pytest.mark.parametrize(
    ("kind", "tolerance"),
    [
        (DrakeStep, 1e-3),
        pytest.param(Mjx, 1e-5, marks=pytest.mark.slow),
        pytest.param(MuJoCoWarp, 1e-2, marks=pytest.mark.slow),
    ],
)
def test_right_at_rest_and_wrong_in_motion(kind, tolerance):
    """Their loops have no K̇ u: the table says wrong, and this is why."""
    asked = judged("five_bar", "forward_dynamics")
    assert checked(kind(), at_rest(asked)) < tolerance
    assert checked(kind(), asked) > 0.1


def test_a_platform_that_bends_in_exudyn():
    """Floating frames with modes by another program: deformed states with elastic rates."""
    model = bare(SUBJECTS["flexible"].robot())
    s = random_states(model, 4)
    rng = np.random.default_rng(3)
    step = np.zeros((4, model.layout.nv))
    step[:, 6:] = 1e-3 * rng.normal(size=(4, 10))
    q = model.integrate(s.q, step)
    assert np.abs(q[:, 7:17]).max() > 1e-3
    vdot = model.forward_dynamics(q, s.v, s.tau).vdot
    moved = model.function("joint_motion").values(q=q, v=s.v, vdot=vdot, parameters=model.parameters)
    states = PeerStates(q, s.v, vdot, s.tau, moved["u"], moved["ud"])
    assert checked(Exudyn(), Case(model, "forward_dynamics", states)) < 1e-7


def test_what_bends_is_not_for_trees():
    assert "bend" in PinocchioLoops().prepare(case("long2014", "forward_dynamics", 2))
    assert "rotor" in Exudyn().prepare(case("long2014", "forward_dynamics", 2))


def test_missing_source_of_clusters_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("GRBDA_SOURCE", str(tmp_path))
    assert "ROAM-Lab-ND/generalized_rbda" in Clusters().available()


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_clusters(robot, function):
    if function == "forward_dynamics" or bare_model(robot).driven:
        assert checked(Clusters(), judged(robot, function)) < 1e-9


# ---- the table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rivals")
    options = ("--rivals", "--quick", "--peers", "pinocchio-python,mujoco,exudyn", "--out", folder)
    return gough_json("bench", "five_bar,four_bars_2", *options), folder


def test_rows(table):
    result, _ = table
    assert set(result) == {"format", "scope", "machine", "robots", "interrupted"}
    assert set(result["robots"]) == {"five_bar", "four_bars_2"}
    assert set(result["robots"]["four_bars_2"]["functions"]) == {"forward_dynamics"}
    rows = result["robots"]["five_bar"]["functions"]["inverse_dynamics"]["rows"]
    wrong = next(row for row in rows if row["peer"] == "MuJoCo")
    assert (
        wrong["reason"].startswith("wrong answer") and wrong["reason"].endswith("to the truth") and wrong["best_ns"] > 0
    )
    own = [row for row in rows if row["peer"] == "gough" and row["single"]]
    assert [row["ratio_alike"] for row in own] == [1.0] and own[0]["difference"] < 1e-12


def test_files(table):
    result, folder = table
    assert json.loads((folder / "rivals.json").read_text()) == result
    page = (folder / "rivals.md").read_text()
    assert "**wrong**" in page and "Where gough is not ahead" in page and "Exudyn" in page
    rows = list(csv.DictReader((folder / "rivals.csv").open()))
    assert len(rows) == sum(len(f["rows"]) for r in result["robots"].values() for f in r["functions"].values())


def test_a_faster_rival_is_named(table):
    result = json.loads(json.dumps(table[0]))
    rows = result["robots"]["five_bar"]["functions"]["forward_dynamics"]["rows"]
    fast = next(row for row in rows if row["peer"] == "Pinocchio Python")
    fast["ratio_alike"] = 0.5
    assert any("Pinocchio Python" in line and "0.5" in line for line in behind(result))
    assert "takes 0.5 of gough's time" in rivals_markdown(result)
    fast["reason"], fast["difference"] = "wrong answer: far off", 1.0
    assert not any("0.5 of" in line for line in behind(result))


def test_nearer_rivals_and_idle_threads_are_named(table):
    result = json.loads(json.dumps(table[0]))
    rows = result["robots"]["five_bar"]["functions"]["forward_dynamics"]["rows"]
    own = [row for row in rows if row["call"] == "Function on a batch"]
    own[0]["difference"], near = 1e-13, next(row for row in rows if row["peer"] == "Pinocchio Python")
    near["difference"] = 2e-14
    assert any("five_bar" in line and "2.0e-14" in line for line in closer(result))
    own.append({**own[0], "threads": 64, "best_ns": own[0]["best_ns"] + 1})
    rows.append(own[-1])
    assert any("64 threads" in line for line in idle_threads(result))
    page = rivals_markdown(result)
    assert "2.0e-14" in page and "64 threads" in page


def test_interrupted(tmp_path):
    def stop(text):
        if "checking" in text:
            raise KeyboardInterrupt

    found = run_rivals(["five_bar"], [], short_effort(EFFORT), say=stop)
    assert found["interrupted"] and "Interrupted" in write_rivals(found, tmp_path)[0].read_text()


def test_unknown_names():
    with pytest.raises(UsageError, match="hexapod"):
        run_rivals(["nothing"])
    with pytest.raises(UsageError, match="exudyn"):
        run_rivals(["five_bar"], ["nobody"])
    assert "four_bars_200" in gough("bench", "nothing", "--rivals", code=2)[1]


def test_the_page_says_how_to_read_it(table):
    """Scalar loops beside vectors, doubtful rows, itself as judge, what is wrong and why, labels of what could not be timed."""
    result = json.loads(json.dumps(table[0]))
    made = result["robots"]["five_bar"]["functions"]
    figures = made["inverse_dynamics"]
    ours = next(row for row in figures["rows"] if row["call"] == "exported C, one state a call")
    ours["best_ns"] = ours["best_ns"] or 100.0
    loop = {
        **ours,
        "peer": "Pinocchio C++",
        "call": "constraintDynamics",
        "best_ns": 4 * ours["best_ns"],
        "spread": 0.3,
    }
    loop |= {"ratio_alike": 40.0, "difference": 1e-12, "remark": ""}
    figures["rows"].append(loop)
    figures["judge"] = "gough"
    page = rivals_markdown(result)
    assert "40×, C 4× ? (1e-12)" in page and "30 % ?" in page and "(–)" in page
    assert "thin competition" in page and "`batch` in rivals.json" in page and "gough bench --rivals" in page
    assert "MuJoCo (mj_inverse): a motion that keeps the loops closed loads no soft constraint" in page
    assert "above 1e-06" in page and "mujoco " in page and "drake " not in page.split("\n")[2]


def test_labels_of_what_cannot_be_timed():
    """A rival that is not there, or cannot have the robot, is named by the call that was asked of it."""
    model = bare(SUBJECTS["flexible"].robot())
    states = random_states(model, 2)
    labels = {
        "inverse_dynamics": (
            "rnea, leg Jacobians, 6 x 6 solve",
            "mj_inverse",
            "CalcInverseDynamics",
            "inverseDynamics",
        ),
        "forward_dynamics": ("constraintDynamics", "mj_forward", "CalcMassMatrix", "forwardDynamics"),
    }
    for function, calls in labels.items():
        for kind, call in zip((PinocchioCpp, MuJoCo, DrakeComposed, Clusters), calls, strict=True):
            line = check(kind(), Case(model, function, states))
            assert line.reason and line.peer.call.startswith(call)
