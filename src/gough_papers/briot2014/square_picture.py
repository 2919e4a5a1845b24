"""A picture of 25 s of DualEMPS [Briot 2014, section 5]: slides, bending of the links, a rest and its spectrum."""

from typing import TYPE_CHECKING, Any

from gough_papers.report.canvas import COLORS, canvas, labelled

if TYPE_CHECKING:
    from gough.simulation.results.run import Run
    from gough_papers.briot2014.square import Square

TIPS = ("link13.tip.y", "link16.tip.y", "link23.tip.y")
REST = (1.6, 3.0)
"""s: the end of the first move and the begin of its rest."""
HIGHEST = 60.0
"""Hz that are drawn."""


def draw_square(made: "Square") -> Any:
    """Slides, bending with and without Coulomb friction, a rest in detail, its spectrum."""
    from gough_papers.briot2014.square import TABLE_3, rest_spectrum

    figure = canvas(11, 9.2)
    rows = [["slides"] * 2, ["with"] * 2, ["without"] * 2, ["detail", "spectrum"]]
    axes = figure.subplot_mosaic(rows, height_ratios=[0.7, 1, 1, 1.15])
    for k, name in enumerate(made.run.layout.drive_names):
        axes["slides"].plot(made.run.time, made.run["drives.position"][:, k], color=COLORS[k], label=name)
    labelled(axes["slides"], "Slides (prescribed)", "position (m)")
    axes["slides"].legend(loc="upper right")
    for panel, run in (("with", made.run), ("without", made.ringing)):
        _bending(axes[panel], run)
        labelled(axes[panel], f"Bending of the links {panel} Coulomb friction: tips across", "mm")
    axes["with"].legend(ncols=3, loc="upper right")
    for name in ("slides", "with", "without"):
        axes[name].set_xlim(0, 25)
    for run, label, color in ((made.ringing, "without Coulomb friction", COLORS[1]), (made.run, "with", COLORS[0])):
        part = run.between(*REST)
        axes["detail"].plot(part.time, 1e3 * part[TIPS[0]], color=color, label=label, linewidth=1.1)
    labelled(axes["detail"], "Link 13 where the first move ends (1.8 s)", "mm")
    axes["detail"].set_xlim(*REST)
    axes["detail"].legend(loc="lower right")
    hertz, lines = rest_spectrum(made.ringing, 0.0)
    shown = hertz < HIGHEST
    axes["spectrum"].plot(hertz[shown], lines[shown] / lines.max(), color=COLORS[1], linewidth=1.2)
    for f in TABLE_3["model"][:3]:
        axes["spectrum"].axvline(f, color="0.3", linewidth=0.8, linestyle=":")
    title = f"Spectrum of the first rest: {made.residual_hz:.2f} Hz (dotted: Table 3)"
    labelled(axes["spectrum"], title, "largest = 1", "frequency (Hz)")
    axes["spectrum"].set_xlim(0, HIGHEST)
    axes["spectrum"].set_ylim(0, 1.05)
    return figure


def _bending(axes: Any, run: "Run") -> None:
    for k, name in enumerate(TIPS):
        axes.plot(run.time, 1e3 * run[name], color=COLORS[k], linewidth=0.7, label=name.split(".")[0])
