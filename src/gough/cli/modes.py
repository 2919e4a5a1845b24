"""`gough modes`: how does a robot swing, and is it stable at rest?"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gough.cli.check import load_paths_of
from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import console, note, say, short, table, vector, write_json
from gough.cli.values import coordinate_values
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.analysis.convergence import Convergence
    from gough.analysis.modes import Modes
    from gough.model import Model


def show_modes(
    robot: RobotName,
    at: Annotated[list[str] | None, typer.Option("--at", help="NAME=VALUE of a coordinate; others as at home.")] = None,
    drives: Annotated[str, typer.Option("--drives", help="locked or free.")] = "locked",
    stiffness: Annotated[
        float | None, typer.Option("--stiffness", help="Servo stiffness of every drive, N/m or N m/rad.")
    ] = None,
    damping: Annotated[
        float, typer.Option("--damping", help="Servo damping of every drive, N s/m or N m s/rad.")
    ] = 0.0,
    undeformed: Annotated[
        bool, typer.Option("--undeformed", help="Nothing bent, no gravity, instead of static equilibrium.")
    ] = False,
    count: Annotated[int, typer.Option("--count", min=1, help="Modes to print.")] = 12,
    zero_dynamics: Annotated[
        str | None,
        typer.Option("--zero-dynamics", help="Also of the inverse model: 'floating' or a frame that is held."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Chart how much each coordinate moves in each mode (png, pdf, svg).")
    ] = None,
    converged: Annotated[
        bool, typer.Option("--converged", help="Also how far the frequencies move with richer flexible bodies (slow).")
    ] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Natural frequencies, damping and shapes of the closed robot about static equilibrium.

    JSON keys: robot, about, drives, verdict, stable, coordinates[] (names of v), modes[] (frequency_hz shape[]),
    eigenvalues[] (real imaginary damping decay_s: until 2 % are left, null: never), equilibrium (q tau elastic), zero_dynamics
    (output stable verdict eigenvalues[]), load_paths[] (bodies[] frame kind direction compliance missing text: loads that shapes
    do not follow), converged (frequencies_hz[] richer_hz[] change[] changed[] kept[]; null without --converged), files[].
    """
    from gough.analysis.modes import natural_frequencies
    from gough.analysis.zero_dynamics import zero_dynamics as held

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, _ = open_model(robot, quiet=json, variables=variables)
        if drives != "locked" and (stiffness is not None or damping):
            raise UsageError("--drives and the servo's --stiffness or --damping exclude each other")
        place = coordinate_values(at, "--at", model) if at else None
        q = None if place is None else model.configuration(coordinates=place)
        servo = drives if stiffness is None and not damping else {"stiffness": stiffness or 0.0, "damping": damping}
        found = natural_frequencies(model, q, servo, about="undeformed" if undeformed else "equilibrium")
        zeros = held(model, q, zero_dynamics) if zero_dynamics else None
        paths = load_paths_of(model)
        moved = None
        if converged:
            from gough.analysis.convergence import compare_with_richer as compared

            about = "undeformed" if undeformed else "equilibrium"
            moved = compared(model.robot, place, servo, about=about)
    files = []
    if figure:
        from gough.analysis.modes import draw_modes

        draw_modes(model, found, figure, count)
        files.append(str(figure))
    if json:
        write_json(
            report(model, found, servo, undeformed)
            | {"zero_dynamics": None if zeros is None else vars(zeros) | {"eigenvalues": _pairs(zeros.eigenvalues)}}
            | {"load_paths": paths, "converged": None if moved is None else vars(moved) | {"change": moved.change}}
            | {"files": files}
        )
        return
    _show(model, found, count)
    if moved is not None:
        _show_converged(moved, count)
    for path in paths:
        say(f"note: {path['text']}")
    if zeros is not None:
        say(f"inverse model: {zeros.verdict}")
    for name in files:
        note(f"written: {name}")


def report(model: "Model", found: "Modes", drives: Any, undeformed: bool) -> dict[str, Any]:
    """The documented keys."""
    return {
        "robot": model.robot.name,
        "about": "undeformed" if undeformed else "equilibrium",
        "drives": drives,
        "verdict": found.verdict,
        "stable": found.stable,
        "coordinates": model.layout.v_names,
        "modes": [
            {"frequency_hz": float(f), "shape": shape}
            for f, shape in zip(found.frequencies_hz, found.shapes.T, strict=True)
        ],
        "eigenvalues": [
            {"real": float(np.real(x)), "imaginary": float(np.imag(x)), "damping": float(d), "decay_s": float(s)}
            for x, d, s in zip(found.eigenvalues, found.damping, found.decay_times(), strict=True)
        ],
        "equilibrium": {"q": found.q, "tau": found.tau, "elastic": found.q[model.layout.elastic]},
    }


def _show_converged(moved: "Convergence", count: int) -> None:
    shown = table("mode", "Hz", "richer (Hz)", "change", numbers=("mode", "Hz", "richer (Hz)", "change"))
    there = len(moved.frequencies_hz)
    for k, then in enumerate(moved.richer_hz[:count]):
        now, change = (
            (short(moved.frequencies_hz[k], 6), f"{100 * moved.change[k]:+.2g} %") if k < there else ("none", "")
        )
        shown.add_row(str(k + 1), now, short(then, 6), change)
    console().print(shown)
    for text in moved.changed:
        say(f"richer: {text}")
    for text in moved.kept:
        say(f"as it was: {text}")


def _pairs(values: np.ndarray) -> list[list[float]]:
    return [[float(np.real(x)), float(np.imag(x))] for x in values]


def _show(model: "Model", found: "Modes", count: int) -> None:
    if len(found.tau):
        say(f"drive forces that hold it (N, N m): {vector(found.tau)}")
    if not len(found.frequencies_hz):
        say("nothing can move while the drives are locked")
        return
    from gough.analysis.modes import shapes_in_typical_size

    shapes = np.abs(shapes_in_typical_size(model, found))
    shown = table("mode", "Hz", "moves most", numbers=("mode", "Hz"))
    for k in range(min(count, len(found.frequencies_hz))):
        order = np.argsort(-shapes[:, k])[:3]
        names = ", ".join(model.layout.v_names[i] for i in order if shapes[i, k] > 0.05)
        shown.add_row(str(k + 1), short(found.frequencies_hz[k], 6), names)
    console().print(shown)
    rest = len(found.frequencies_hz) - count
    if rest > 0:
        say(f"and {rest} more (--count)")
    if np.any(np.real(found.eigenvalues)):
        columns = ("eigenvalue (1/s)", "Hz", "damping", "2 % left after (s)")
        shown, decay = table(*columns, numbers=columns), found.decay_times(to=0.02)
        growing = int(np.argmax(np.real(found.eigenvalues)))  # what the verdict speaks of, wherever it stands
        chosen = [*range(min(count, len(found.eigenvalues)))]
        for k in [*chosen, *([growing] if growing not in chosen and not found.stable else [])]:
            value, ratio = found.eigenvalues[k], found.damping[k]
            text = f"{np.real(value):+.4g}" + (f" ± {np.imag(value):.5g}i" if np.imag(value) else "")
            dies = short(decay[k], 3) if np.isfinite(decay[k]) else "never"
            shown.add_row(text, short(abs(value) / (2 * np.pi), 6), short(ratio, 3), dies)
        console().print(shown)
        rest = len(found.eigenvalues) - shown.row_count
        if rest > 0:
            say(f"and {rest} more (--count)")
    say(f"verdict: {found.verdict}")
