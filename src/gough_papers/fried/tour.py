"""[Fried] part by part."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from gough_papers.along import along
from gough_papers.comparison import at_least, equals
from gough_papers.cost import HEAD
from gough_papers.fried import costs, figures
from gough_papers.fried.carry import carry
from gough_papers.fried.joints import Joints, joints
from gough_papers.fried.lanes import lanes
from gough_papers.report.section import Grid, Section

if TYPE_CHECKING:
    from gough_papers.workshop import Workshop

CONSTANT, CONSTANT_DIGITS = 0.002, 0.0005
"""Relative error when the second link's inertia is taken as constant, by the transcription, and half a unit of its last digit."""


class Fried:
    """The parts in their order."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("The tool's trajectory and the active joints (Figs. 3–9)", self.figures),
            ("Forces that are known", self.forces),
            ("Legs in parallel: what the factorised form is for", self.parallel),
            ("Misprints, and what each costs", self.misprints),
        ]

    @cached_property
    def found(self) -> Joints:
        """Active joints along the assumed trajectory."""
        return joints(self.shop.model("fried"), carry())

    def figures(self, section: Section) -> None:
        """All seven."""
        from gough_papers.report.animation import View, animation
        from gough_papers.report.skeleton import hexapod

        self.shop.tell("fried: the assumed trajectory …")
        j, s = self.found, self.found.states
        section.said.append(
            "Assumed, because nothing of it is printed: base and platform points, mass centres, gravity, and the "
            "way of the tool. Printed: masses and inertias, "
            "and the constant orientation α = 15°, β = 10°, γ = 5°. So the figures have the paper's quantities "
            "and axes, not its numbers; x is up."
        )
        section.comparisons += j.comparisons()
        t = s.t
        drawn = (
            ("Fig. 3", "Way of the platform, orientation constant", lambda: figures.draw_path(j)),
            (
                "Fig. 4",
                "Velocity of the platform",
                lambda: figures.draw_cartesian(t, s.v[:, :3], "Velocity of the platform", "m/s"),
            ),
            (
                "Fig. 5",
                "Acceleration of the platform",
                lambda: figures.draw_cartesian(t, s.acceleration[:, :3], "Acceleration of the platform", "m/s²"),
            ),
            (
                "Fig. 6",
                "Positions of the active joints",
                lambda: figures.draw_joints(t, j.l, "Positions of the active joints", "length θ (m)"),
            ),
            (
                "Fig. 7",
                "Velocities of the active joints",
                lambda: figures.draw_joints(t, j.rate, "Velocities of the active joints", "m/s"),
            ),
            (
                "Fig. 8",
                "Accelerations of the active joints",
                lambda: figures.draw_joints(t, j.acceleration, "Accelerations of the active joints", "m/s²"),
            ),
            (
                "Fig. 9",
                "Forces of the active joints",
                lambda: figures.draw_joints(t, j.force, "Forces of the active joints", "force Γ (N)"),
            ),
        )
        for label, what, drawing in drawn:
            self.shop.draw(
                section,
                label.lower().replace(". ", ""),
                f"{what}; geometry and trajectory are assumed.",
                drawing,
                label,
            )
        if self.shop.draws:
            points, lines = hexapod(self.shop.model("fried"), j.q, ("link1",))
            section.moving = animation(
                t, points, lines, "The assumed trajectory; x is up.", View(turn=20.0, above=18.0, up=0)
            )

    def forces(self, section: Section) -> None:
        """The closed form at home."""
        self.shop.tell("fried: sway …")
        run = along(self.shop.model("fried"), "fried_sway")
        section.comparisons += run.comparisons()
        section.grids.append(
            Grid(("function", *HEAD), (("inverse dynamics", *run.cost().cells),), HEAD, "Cost, parameters are inputs")
        )
        section.said.append(
            "No force of the paper can be compared. At the assumed home all legs are alike, so virtual work "
            "gives the static force in closed form."
        )

    def parallel(self, section: Section) -> None:
        """Counted and measured."""
        self.shop.tell("fried: legs in the lanes of vectors …")
        s = self.found.states
        x = lanes(self.shop.model("fried"), self.found.q, s.v, s.acceleration)
        rows = [
            ("operations outside of the legs", str(x.once), ""),
            (f"operations of a leg, {x.lanes} alike", str(x.lane), ""),
            ("all, one after another", str(x.once + x.lanes * x.lane), ""),
            ("with a processor a leg", str(x.once + x.lane), f"{x.by_count:.2f} times fewer"),
        ]
        if x.flat_ns is not None and x.loops_ns is not None and x.measured is not None:
            rows += [
                ("one state, plain C (ns)", f"{x.flat_ns:.0f}", ""),
                (
                    "one state, legs in the lanes of vectors (ns)",
                    f"{x.loops_ns:.0f}",
                    f"{x.measured:.2f} times as fast",
                ),
            ]
            section.comparisons.append(
                equals(
                    "forces, legs in lanes minus plain",
                    x.off,
                    0.0,
                    "of max |f|",
                    1e-12,
                    "the same program, in another order",
                    form=".1e",
                )
            )
        else:
            section.said.append("No C compiler was found (cc, gcc, clang or CC): the times are left out.")
        section.said.append(
            "The paper factorises so that legs can be computed at the same time, and gives no time. The library "
            "finds the six legs in its own program: what differs between them are "
            "numbers. “One state”: inverse dynamics exported to C, one thread, one state a call."
        )
        section.grids.append(
            Grid(("inverse dynamics", "", " "), tuple(rows), ("", " "), "Parameters as numbers in the timed code")
        )
        section.comparisons.append(
            at_least("legs found alike", x.lanes, 6, "", "[Fried, eqs. 88–97]: independent until one sum", form=".0f")
        )
        section.data["lanes"] = vars(x) | {"by_count": x.by_count, "measured": x.measured}

    def misprints(self, section: Section) -> None:
        """The one that a changed design shows is computed."""
        from gough_papers.fried.paper import PAPER
        from gough_papers.report.misprints import misprint_grids, misprint_note

        self.shop.tell("fried: misprints …")
        model = self.shop.model("fried")
        pose, v, acceleration = costs.random_states()
        share = costs.constant_inertia(model, model.configuration(pose=pose), v, acceleration)
        section.said.append(misprint_note(PAPER))
        section.grids += misprint_grids(PAPER, {"constant": f"{100 * share:.2g} %"})
        section.comparisons.append(
            equals(
                "cost of (79), (82): inertia of link 2 taken as constant",
                100 * share,
                100 * CONSTANT,
                "%",
                100 * CONSTANT_DIGITS,
                "transcription of the printed equations",
                form=".2f",
            )
        )
        section.data["misprints"] = {"constant": share}
