"""Public calls with good arguments: what the fuzz of arguments spoils. Every call here works as it stands (tested)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.export import export, export_texts
from gough.robot import dump, dumps, loads


@dataclass(frozen=True)
class Call:
    """A function with good arguments by name; those that only have a position are in `positional`. optional: other
    parameters that may be given too. slow: at most this share of the fuzz's calls goes there."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Any, ...] = ()
    share: float = 1.0

    @property
    def spoilable(self) -> list[str]:
        """Names of arguments and of parameters that are left at their defaults."""
        try:
            known = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            known = []
        plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        more = [p.name for p in known if p.kind in plain and p.name not in self.arguments]
        places = [f"#{k}" for k in range(len(self.positional))]
        return [*self.arguments, *(more[len(self.positional) :] if self.positional else more), *places]

    def run(self, changed: dict[str, Any]) -> Any:
        """Call with some arguments replaced."""
        positional = [changed.get(f"#{k}", x) for k, x in enumerate(self.positional)]
        named = self.arguments | {k: x for k, x in changed.items() if not k.startswith("#")}
        return self.function(*positional, **named)


@cache
def model(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def calls(folder: Path) -> list[Call]:
    """All calls; files go to `folder`."""
    return [
        *_models(model("five_bar"), "five_bar", "pin"),
        *_models(model("lopes_simplified"), "hexapod", "platform"),
        *_functions(model("five_bar")),
        *_analyses(folder),
        *_files(folder),
        *_motions(folder),
        *_runs(folder),
        *_robots(),
    ]


def _models(m: gough.Model, tag: str, frame: str) -> Iterable[Call]:
    nv, n = m.layout.nv, len(m.mechanism.drives)
    frame = frame if frame in m.mechanism.frames else next(iter(m.mechanism.frames), frame)
    q, v, tau, a = m.home, np.full(nv, 0.1), np.full(n, 1.0), np.full(m.mobility, 0.2)
    state = {"q": q, "v": v}
    wrench = {"wrench": [0.0] * 6} if m.mechanism.has_platform else {}

    def of(name: str, /, **arguments: Any) -> Call:
        return Call(f"{tag}.{name}", getattr(m, name), arguments)

    yield of("inverse_dynamics", **state, acceleration=a, **wrench)
    yield of("forward_dynamics", **state, tau=tau, **wrench)
    for name in ("bias_force", "energies", "configuration_rate", "drive_rates", "integrate"):
        yield of(name, **state)
    for name in ("mass_matrix", "gravity_force", "drive_map", "drives", "closure_error", "project", "singularity"):
        yield of(name, q=q)
    yield of("limit_margins", **state, tau=tau)
    yield of("joint_reactions", **state, acceleration=a, **wrench)
    yield of("joint_reactions", **state, vdot=m.forward_dynamics(q, v, tau).vdot, tau=tau)
    yield of("coriolis_matrix", **state)
    yield of("coordinate_terms", **state)
    yield of("linearize", **state, tau=tau)
    yield of("configuration", drives=m.drives(q))
    yield of("assemble", drives=m.drives(q), near=q)
    yield of("forward_geometry", drives=m.drives(q))
    coordinates = {"x": 0.01} if m.mechanism.has_platform else {m.layout.q_names[0]: float(q[0])}
    yield of("assemble", coordinates=coordinates, near=None)
    yield of("parameters_with", changes={m.parameter_names[2]: -9.0})
    if frame in m.mechanism.frames:
        yield of("frame_pose", q=q, frame=frame)
        yield of("frame_twist", **state, frame=frame)
        yield of("frame_jacobian", q=q, frame=frame)
    if m.mechanism.has_platform:
        yield of("configuration", pose=q[:7])
        yield of("assemble", pose=(q[:3], np.eye(3)), branch=(0, 0))
        yield of("twist", **state)
        yield of("velocity", q=q, twist=np.full(6, 0.1))
        yield of("pose_array", pose=q[:7])
    yield of("function", name="mass_matrix")
    yield of("count", name="mass_matrix")
    yield Call(f"{tag}.tangent_derivative", m.tangent_derivative, {"mode": "jvp"}, ("drive_map", "q"))


def _functions(m: gough.Model) -> Iterable[Call]:
    f = m.function("inverse_dynamics")
    state = {
        "q": m.home,
        "v": [1.0, -2.0],
        "acceleration": [0.0, 0.0],
        "wrench": np.zeros(2),
        "parameters": m.parameters,
    }
    yield Call("Function", f, state)
    yield Call("Function.values", f.values, state)
    yield Call(
        "Function.chunks", lambda states=10, threads=None, **x: list(f.chunks(states, threads=threads, **x)), state
    )
    yield Call("Function.derivative", f.derivative, {"wrt": "v", "mode": "jvp"})
    yield Call("Function.compile", m.function("drive_map").compile, {"backend": "llvm"})
    yield Call("Function.to_casadi", m.function("drive_map").to_casadi, {"parameters": "design"})
    yield Call("set_threads", _threads, {"n": 2})
    yield Call("build", gough.build, {"robot": "five_bar"})


def _threads(n: Any) -> None:
    try:
        gough.set_threads(n)
    finally:
        gough.set_threads(None)


def _analyses(folder: Path) -> Iterable[Call]:
    m, h, bent = model("five_bar"), model("lopes_simplified"), model("flexible_slider_crank")
    q = m.home
    yield Call("static_equilibrium", gough.static_equilibrium, {"model": m, "q": q})
    yield Call("static_equilibrium h", gough.static_equilibrium, {"model": h, "pose": h.home_pose})
    yield Call("natural_frequencies", gough.natural_frequencies, {"model": m, "q": q, "drives": "free"})
    linear = gough.linear_model(m)
    yield Call("linear_model", gough.linear_model, {"model": m, "q": q, "outputs": ["states"]})
    yield Call("LinearModel.discrete", linear.discrete, {"period": 0.01})
    yield Call("LinearModel.response", linear.response, {"hz": [1.0, 10.0]})
    yield Call("zero_dynamics", gough.zero_dynamics, {"model": bent, "q": bent.home, "output": "floating"})
    yield Call("natural_frequencies bent", gough.natural_frequencies, {"model": bent})
    yield Call("assemblies", gough.assemblies, {"model": m, "drives": m.drives(q), "starts": 8}, share=0.5)
    joints = {
        name: (float(q[i]) - 0.1, float(q[i]) + 0.1, 3)
        for i, name in zip(m.drive_index, m.layout.drive_names, strict=True)
    }
    yield Call("workspace", gough.workspace, {"model": m, "ranges": joints}, share=0.5)
    yield Call(
        "vibration_map", gough.vibration_map, {"model": m, "ranges": joints, "count": 1, "drives": "free"}, share=0.5
    )
    found = gough.workspace(h, {"x": (-0.1, 0.1, 3), "z": (1.9, 2.1, 3)})
    yield Call("Workspace.save", found.save, {"path": folder / "w.npz"})
    yield Call("Workspace.plot", found.plot, {"path": folder / "w.png"}, share=0.3)
    yield Call("Workspace.grid", found.grid, {"array": found.verdict})
    found.save(folder / "kept.npz")
    yield Call("Workspace.load", gough.Workspace.load, {"path": folder / "kept.npz"})


def _files(folder: Path) -> Iterable[Call]:
    m = model("five_bar")
    text = dumps(m.robot)
    yield Call("load", gough.load, {"path_or_name": "five_bar"})
    yield Call("loads", loads, {"text": text})
    yield Call("dumps", dumps, {"robot": m.robot})
    yield Call("dump", dump, {"robot": m.robot, "path": folder / "r.yaml"})
    yield Call("export", export, {"model": m, "function": "drive_map", "folder": folder / "c"}, share=0.5)
    yield Call("Model.export", m.export, {"function": "drive_map", "folder": folder / "c"}, share=0.5)
    yield Call("export_texts", export_texts, {"model": m, "function": "drive_map"}, share=0.5)
    yield Call("load_motion", gough.load_motion, {"path_or_name": "briot2014_square"})
    yield Call("named_motion", gough.named_motion, {"name": "briot2014_square"})
    yield Call("load_scenario", gough.load_scenario, {"path_or_name": "lopes_p1p2p1"}, share=0.2)
    yield Call("viewer.export", gough.viewer.export, {"what": m, "path": folder / "page.html"}, share=0.2)


def _motions(folder: Path) -> Iterable[Call]:
    made, m = gough.motions, model("five_bar")
    points = [[0.0, 0.0], [0.2, 0.1], [0.3, 0.0]]
    plain = {"drives": points, "durations": [1.0, 1.0]}
    there = dict.fromkeys(("quintic", "septic", "trigonometric"), plain) | {"trapezoid": plain | {"ramps": 0.2}}
    there["s_curve"] = {"drives": points, "speed": 0.5, "acceleration": 3.0, "jerk": 90.0}
    there["polygon"] = {"drives": points, "durations": [1.0] * 3}
    for name in ("quintic", "septic", "s_curve", "trapezoid", "trigonometric", "polygon"):
        yield Call(f"motions.{name}", getattr(made, name), there[name])
    yield Call("motions.spline", made.spline, {"drives": points, "times": [0.0, 1.0, 2.0]})
    yield Call(
        "motions.circle", made.circle, {"point": [0.0, 0.4, 0.0], "radius": 0.05, "duration": 1.0, "frame": "tip"}
    )
    yield Call(
        "motions.square", made.square, {"point": [0.0, 0.4, 0.0], "side": 0.05, "durations": [1.0] * 4, "frame": "tip"}
    )
    yield Call(
        "motions.function",
        made.function,
        {"position": lambda t: [t, 2.0 * t], "duration": 1.0, "kind": "drives", "names": ["a", "b"]},
    )
    motion = made.quintic(drives=[m.drives(m.home), m.drives(m.home) + 0.05], durations=[0.5])
    yield Call("motions.chain", made.chain, {"parts": [motion]})
    yield Call("motions.table", made.table, {"motion": motion})
    yield Call("motions.shape", made.shape, {"motion": motion, "shaper": "zv", "frequency": 2.0, "damping": 0.1})
    yield Call("motions.states_along", made.states_along, {"model": m, "motion": motion, "t": [0.0, 0.2]})
    yield Call("motions.run_along", made.run_along, {"model": m, "motion": motion, "samples": 20})
    there = made.run_along(m, motion, samples=20)
    yield Call("Run.settling_time", there.settling_time, {"channel": "left_motor", "within": 0.1, "after": 0.0})
    bent = model("dualemps")
    yield Call("Modes.decay_times", gough.natural_frequencies(bent).decay_times, {"to": 0.1})
    yield Call(
        "motions.quiet",
        made.quiet,
        {"model": bent, "drives": [[0.0, 0.0], [0.1, 0.05]], "duration": 0.25, "samples": 9, "jerk": 3e3},
        share=0.2,
    )
    words = "format: 1\nname: move\nmotion: {quintic: {drives: {a: [0, 1], b: [0, 1]}, durations: [1]}}\n"
    yield Call("motions.read_motion", made.read_motion, {"text": words})
    yield Call("check_motion", gough.check_motion, {"model": m, "motion": motion, "samples": 20})
    yield Call("Motion.at", motion.at, {"t": 0.2})
    yield Call("Motion.hold", motion.hold, {"duration": 1.0})
    yield Call("Motion.slower", motion.slower, {"factor": 2.0})
    back = made.quintic(drives=[m.drives(m.home) + 0.05, m.drives(m.home)], durations=[0.5])
    yield Call("Motion.then", motion.then, {"jump": True}, (back,))
    for name, arguments in {
        "ComputedTorque": {},
        "JointPD": {"stiffness": 100.0, "damping": 10.0},
        "Free": {},
        "Follow": {},
        "GravityCompensation": {},
        "Sampled": {"law": gough.laws.JointPD(1.0, 1.0), "period": 0.01},
        "forces": {"times": [0.0, 1.0], "tau": [[0.0, 0.0], [1.0, 1.0]]},
        "drives_of": {"model": m, "motion": motion},
    }.items():
        yield Call(f"laws.{name}", getattr(gough.laws, name), arguments)
    for name, arguments in {
        "normal": {"mean": 1.0, "deviation": 0.1},
        "uniform": {"low": 0.0, "high": 1.0},
        "spread": {"deviation": 0.1},
        "within": {"part": 0.2},
        "sweep": {"what": {"gravity.z": [-9.0, -9.8]}},
        "monte_carlo": {"what": {"gravity.z": gough.vary.within(0.1)}, "runs": 4},
        "draw_estimates": {
            "model": model("five_bar"),
            "means": {"left_crank.M": 0.8, "right_crank.M": 0.8},
            "covariance": np.diag([1e-4, 1e-4]),
            "runs": 4,
        },
    }.items():
        yield Call(f"vary.{name}", getattr(gough.vary, name), arguments)
    named = {"values": {"left_crank.M": 0.9, "left_motor.offset": 1.0}, "sources": "weighed"}
    yield Call("Robot.with_parameters", model("five_bar").robot.with_parameters, named)


def _runs(folder: Path) -> Iterable[Call]:
    m = model("five_bar")
    quick = {"model": m, "duration": 0.02, "method": "rk4", "step": 0.005}
    run = gough.simulate(**quick)
    yield Call("simulate", gough.simulate, quick)
    yield Call(
        "simulate_many",
        gough.simulate_many,
        {"model": m, "q": np.stack([m.home] * 2), "duration": 0.02, "step": 0.005, "stored": 2},
    )
    yield Call("Run.between", run.between, {"start": 0.0, "end": 0.01})
    yield Call("Run.channel", run.channel, {"name": run.channels()[0].name})
    yield Call("Run.unit", run.unit, {"name": run.channels()[0].name})
    yield Call("Run.compare", run.compare, {"other": run})
    yield Call("Run.concatenate", gough.Run.concatenate, {"runs": [run], "shift": True})
    yield Call("Run.resample", run.resample, {"times": [0.0, 0.01]})
    yield Call("Run.save", run.save, {"path": folder / "run.npz"})
    yield Call("Run.plot", run.plot, {"path": folder / "run.png"}, (run.channels()[0].name,), share=0.2)
    run.save(folder / "kept_run.npz")
    yield Call("Run.load", gough.Run.load, {"path": folder / "kept_run.npz", "model": m})
    states = {"model": m, "time": run.time, "q": run.q, "v": run.v, "tau": run.tau}
    yield Call("Run.from_states", gough.Run.from_states, states)
    yield Call("laws.forces_of", gough.laws.forces_of, {"run": run})
    yield Call("Function of a run", run.described, {})


def _robots() -> Iterable[Call]:
    body = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}}
    ring = [[np.cos(a), np.sin(a), 0.0] for a in (0.1, 1.9, 2.3, 4.0, 4.4, 6.1)]
    turned = [[0.5 * np.cos(a), 0.5 * np.sin(a), 0.0] for a in (0.8, 1.2, 2.9, 3.3, 5.0, 5.4)]
    yield Call(
        "robots.hexapod",
        gough.robots.hexapod,
        {"base_points": ring, "platform_points": turned, "platform": body, "home": [0.0, 0.0, 1.0]},
    )
    yield Call("robots.four_bar_chain", gough.robots.four_bar_chain, {"n": 1})
    yield Call(
        "robots.delta",
        gough.robots.delta,
        {
            "base_radius": 0.2,
            "platform_radius": 0.05,
            "arm_length": 0.2,
            "rod_length": 0.5,
            "width": 0.05,
            "platform": body,
            "home": [0.0, 0.0, -0.45],
        },
    )
    yield Call(
        "robots.five_bar",
        gough.robots.five_bar,
        {"distance": 0.3, "crank_length": 0.3, "rod_length": 0.4, "home": [0.0, 0.4], "crank": body, "rod": body},
    )
