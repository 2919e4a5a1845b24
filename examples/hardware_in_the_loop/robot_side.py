"""The robot's side of a rehearsal: a simulated robot that sends its encoders and obeys commands, over a network that fails.

    robot = StepperRobot(model, STEP)                                   # or FmuRobot("five_bar.fmu", model)
    found = rehearse(robot, ("127.0.0.1", port), samples=500, period=1e-3, network=Network(loss=0.01, late=0.02))
    print(found.report())

A sample: the encoders are read and sent; whatever commands arrived by then are looked at, and the one with the newest number
acts until the next sample. When none newer than `hold` samples is there the robot stops: it brakes, and does so until the end.

Two clocks. In lock-step every sample waits for the answers to what it sent, so the same seed gives the same numbers whatever
the machine does meanwhile. In real time samples begin when the clock says so, and a command that has not arrived in the first
half of a period comes too late for that sample. A sample that cannot begin in time, because this process was kept waiting,
moves those after it; the report says how late they began.
The network loses and delays packets by a table drawn from its seed before the begin, by whole samples, on either clock.

Datagrams are those of wire.h. To put hardware in the place of this file, send and take the same; nothing else is asked.
"""

import math
import socket
import struct
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import gough

HEAD = struct.Struct("<IHHQQQQ")  # wire.h: magic, flags, count, sequence, sent, echo, status
MAGIC = 0x314C4847
READING, COMMAND, STOPPED, LATE, END = 1, 2, 4, 8, 16
LOST = -1
IN_TIME = 0.5
"""Part of a period in which commands are waited for in real time."""


@dataclass(frozen=True)
class Network:
    """What happens to packets, drawn from a seed.

    loss: part of them that never arrives. late: part that comes 1 to `most` samples later. lag: samples that every command
    takes besides. Both directions alike.
    """

    loss: float = 0.0
    late: float = 0.0
    most: int = 3
    lag: int = 0
    seed: int = 0

    def __post_init__(self):
        if not (0 <= self.loss <= 1 and 0 <= self.late <= 1 and self.most >= 1 and self.lag >= 0 and self.seed >= 0):
            raise ValueError(
                f"{self}: loss and late are parts from 0 to 1, most is 1 or more, lag and seed are 0 or more"
            )

    def fates(self, samples):
        """Delay (2, samples) of readings and of commands, in samples; LOST where there is none."""
        draw = np.random.default_rng(self.seed)
        lost = draw.random((2, samples)) < self.loss
        late = draw.random((2, samples)) < self.late
        delay = np.where(late, draw.integers(1, self.most + 1, (2, samples)), 0)
        delay[1] += self.lag
        return np.where(lost, LOST, delay)


class StepperRobot:
    """A robot that `gough.Stepper` moves, in steps of at most `step` (s)."""

    def __init__(self, model, step):
        self.model = model
        self.sim = gough.Stepper(model, method="rk4", longest_step=step, record=False)

    def readings(self):
        return self.model.drives(self.sim.q)

    def configuration(self):
        return self.sim.q

    def step(self, tau, dt):
        self.sim.step(tau, dt)

    def close(self):
        pass


class FmuRobot:
    """A robot that is an FMU of FMI 3.0, stepped as Co-Simulation by FMPy, in steps the file was made with."""

    def __init__(self, file, model):
        import fmpy
        import fmpy.fmi3

        about = fmpy.read_model_description(str(file))
        number = {x.name: x.valueReference for x in about.modelVariables}
        drives = model.layout.drive_names
        self.forces = [number[f"{name}.force"] for name in drives]
        self.positions = [number[f"{name}.position"] for name in drives]
        self.coordinates = [number[f"q.{name}"] for name in model.layout.q_names]
        self.folder = tempfile.TemporaryDirectory()
        unpacked = fmpy.extract(str(file), self.folder.name)
        self.fmu = fmpy.fmi3.FMU3Slave(
            guid=about.guid,
            unzipDirectory=unpacked,
            modelIdentifier=about.coSimulation.modelIdentifier,
            instanceName="robot",
        )
        self.fmu.instantiate()
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.count, self.dt = 0, 0.0

    def readings(self):
        return np.array(self.fmu.getFloat64(self.positions))

    def configuration(self):
        return np.array(self.fmu.getFloat64(self.coordinates))

    def step(self, tau, dt):
        self.fmu.setFloat64(self.forces, list(tau))
        self.fmu.doStep(self.count * dt, dt)
        self.count += 1

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
        self.folder.cleanup()


@dataclass
class Rehearsal:
    """What happened. Rows are samples; q has one more, the end."""

    period: float
    readings: np.ndarray
    forces: np.ndarray
    q: np.ndarray
    age: np.ndarray
    """(samples,) of the command that acted, in samples; 0 is one for this sample's reading."""
    stopped: int | None
    """Sample at which the robot stopped."""
    lag: int = 0
    """Samples that every command takes; one of that age is as fresh as can be."""
    counts: Counter = field(default_factory=Counter)
    round_trips: list = field(default_factory=list)
    """Of each command, from when its reading was sent until it was received (ns)."""
    behind: list = field(default_factory=list)
    """In real time, of each sample, how late it began (ns)."""

    def report(self):
        """Statistics as lines of text."""
        n, count = len(self.forces), self.counts
        moved = n if self.stopped is None else self.stopped
        fresh = int((self.age[:moved] <= self.lag).sum())
        lines = [
            f"{n} samples of {1e3 * self.period:g} ms",
            f"readings: {count['readings lost']} lost, {count['readings late']} late",
            f"commands: {count['commands lost']} lost, {count['commands late']} late, {count['overtaken']} overtaken",
            f"answers: {count['answered as late']} as late, {count['refused']} refused, {count['flagged']} flagged",
            f"acted: {fresh} fresh, {moved - fresh} held (oldest {self.age[:moved].max(initial=0)} samples), {n - moved} stopped",
        ]
        if self.stopped is not None:
            lines.append(f"stopped at sample {self.stopped}")
        if count["not in time"]:
            lines.append(f"not in time: {count['not in time']} samples without the answers they waited for")
        if count["nobody there"]:
            lines.append(f"nobody there: {count['nobody there']} times")
        for name, found in (("round trip", self.round_trips), ("samples began late by", self.behind)):
            if found:
                half, most, worst = np.percentile(found, [50, 99, 100]) / 1e3
                lines.append(f"{name} (µs): half of them {half:.0f}, 99 % {most:.0f}, worst {worst:.0f}")
        return "\n".join(lines)


class Link:
    """The socket, the network's failures, and the newest command."""

    def __init__(self, channel, drives, samples, network):
        self.channel, self.drives = channel, drives
        self.fates = network.fates(samples)
        self.lag = network.lag
        self.leaving, self.arriving, self.counts, self.round_trips = [], [], Counter(), []
        self.newest, self.force, self.told_to_stop = -1, np.zeros(drives), False

    def send(self, k, reading, flags):
        """This sample's reading, and those the network kept until now; the numbers of what was sent."""
        fate = self.fates[0, k]
        self.counts["readings lost"] += fate == LOST
        self.counts["readings late"] += fate > 0
        if fate != LOST:
            self.leaving.append((k + fate, k, reading))
        due = [x for x in self.leaving if x[0] <= k]
        self.leaving = [x for x in self.leaving if x[0] > k]
        for _, number, values in due:
            self._put(number, values, READING | flags)
        return {number for _, number, _ in due}

    def _put(self, number, values, flags):
        head = HEAD.pack(MAGIC, flags, self.drives, number, time.perf_counter_ns(), 0, 0)
        try:
            self.channel.send(head + struct.pack(f"<{self.drives}d", *values))
        except ConnectionRefusedError:  # told of an earlier packet: nobody listens there
            self.counts["nobody there"] += 1

    def receive(self, k, awaited, until):
        """Commands, until those awaited are there or the time (ns) has come; whether they are."""
        awaited = set(awaited)
        while awaited:
            left = (until - time.perf_counter_ns()) * 1e-9
            if left <= 0:
                return False
            self.channel.settimeout(left)
            try:
                data = self.channel.recv(2048)
            except TimeoutError:
                return False
            except ConnectionRefusedError:
                self.counts["nobody there"] += 1
                continue
            awaited.discard(self._take_in(k, data))
        return True

    def _take_in(self, k, data):
        """A datagram; the number it answers, None where it is none."""
        size = HEAD.size + 8 * self.drives
        magic, flags, count, number, _, echo, status = HEAD.unpack(data[: HEAD.size]) if len(data) == size else [0] * 7
        if magic != MAGIC or not flags & COMMAND or count != self.drives or number > k:
            self.counts["refused"] += 1
            return None
        values = np.array(struct.unpack_from(f"<{count}d", data, HEAD.size))
        self.round_trips.append(time.perf_counter_ns() - echo)
        fate = self.fates[1, number]
        if flags & LATE:
            self.counts["answered as late"] += 1
        elif fate == LOST:
            self.counts["commands lost"] += 1
        else:
            self.counts["commands late"] += fate > self.lag
            self.counts["flagged"] += status != 0
            self.arriving.append((k + fate, number, flags, values))
        return number

    def act(self, k):
        """The command with the newest number among those that have arrived."""
        due = [x for x in self.arriving if x[0] <= k]
        self.arriving = [x for x in self.arriving if x[0] > k]
        for _, number, flags, values in due:
            self.told_to_stop |= bool(flags & STOPPED) or not all(map(math.isfinite, values))
            if number > self.newest:
                self.newest, self.force = number, values
            else:
                self.counts["overtaken"] += 1
        return self.force

    def end(self):
        """Tell the controller; three times, for nobody answers."""
        there = self.counts["nobody there"]
        for _ in range(3):
            self._put(0, np.zeros(self.drives), READING | END)
        self.counts["nobody there"] = there  # it goes at the first one


def rehearse(robot, address, samples, period, network=None, *, real_time=False, hold=5, brake=1.0, patience=5.0):
    """Let the controller at (host, port) move a robot for some samples of `period` (s).

    hold: samples a command may act again when no newer one is there. brake (N·m·s/rad, N·s/m): force per speed of a drive once
    stopped. patience (s): in lock-step, how long the controller may take; then a RuntimeError.
    """
    reading = robot.readings()
    readings, forces, age, behind, stopped = [], [], [], [], None
    q = [robot.configuration()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect(address)
        link = Link(channel, len(reading), samples, network or Network())
        allowed = round((IN_TIME * period if real_time else patience) * 1e9)
        due = time.perf_counter_ns()
        for k in range(samples):
            if real_time:
                behind.append(_wait(due))
                due += behind[-1] if behind[-1] > allowed else 0
            before, reading = reading, robot.readings()
            awaited = link.send(k, reading, STOPPED if stopped is not None else 0)
            if not link.receive(k, awaited, (due if real_time else time.perf_counter_ns()) + allowed):
                if not real_time:
                    why = "; nobody listens there" if link.counts["nobody there"] else ""
                    raise RuntimeError(f"sample {k}: no answer from the controller at {address} in {patience:g} s{why}")
                link.counts["not in time"] += 1
            due += round(period * 1e9)
            force = link.act(k)
            age.append(k - link.newest)
            if stopped is None and (age[-1] > hold or link.told_to_stop):
                stopped = k
            if stopped is not None:
                force = -brake * (reading - before) / period
            robot.step(force, period)
            readings.append(reading)
            forces.append(force)
            q.append(robot.configuration())
        link.end()
    found = np.array(readings), np.array(forces), np.array(q), np.array(age)
    return Rehearsal(period, *found, stopped, link.lag, link.counts, link.round_trips, behind)


def _wait(due):
    """Until a time (ns); how late it is then."""
    while (left := due - time.perf_counter_ns()) > 0:
        time.sleep(left * 1e-9)
    return -left
