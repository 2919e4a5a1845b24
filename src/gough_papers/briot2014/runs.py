"""Runs of DualEMPS [Briot 2014, section 5]: 25 s of a square in joint space (scenario `briot2014_square`), one turn of a circle
of the end-effector (motion `briot2014_circle`), and what an accelerometer at point P of link 17 would have measured.

The circle's slides are led as undeformed links would need it; the links then vibrate. One turn, at full speed from the first
moment: how the authors brought the robot onto the circle is not stated.
"""

from dataclasses import dataclass

import numpy as np

from gough import Run, Scenario, build, load_motion, named_motion, natural_frequencies
from gough.motions import spline, states_along
from gough.robot.friction import change_friction
from gough.spatial.poses import rotation_of_quaternion
from gough_papers.comparison import BALANCE, Demonstration, KnownComparison, Tolerance, at_most, exact
from gough_papers.reproduction import finished_run

SQUARE, CIRCLE = "briot2014_square", "briot2014_circle"
LESS = 0.5
"""Of what the energy balance lacks, with half the step: between the quarter of a method of second order and the whole of work
that is not booked."""
ESTIMATE = Tolerance(0.01, "what the estimate leaves of a made-up vibration of known frequency (tests)")
"""Hz, of a frequency read from a rest."""
PERIOD, SETTLED = named_motion(SQUARE).duration / 4, 2.0
"""s: of an edge of the square; from its begin until the drives have stopped and the higher modes can be told apart."""
RADIUS, SPEED, CENTRE = 0.1, 0.20, (0.28, 0.90)
"""m, m/s, m (x0, z0) of the circle, as printed."""
KNOTS = 201
CUT_OFF = 100.0
"""Hz: of the low-pass filter that the paper puts on its measurement."""
RATE = 2000.0
"""Hz: of the even samples that are filtered."""


@dataclass(frozen=True)
class Stepped:
    """A run, and the same with half its step."""

    run: Run
    finer: Run

    @property
    def lacks(self) -> tuple[float, float]:
        """(at the step, at half of it): largest lack of the energy balance, of the energy exchanged."""
        coarse, fine = (run.summary()["energy_error"] for run in (self.run, self.finer))
        return coarse, fine

    @property
    def bending_change(self) -> float:
        """The largest change of a coordinate of bending with half the step, of the largest size of that coordinate, at the times
        that both runs keep."""
        times = [np.round(run.time, 9) for run in (self.run, self.finer)]
        _, at, then = np.intersect1d(times[0], times[1], return_indices=True)
        bending = [k for k, name in enumerate(self.run.layout.q_names) if name.endswith((".tip.y", ".tip.rz"))]
        e, f = self.run.q[at][:, bending], self.finer.q[then][:, bending]
        return float((np.abs(e - f).max(axis=0) / np.abs(f).max(axis=0)).max())

    def comparison(self, what: str) -> KnownComparison:
        """Whether the balance closes as the method's order says."""
        coarse, fine = self.lacks
        reason = "second order leaves a quarter, work that is not booked would leave all"
        quantity = f"{what}: energy balance, its lack with half the step over that with the step"
        return at_most(quantity, fine / coarse, LESS, "", BALANCE, reason, note=f"lacks {coarse:.1e}, then {fine:.1e}")


@dataclass(frozen=True)
class Square:
    """with_friction: the scenario as it is. without: the same without Coulomb friction, which would stop the links at every
    rest."""

    with_friction: Stepped
    without: Stepped

    @property
    def run(self) -> Run:
        """With Coulomb friction."""
        return self.with_friction.run

    @property
    def ringing(self) -> Run:
        """Without."""
        return self.without.run

    @property
    def residual_hz(self) -> np.ndarray:
        """(4,): the strongest frequency of link 13's tip while the drives rest, at each corner."""
        return np.array([residual_frequency(self.ringing, PERIOD * k) for k in range(4)])

    @property
    def linear_hz(self) -> np.ndarray:
        """(4,): the first natural frequency of the same model at each corner, drives locked, undeformed."""
        run = self.ringing
        ends = [int(np.searchsorted(run.time, PERIOD * (k + 1) - 1e-6)) - 1 for k in range(4)]
        q = run.model.configuration(drives=run["drives.position"][ends], near=run.model.home)
        return np.array([natural_frequencies(run.model, x, about="undeformed").frequencies_hz[0] for x in q])

    def comparisons(self) -> list[KnownComparison]:
        """With small vibrations and with balances."""
        what = "residual vibration at the four rests, no Coulomb friction: largest distance from f1"
        origin = exact("f1 of the same model, linear, at the same corners")
        ours, linear = self.residual_hz, self.linear_hz
        note = f"{', '.join(f'{f:.3f}' for f in ours)} Hz beside {', '.join(f'{f:.3f}' for f in linear)} Hz"
        return [
            at_most(what, float(np.abs(ours - linear).max()), ESTIMATE.size, "Hz", origin, ESTIMATE.reason, note=note),
            self.with_friction.comparison("square, with Coulomb friction"),
            self.without.comparison("square, without Coulomb friction"),
        ]


def stepped_runs(scenario: Scenario) -> Stepped:
    """The scenario with its step and with half of it; most states are kept at the same times."""
    assert scenario.step is not None and scenario.every is not None
    return Stepped(
        finished_run(scenario),
        finished_run(scenario.with_(step=scenario.step / 2, every=2 * scenario.every, check="off")),
    )


def square_runs(scenario: Scenario) -> Square:
    """The scenario with Coulomb friction and without."""

    smooth = scenario.with_(model=build(change_friction(scenario.model.robot, coulomb=0.0)), check="off")
    return Square(stepped_runs(scenario), stepped_runs(smooth))


def rest_spectrum(run: Run, begin: float) -> tuple[np.ndarray, np.ndarray]:
    """(frequencies (n,), Hz; amplitudes (n,)) of link 13's tip in the rest of the edge begun at `begin` (s); Hann window."""
    part = run.between(begin + SETTLED, begin + PERIOD - 1e-9)
    times = np.linspace(part.time[0], part.time[-1], 4096)
    y = np.interp(times, part.time, part["link13.tip.y"])
    lines = np.abs(np.fft.rfft((y - y.mean()) * np.hanning(len(y))))
    return np.fft.rfftfreq(len(y), times[1] - times[0]), lines


def residual_frequency(run: Run, begin: float) -> float:
    """Hz: the highest line of that spectrum. A rest of 4 s resolves 0.25 Hz; a parabola through the logarithms of the highest
    three lines does better."""
    hertz, lines = rest_spectrum(run, begin)
    k = int(lines[1:-1].argmax()) + 1
    a, b, c = np.log(lines[k - 1 : k + 2])
    return float((k + 0.5 * (a - c) / (a - 2 * b + c)) * hertz[1])


def circle_runs(scenario: Scenario) -> Stepped:
    """One turn with the model and the settings of the square."""

    model = scenario.model
    path = load_motion(CIRCLE, model)
    t = np.linspace(0.0, path.duration, KNOTS)
    drives = model.drives(states_along(model, path, t).q)
    drives[-1] = drives[0]
    led = {name: drives[:, k] for k, name in enumerate(model.layout.drive_names)}
    motion = spline(times=t, drives=led, degree=5, ends="periodic")
    return stepped_runs(scenario.with_(motion=motion, duration=path.duration, check="off"))


def circle_demonstrations(run: Run) -> list[Demonstration]:
    """What the text says of the circle, and what came of it with links that bend."""
    P = run["link17.pose"][:, :3]
    speed = np.linalg.norm(run["link17.twist"][:, :3], axis=1).mean()
    away = np.hypot(P[:, 0] - CENTRE[0], P[:, 2] - CENTRE[1]).mean()
    why = "the slides are led so that undeformed links do this"
    return [
        Demonstration(f"circle: mean distance of P from the centre, {RADIUS:g} m in the text", f"{away:.5f} m", why),
        Demonstration(f"circle: mean speed of P, {SPEED:g} m/s in the text", f"{speed:.4f} m/s", why),
    ]


def acceleration_of_P(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """(t (n,), s; ¹⁷ÿ_P (n,), m/s²): filtered at 100 Hz forwards and backwards, so that nothing is shifted in time."""
    from scipy.signal import butter, sosfiltfilt

    t = np.arange(run.time[0], run.time[-1], 1.0 / RATE)
    velocity = _even(run.time, run["link17.twist"][:, :3], t)
    across = rotation_of_quaternion(_even(run.time, run["link17.pose"][:, 3:7], t))[:, :, 1]
    y = np.einsum("ni,ni->n", np.gradient(velocity, t, axis=0), across)
    return t, sosfiltfilt(butter(2, CUT_OFF, fs=RATE, output="sos"), y)


def _even(time: np.ndarray, values: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(t, time, column) for column in values.T], axis=1)
