"""Samples for the test driver of a controller: readings that swing a little, and what the interpreter makes of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.program import Program
from gough.simulation.control.own_robot import Measured
from gough.simulation.run.law_sample import AFTER, LawSample

Vector = np.ndarray
SAMPLES, FEWER = 8, 3
"""Recorded samples, and those where an estimate makes each of them long."""
MOVED = 1e-4
"""How far readings swing, of a length or angle of 1."""
RELATIVE = {"double": 1e-9, "single": 2e-3}
"""Tolerance of a command, of the largest; on floats besides what one last place of the readings moves."""


def record_samples(law: LawSample, names: Sequence[str]) -> dict[str, Any]:
    """inputs by name (samples, n): readings that swing about those of the robot where it begins; commands (samples, drives),
    tolerance."""
    count = SAMPLES if law.rates_program is None else FEWER
    known = {key: _as_read(law, x) for key, x in _inputs(law, count).items()}
    commands = _commands(law, known, count)
    tolerance = RELATIVE[law.precision] * (float(np.abs(commands).max(initial=0.0)) or 1.0)
    if law.precision == "single":
        turns = np.where(np.arange(count) % 2, -1.0, 1.0)[:, None]
        other = {key: x + turns * np.spacing(np.abs(x).astype(np.float32)) for key, x in known.items()}
        tolerance += float(np.abs(_commands(law, other, count) - commands).max(initial=0.0))
    return {"inputs": {key: known[key] for key in names}, "commands": commands, "tolerance": tolerance}


def _commands(law: LawSample, known: dict[str, Vector], count: int) -> Vector:
    """(samples, drives)."""
    run = InterpretedLaw(law)
    return np.array([run.step({key: x[k] for key, x in known.items()}) for k in range(count)])


def _as_read(law: LawSample, x: Vector) -> Vector:
    """Numbers as the precision has them."""
    return x.astype(np.float32).astype(float) if law.precision == "single" else x


class InterpretedLaw:
    """The controller in the interpreter, step by step."""

    def __init__(self, law: LawSample) -> None:
        self.law, self.count = law, 0
        self.memory = {key: _as_read(law, x.copy()) for key, x in law.memory.items()}
        self.command = np.zeros(law.commands.size)
        self.sent: list[Vector] = []

    def step(self, inputs: dict[str, Vector]) -> Vector:
        """Commands (drives,) of one sample."""
        law, t = self.law, self.count * self.law.period
        known = self.memory | inputs | {"time": np.array([t]), "first": np.array([float(self.count == 0)])}
        known |= {"waits": np.array([float(self.count <= x) for x in law.waits]), "last_command": self.command}
        pieces = law.reference.pieces
        if law.follows and pieces is not None:
            at = int(np.searchsorted(pieces[:, 0], t + 1e-12 * (1.0 + t), side="right")) - 1
            row = pieces[max(at, 0)]
            known |= {"since": np.array([t - row[2]]), "piece": row[3:]}
        found = _evaluated(law.sample_program, known)
        self.command = found["command"]
        self.memory |= {key.removesuffix(AFTER): x for key, x in found.items() if key.endswith(AFTER)}
        self._go_on()
        self.count += 1
        return self.command

    def _go_on(self) -> None:
        program, (whole, part) = self.law.rates_program, self.law.on_the_way
        if program is None:
            return
        depth = whole + 1 + part
        self.sent = [self.command, *(self.sent or [self.command] * depth)][:depth]
        for held, steps in zip((self.sent[-1], self.sent[whole]), self.law.substeps, strict=True):
            for _ in range(steps):
                x, h = self.memory["estimate"], self.law.substep
                k1 = self._rates(program, x, held)
                k2 = self._rates(program, x + 0.5 * h * k1, held)
                k3 = self._rates(program, x + 0.5 * h * k2, held)
                k4 = self._rates(program, x + h * k3, held)
                self.memory["estimate"] = x + (k1 / 6.0 + k2 / 3.0 + k3 / 3.0 + k4 / 6.0) * h

    @staticmethod
    def _rates(program: Program, x: Vector, held: Vector) -> Vector:
        return _evaluated(program, {"estimate": x, "held": held})["rates"]


def _evaluated(program: Program, known: dict[str, Vector]) -> dict[str, Vector]:
    flat = np.concatenate([np.zeros(0), *(known[slot.name] for slot in program.inputs)])
    results, out, at = program.evaluate_flat(flat).astype(float), {}, 0
    for slot in program.outputs:
        out[slot.name] = results[at : at + slot.size]
        at += slot.size
    return out


def _inputs(law: LawSample, count: int) -> dict[str, Vector]:
    """Readings and references (samples, n)."""
    setup = law.setup
    model, nq, nv = setup.model, setup.model.layout.nq, setup.model.layout.nv
    q, v = setup.first[:nq], setup.first[nq : nq + nv]
    measured: Any = Measured(model, Numbers(model.mechanism, setup.numbers.astype(object)), q, v)
    truth: dict[str, Vector] = {"q": q, "v": v}
    for name, sensor in law.sensors:
        memory = {"line.fresh": np.ones(1), "velocity": np.zeros(3)}
        found = sensor.truth(measured, memory, sensor.numbers(model, law.period))
        truth[name] = np.asarray(found, dtype=float)
    out, k = {}, np.arange(count)[:, None]
    for x in law.readings:
        turns = 0.3 * k * (1.0 + 0.1 * np.arange(x.size))
        out[x.name] = truth[x.name] + (MOVED if law.sensors else 0.0) * np.sin(turns)
    if not law.follows:
        out |= {key: np.repeat(x, count, axis=0) for key, x in law.reference.usual.items()}
    return out
