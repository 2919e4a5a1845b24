"""One run of `gough bench`: functions of one robot against all peers that are there."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Robot, UsageError, build, load
from gough.dynamics.catalogue import FunctionKey, entry_of
from gough.frozen import FrozenDict
from gough_bench.drake_peer import DrakeComposed, DrakeStep
from gough_bench.exudyn_peer import Exudyn
from gough_bench.grbda_peer import Clusters
from gough_bench.machine import cores, machine
from gough_bench.measure import Peak, TimedLine, check, gpu_figures, measure
from gough_bench.mujoco_batches import Mjx, MuJoCoRollout, MuJoCoWarp
from gough_bench.mujoco_peer import MuJoCo
from gough_bench.ours import OurC, OurCall, Ours, OurSingle, OursPosed
from gough_bench.peer import Case, Peer
from gough_bench.pinocchio import PinocchioComposed, PinocchioLoops, PinocchioPython
from gough_bench.pinocchio_cpp import PinocchioCpp, PinocchioCppLoops
from gough_bench.program_peers import CasadiC, CasadiMachine, Jax
from gough_bench.start import start_times
from gough_bench.states import PeerStates, lossless_robot, random_states
from gough_bench.truth import true_answers

PEERS: dict[str, type[Peer]] = {
    "pinocchio": PinocchioCpp,
    "pinocchio-lcaba": PinocchioCppLoops,
    "pinocchio-python": PinocchioPython,
    "pinocchio-python-lcaba": PinocchioLoops,
    "pinocchio-python-inverse": PinocchioComposed,
    "mujoco": MuJoCo,
    "mujoco-rollout": MuJoCoRollout,
    "mjx": Mjx,
    "mujoco-warp": MuJoCoWarp,
    "drake": DrakeComposed,
    "drake-step": DrakeStep,
    "exudyn": Exudyn,
    "generalized_rbda": Clusters,
    "casadi": CasadiMachine,
    "casadi-c": CasadiC,
    "jax": Jax,
}
"""Peers by the names `--peers` takes."""
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
SCOPE = (
    "friction and springs left out; states assembled around home, the same for all; no wrench; joint coordinates known; "
    "double precision; parameters are inputs of gough's programs; times are the best of rounds in which all take turns"
)
ISSUE = "(instructions / lanes) / (measured peak rate of multiply-adds of one core) / (best time of a state, one core)"

PATIENCE = 20.0
"""A peer whose calls take this many times what is meant for it has fewer rounds."""


@dataclass(frozen=True)
class Effort:
    """How long is measured: states per peer, rounds, seconds of one measurement, states of one batch.

    Many short measurements: on a busy machine a long one is always interrupted, and slow peers would seem slower still.
    """

    states: int = 128
    rounds: int = 150
    budget: float = 0.002
    batch: int = 1 << 14


QUICK = Effort(states=16, rounds=3, budget=0.001, batch=256)


def run(
    robot: str,
    functions: Sequence[str] = FUNCTIONS,
    peers: Sequence[str] | None = None,
    effort: Effort | None = None,
    say: Callable[[str], None] = lambda text: None,
    options: Mapping[str, Any] = FrozenDict(),
) -> dict[str, Any]:
    """Measure; the result has the keys that `gough bench --help` lists. Ctrl-C ends it early with what is done.

    robot: a gallery name or a path. peers: names of PEERS, default all. say: called with what is being done. options: of
    `gough.load`, for another program's file.
    """
    effort = effort or Effort()
    unknown = [p for p in peers or () if p not in PEERS]
    if unknown:
        raise UsageError(f"no peer {', '.join(unknown)}; there are {', '.join(PEERS)}")
    model = bare_model(load_quietly(robot, options))
    for name in functions:
        entry_of(model.mechanism, FunctionKey.of(name))  # says which there are
    wanted = [name for name in functions if name != "inverse_dynamics" or model.driven]
    absent = {name: "fewer drives than freedoms" for name in functions if name not in wanted}
    result: dict[str, Any] = {
        "format": 1,
        "robot": model.robot.name,
        "scope": SCOPE,
        "share": ISSUE,
        "machine": machine(),
        "functions": {},
        "absent": absent,
        "interrupted": False,
    }
    say(f"{model.robot.name}: making {effort.states} states")
    states = random_states(model, effort.states)
    try:
        for name in wanted:
            made = result["functions"][name] = {}
            _one_function(judged_case(model, name, states), peers, effort, say, made)
            say(f"{name}: compiling in a process of its own")
            made["start"] = start_times(robot, name, options)
    except KeyboardInterrupt:
        result["interrupted"] = True
    return result


def load_quietly(robot: str, options: Mapping[str, Any] = FrozenDict()) -> Robot:
    """A robot without the warnings about it: `gough check` is for these. options: of `gough.load`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(robot, **options)


def bare_model(robot: Robot) -> Model:
    """The model of a robot as all peers get it: without friction and springs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(lossless_robot(robot))


def judged_case(model: Model, function: str, states: PeerStates) -> Case:
    """The case with the truth where it can be found otherwise."""
    return Case(model, function, states, true_answers(model, states, function))


def _one_function(
    case: Case,
    peers: Sequence[str] | None,
    effort: Effort,
    say: Callable[[str], None],
    made: dict[str, Any],
) -> None:
    """Fill `made` as figures come, so that an interrupted run keeps them."""
    everyone: list[Peer] = [
        Ours(effort.batch),
        OursPosed(effort.batch),
        OurSingle(),
        OurCall(),
        OurC(),
        *(PEERS[k]() for k in (peers if peers is not None else PEERS)),
    ]
    compare(case, everyone, effort, say, made)
    made["gpu"] = gpu_figures(case)


def compare(
    case: Case,
    everyone: Sequence[Peer],
    effort: Effort,
    say: Callable[[str], None],
    made: dict[str, Any],
    time_wrong: bool = False,
) -> None:
    """Check and time all peers in turn; fill `made` as figures come. Peers are closed at the end."""
    count = case.model.count(case.function).as_dict()
    made |= {"count": count, "states": len(case.states), "batch": effort.batch, "judge": case.judge, "rows": []}
    lines: list[TimedLine] = []
    try:
        for peer in everyone:
            say(f"{case.function}: checking {peer.name}")
            lines.append(check(peer, case, time_wrong))
            if peer.threads and cores() > 1 and not lines[-1].reason:
                lines.append(TimedLine(peer, cores(), lines[-1].difference, fault=lines[-1].fault))
        peak = Peak()
        rates: list[float] = []

        for _ in range(effort.rounds):
            rates += measure(lines, 1, effort.budget, peak, PATIENCE * effort.budget * effort.rounds)
            say(f"{case.function}: round {len(rates)} of {effort.rounds}")
            made |= figures(lines, max(rates), peak.lanes, count["instructions"])
    finally:
        for peer in everyone:
            peer.close()


def figures(lines: Sequence[TimedLine], rate: float, lanes: int, instructions: int) -> dict[str, Any]:
    """Rows with ratios to gough on as many threads, and gough's share of the issue limit.

    ratio: best over best; ratio_median: median over rounds of the ratio within a round; ratio_alike: best over the best of
    gough called the same way, one state a call from Python or many at once.
    """
    batch = {line.threads: line for line in lines if type(line.peer) is Ours}
    calls = [min(line.seconds) for line in lines if line.peer.name == "gough" and line.peer.single and line.seconds]
    rows = []
    for line in lines:
        row = line.figures()
        own = batch.get(line.threads)
        if own is not None and line.seconds and own.seconds:
            row["ratio"] = min(line.seconds) / min(own.seconds)
            pairs = list(zip(line.seconds, own.seconds, strict=False))
            row["ratio_median"] = float(np.median([a / b for a, b in pairs]))
        else:
            row["ratio"] = row["ratio_median"] = None
        row["ratio_alike"] = row["ratio"]
        if line.peer.single:
            row["ratio_alike"] = min(line.seconds) / min(calls) if line.seconds and calls else None
        rows.append(row)
    one = batch.get(1)
    best = min(one.seconds) if one is not None and one.seconds else float("nan")
    return {
        "rows": rows,
        "peak_instructions_per_s": rate,
        "issue_limit_ns": instructions / lanes / rate * 1e9,
        "share_of_issue_limit": instructions / lanes / rate / best,
    }
