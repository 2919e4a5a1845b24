"""[Lopes] part by part."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from gough_papers.along import Along, along
from gough_papers.cost import HEAD
from gough_papers.lopes import costs, figures
from gough_papers.lopes.sweep import sweep
from gough_papers.lopes.table1 import table1
from gough_papers.report.section import Grid, Section

if TYPE_CHECKING:
    from gough_papers.workshop import Workshop

SCENARIOS = ("lopes_p1p2p1", "lopes_simplified_p1p2p1")


class Lopes:
    """The parts in their order."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("The 6-PUS robot along P1 → P2 → P1 (Figs. 4 and 5)", self.forces),
            ("Operations (Table 1)", self.operations),
            ("When the simplified model is good enough", self.speed),
            ("Misprints, and what each costs", self.misprints),
        ]

    @cached_property
    def runs(self) -> tuple[Along, Along]:
        """Complete and simplified."""
        complete, simplified = (
            along(self.shop.model(name), s) for name, s in zip(("lopes", "lopes_simplified"), SCENARIOS, strict=True)
        )
        return complete, simplified

    def forces(self, section: Section) -> None:
        """Both models along the motion."""
        from gough_papers.report.animation import animation
        from gough_papers.report.skeleton import hexapod

        self.shop.tell("lopes: both models along P1 → P2 → P1 …")
        complete, simplified = self.runs
        rows = []
        for run in self.runs:
            section.comparisons += run.comparisons()
            rows.append((run.scenario.robot, *run.cost().cells, f"{abs(run.forces).max():.3f}"))
        head = ("model", *HEAD, "max |f| N")
        section.grids.append(Grid(head, tuple(rows), head[1:], "Inverse dynamics, parameters are inputs"))
        section.said.append(
            "Duration, spline constants and the layout of the joints are not printed; ours are below. The forces "
            "at rest at P1 and P2 do not "
            "depend on the duration."
        )
        ours = "T = 2 s each way is ours"
        self.shop.draw(
            section, "fig4", f"Lengths of the actuators; {ours}.", lambda: figures.draw_actuators(complete), "Fig. 4"
        )
        caption = f"Forces by the complete and the simplified model, and their difference; {ours}."
        self.shop.draw(section, "fig5", caption, lambda: figures.draw_forces(complete, simplified), "Fig. 5")
        if self.shop.draws:
            points, lines = hexapod(complete.model, complete.q, ("base", "actuator"))
            section.moving = animation(complete.states.t, points, lines, "P1 → P2 → P1, complete model.")

    def operations(self, section: Section) -> None:
        """The table, body by body."""
        self.shop.tell("lopes: counting operations, body by body …")
        found = table1(self.shop.model("lopes"))
        section.said.append(
            "The paper forms each body's matrices and adds them; how it counted is not stated. Ours: one program "
            "with shared terms, numeric "
            "parameters, joint coordinates known, sines and cosines apart. A formulation made by hand for this "
            "one robot (links as thin rods) "
            "needs 192/235/6 for the inertia and 379/514/6 for the Coriolis matrix."
        )
        section.grids.append(found.grid())
        section.comparisons += found.comparisons()
        section.data["operations"] = {
            name: {"coriolis": c.operations, "inertia": m.operations} for name, (c, m) in found.ours.items()
        }

    def speed(self, section: Section) -> None:
        """Faster and faster."""
        self.shop.tell("lopes: complete and simplified model at nine speeds …")
        found = sweep(*(run.model for run in self.runs))
        section.grids.append(found.grid())
        section.comparisons += found.comparisons()
        section.said.append(
            "“Similar for both models”, says the paper. At rest they differ by 0.01 N, because m_L1 + m_L2 is 1 "
            "g less than m_L. The difference "
            f"stays within 2 % of the largest force down to about {found.good_until(0.02):.1f} s one way, within "
            "5 % down to about "
            f"{found.good_until(0.05):.1f} s; faster motions need the links' own inertia."
        )
        section.data["sweep"] = {"difference_N": found.difference, "share": found.share}
        self.shop.draw(section, "sweep", "How the difference of the models grows with the speed.", found.draw)

    def misprints(self, section: Section) -> None:
        """Those that the library's matrices show are computed, the others quoted."""
        from gough_papers.lopes.paper import PAPER
        from gough_papers.report.misprints import misprint_grids, misprint_note

        self.shop.tell("lopes: misprints …")
        found = costs.costs(self.shop.model("lopes"))
        section.said.append(misprint_note(PAPER))
        now = {name: " and ".join(f"{100 * x:.3g} %" for x in value) for name, value in found.items()}
        section.grids += misprint_grids(PAPER, now)
        section.comparisons += costs.comparisons(found)
        section.data["misprints"] = found
