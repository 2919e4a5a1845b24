"""[Fried] part by part: the active joints along an assumed trajectory, static forces, legs in parallel, misprints."""

from functools import cached_property
from typing import Any

import numpy as np

from gough import Model
from gough_papers.along import COST_HEAD, TIMED, inverse_cost, relative_error
from gough_papers.canvas import AXES, COLORS, LEGS, canvas, label_axes, plot_curves, put_legend_below
from gough_papers.comparison import TRANSCRIPTION, Demonstration, Origin, equals, exact, half_digit, rounding
from gough_papers.fried.carry import HEIGHT, ActiveJoints, active_joints, carry
from gough_papers.fried.lanes import lanes, legs_apart
from gough_papers.reproduction import Paper, Parts, Tour
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

CONSTANT, CONSTANT_DIGITS = 0.00226, 0.000005
"""Relative error when the second link's inertia is taken as constant, by the transcription, and half a unit of its last digit."""
FORCES = (7.090542, 24.493199, 28.823970, -2.200433, 27.050772, 4.270960)
"""N: drive forces at the first of the random states, by the transcription."""
CORRECTED = Origin("transcription", "the printed equations with all corrections")


class Fried(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            (
                "The tool's trajectory and the active joints (Figs. 3–9), geometry and trajectory ours",
                self.show_figures,
            ),
            ("Forces that are known, geometry and mass centres ours", self.compare_forces),
            ("Legs in parallel: what the factorised form is for", self.show_parallel_legs),
            ("Misprints, what is unsaid or simplified, and what each costs", self.show_misprints),
        ]

    @cached_property
    def joints(self) -> ActiveJoints:
        """Active joints along the assumed trajectory."""
        return active_joints(carry(self.shop.model("fried")))

    def show_figures(self, section: ReportSection) -> None:
        """All seven."""
        self.shop.tell("fried: the assumed trajectory …")
        j, run = self.joints, self.joints.run
        section.said.append(
            "Assumed, because it is not in the text we work from, which lacks the figures: base and platform points, mass "
            "centres, gravity, and the way of the tool. Given: masses and inertias, and the constant orientation α = 15°, "
            "β = 10°, γ = 5°. So our figures show the quantities that the captions name, not the paper's numbers; x is up. The "
            "comparisons here are of our own motion with what holds of any robot."
        )
        section.said.append(
            "Table 1 hints at more than is used here. The platform's tensor is that of a thin disc of 0.5 m radius; our points "
            "lie on 0.4 m. Link 2's is that of a cylinder of 50 mm radius and length θ − 0.83 m (a = ¼ m r² + m (θ − "
            "0.83)²/12), so at our home, with legs of 0.833 m, it has almost no length and its inertia hardly changes: what it "
            "costs to take that inertia as constant is about the smallest there."
        )
        section.comparisons += j.comparisons()
        assumed = "geometry and trajectory are assumed."
        caption = f"Way of the platform, orientation constant; {assumed}"
        self.shop.draw_figure(section, 3, caption, draw_path, run.time, run.q[:, :3])
        drawn = (
            ("Velocity of the platform", "m/s", run.v[:, :3]),
            ("Acceleration of the platform", "m/s²", run.acceleration[:, :3]),
            ("Positions of the active joints", "length θ (m)", j.l),
            ("Velocities of the active joints", "m/s", j.rate),
            ("Accelerations of the active joints", "m/s²", j.acceleration),
            ("Forces of the active joints", "force Γ (N)", run.tau),
        )
        for number, (what, unit, values) in enumerate(drawn, 4):
            how = "by geometry, where the paper takes (53); " if number == 8 else ""
            self.shop.draw_figure(section, number, f"{what}; {how}{assumed}", draw_curves, run.time, values, what, unit)
        self.shop.move(section, run, "The assumed trajectory; x is up.")

    def compare_forces(self, section: ReportSection) -> None:
        """The closed form at home."""
        self.shop.tell("fried: at home …")
        model, still = self.shop.model("fried"), np.zeros(6)
        found = model.inverse_dynamics(model.home, still, still).tau
        known = (static_force(),) * 6
        origin = exact("closed form by virtual work")
        section.comparisons.append(equals("fried: f at home", found, known, "N", rounding(1e-9), origin, form=".6f"))
        pose, v, acceleration = (x[:1] for x in random_states())
        found = model.inverse_dynamics(model.configuration(pose=pose), v, acceleration).tau[0]
        what, digits = "fried: f at the first random state", half_digit(5e-7)
        section.comparisons.append(equals(what, found, FORCES, "N", digits, CORRECTED, form=".6f"))
        cells = ("inverse dynamics", *inverse_cost(self.joints.run).cells)
        title = f"Cost, parameters are inputs; {TIMED}"
        section.grids.append(Grid(("function", *COST_HEAD), (cells,), COST_HEAD, title))
        section.said.append(
            "No force of the paper can be compared: the text gives none, and neither geometry nor trajectory. At the assumed "
            "home all legs are alike, so virtual work gives the static force in closed form. At a state in motion the library "
            "is compared with the paper's equations, all corrections on, for the same assumed geometry."
        )
        section.said.append(
            "The paper's factors H, P and W (eqs. 13–23, 57–73) are not in the library, which computes a leg's mass by "
            "recursion: they stand in the transcription alone (`tests/papers/fried.py`), where the product (21) is compared "
            "with (23) and (27), the product (73) with the recursion (57)–(58). H and W of (22), (62) and (63) are missing in "
            "our text: H is as (23) needs it and W is made so that (64)–(66) hold, so that they do is no finding. They hold of "
            "the right H_1 as well, whose column of β̇ is (sin γ, cos γ, 0)."
        )

    def show_parallel_legs(self, section: ReportSection) -> None:
        """Counted and measured."""
        self.shop.tell("fried: legs in the lanes of vectors …")
        x = lanes(self.joints.run)
        rows = [
            ("operations outside of the legs", str(x.once), ""),
            (f"operations of a leg, {x.lanes} alike", str(x.lane), ""),
            ("all, one after another", str(x.once + x.lanes * x.lane), ""),
            ("with a processor a leg", str(x.once + x.lane), f"{x.by_count:.2f} times fewer"),
        ]
        if x.flat_ns is not None and x.loops_ns is not None and x.measured is not None:
            fast = f"{x.measured:.2f} times as fast"
            rows.append(("one state, plain C (ns)", f"{x.flat_ns:.0f}", ""))
            rows.append(("one state, legs in the lanes of vectors (ns)", f"{x.loops_ns:.0f}", fast))
            what, why = "forces, legs in lanes minus plain, of max |f|", "the same program, in another order"
            section.demonstrations.append(Demonstration(what, f"{x.off:.1e}", why))
        else:
            section.said.append("No C compiler was found (cc, gcc, clang or CC): the times are left out.")
        section.said.append(
            "The paper factorises “with the aim of parallel algorithm developement”, and gives no count and no time. That legs "
            "are independent until one sum is shown: what each leg alone adds to the wrench on the platform, the others "
            "without mass, adds up to that of all. The library finds the six legs in its own program: what differs between "
            "them are numbers. “One state”: inverse dynamics exported to C, one thread, one state a call; the time above is a "
            "state's share of a batch on all threads. The count here is larger than the one above, because only what is zero "
            "in every leg is left out, so that legs stay alike."
        )
        title = "Parameters as numbers in the timed code"
        section.grids.append(Grid(("inverse dynamics", "", " "), tuple(rows), ("", " "), title))
        why = "the robot file has one template for all: “identical for all segments” [Fried, section 8]"
        section.demonstrations.append(Demonstration("legs found alike", str(x.lanes), why))
        apart = legs_apart(self.shop.model("fried"), *random_states())
        what = "wrench of all legs minus the sum of each alone, of the largest"
        why = "forces are linear in masses and inertias, in [Fried, eqs. 87, 94] as in any model"
        section.demonstrations.append(Demonstration(what, f"{apart:.1e}", why))
        section.data["lanes"] = vars(x) | {"by_count": x.by_count, "measured": x.measured}

    def show_misprints(self, section: ReportSection) -> None:
        """The one that a changed design shows is computed."""
        self.shop.tell("fried: misprints …")
        share = constant_inertia(self.shop.model("fried"), *random_states())
        tell_misprints(section, PAPER, {"constant": f"{100 * share:.3g} %"})
        section.said.append(
            f"The random states, from `numpy.random.default_rng({SEED})`: within {OFFSET:g} m of home, rotation vectors within "
            f"{ANGLE:g} rad, twists within {SPEED:g} m/s and rad/s, accelerations within {ACCELERATION:g} m/s² and rad/s², "
            f"each component uniform, {COUNT} states. “Offset”: mass centres of link 1 at (0.15, 0.02, −0.03) m, of link 2 at "
            "(−0.2, −0.02, 0.01) m, of the platform at (0.04, 0.03, −0.02) m."
        )
        what, known, digits = "inertia of link 2 taken as constant", 100 * CONSTANT, 100 * CONSTANT_DIGITS
        section.comparisons.append(
            equals(f"cost of (79): {what}", 100 * share, known, "%", half_digit(digits), TRANSCRIPTION, form=".3f")
        )
        section.data["misprints"] = {"constant": share}


PAPER = Paper.read("fried", Fried)


def static_force() -> float:
    """Force (N) of each drive at home, at rest.

    All six legs are alike there, so statics have a closed form: by virtual work along x (up, height X),
    6 f n = dU/dX with n = X/l,  U/g = m_P X + 6 [m_1 c_1 n + m_2 (l - c_2) n],  l² = X² + d²,  dn/dX = (1 - n²)/l:
    6 f n = g [m_P + 6 m_2 + 6 (m_1 c_1 - m_2 c_2) (1 - n²)/l].
    """
    base, platform, between = 0.6, 0.4, np.radians(36.0)  # assumed radii, m; angle between a leg's two ends
    m_P, m_1, m_2 = 3.0, 0.5, 1.0  # kg [Fried, Table 1]
    c_1, c_2 = 0.15, 0.2  # assumed, m
    l = float(np.sqrt(HEIGHT**2 + base**2 + platform**2 - 2 * base * platform * np.cos(between)))
    n = HEIGHT / l
    return 9.81 * (m_P + 6 * m_2 + 6 * (m_1 * c_1 - m_2 * c_2) * (1 - n**2) / l) / (6 * n)


# ---- figures


def draw_path(t: np.ndarray, p: np.ndarray) -> Any:
    """[Fried, Fig. 3]: the way in space, and over time."""
    figure = canvas(9.5, 3.9)
    ax = figure.add_subplot(1, 2, 1, projection="3d")
    ax.plot(p[:, 1], p[:, 2], p[:, 0], color=COLORS[0], linewidth=1.8)
    ax.set_xlabel("y (m)")
    ax.set_ylabel("z (m)")
    ax.set_zlabel("x (m), up")
    ax.locator_params(nbins=5)
    ax.set_title("Way of the platform", fontsize=10.5)
    flat = figure.add_subplot(1, 2, 2)
    plot_curves(flat, t, p - p[0], AXES)
    label_axes(flat, "From its first place", "displacement (m)")
    flat.legend(frameon=False, loc="lower right")
    return figure


def draw_curves(t: np.ndarray, values: np.ndarray, title: str, unit: str) -> Any:
    """[Fried, Figs. 4–9]: of the platform (n, 3), or of the active joints (n, 6)."""
    names = AXES if values.shape[1] == 3 else LEGS
    figure = canvas(8.6, 3.5) if names is AXES else canvas(9.2, 3.8)
    ax = figure.subplots()
    plot_curves(ax, t, values, names)
    label_axes(ax, title, unit)
    put_legend_below(figure, ax, len(names))
    return figure


# ---- what it costs to take the second link's inertia as constant in (79)

OFFSET, ANGLE, SPEED, ACCELERATION = 0.1, 0.3, 1.0, 5.0
"""m, rad, m/s and rad/s, m/s² and rad/s²: half-widths of the random states."""
COUNT, SEED = 10, 2
"""The states are those on which the transcription of the printed equations was measured."""


def random_states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(pose (n, 7), v (n, 6), acceleration (n, 6)) about home."""
    rng = np.random.default_rng(SEED)
    pose, v, acceleration = [], [], []
    for _ in range(COUNT):
        place, turn = np.array((HEIGHT, 0.0, 0.0)) + rng.uniform(-OFFSET, OFFSET, 3), rng.uniform(-ANGLE, ANGLE, 3)
        angle = np.linalg.norm(turn)
        pose.append([*place, np.cos(angle / 2), *(np.sin(angle / 2) / angle * turn)])
        v.append(rng.uniform(-SPEED, SPEED, 6))
        acceleration.append(rng.uniform(-ACCELERATION, ACCELERATION, 6))
    return np.array(pose), np.array(v), np.array(acceleration)


def constant_inertia(model: Model, pose: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> float:
    """Largest error over the largest force of the same state, all states. At every state a design of its own: the inertia that
    the link has at that length, but none of its change."""
    q = model.configuration(pose=pose)
    right = model.inverse_dynamics(q, v, acceleration).tau
    value = dict(zip(model.parameter_names, map(float, model.parameters), strict=True))
    lengths = model.drives(q)
    changes: dict[str, float | np.ndarray] = {}
    for k, leg in enumerate(model.robot.legs):
        for axis in ("YY", "ZZ"):
            name = f"{leg.name}.link2.telescopic.{axis}"
            powers = [value[f"{name}{i}"] for i in range(3)]
            changes[f"{name}0"] = sum(c * lengths[:, k] ** i for i, c in enumerate(powers))
            changes |= {f"{name}{i}": np.zeros(len(q)) for i in (1, 2)}
    wrong = model.inverse_dynamics(q, v, acceleration, parameters=model.parameters_with(changes)).tau
    return relative_error(wrong, right)
