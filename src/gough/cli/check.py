"""`gough check`: is a description right, can it be modelled, and can the robot do a motion?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gough.cli.failure import CHECK_FAILED
from gough.cli.opening import Json, Set, load_robot, set_variables
from gough.cli.output import note, plural, say, write_json
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.simulation.motion.report import MotionReport

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Path to a .yaml description or a .urdf and the like, or the name of a gallery robot."
    ),
]


def check(
    file: File,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Write the file as one of the newest format first, its comments kept.")
    ] = False,
    motion: Annotated[
        str | None,
        typer.Option("--motion", help="Also whether the robot can do this motion: a name, or a .yaml file of one."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="With --motion: write poses, drives and forces along it (.csv, .npz, .parquet)."),
    ] = None,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Check a description: every problem with its line, warnings, and whether a model can be built at its home.

    With --motion also reach, limits, forces and singularities along it; --out writes the robot along the motion as a run: the
    columns x y z qw qx qy qz are the poses, whatever the motion is of, then joints, drives and forces.

    JSON keys: file, valid, problems[] (file line path value message expected), warnings[], load_paths[] (bodies[] frame kind
    direction compliance missing text: loads that shapes of flexible bodies do not follow), model (freedoms velocities drives
    loops couplings equations redundant_closures home home_moved home_found home_remedy without_inertia closure_error
    closure_tolerance left_open parallel inverse (of a flexible robot) serial serial_names; null if none), upgraded (null, or the
    formats [before, now]), motion (null without --motion: duration samples unreached reach problems[] (kind place samples spans[]
    worst at text) notes[] drives[] (name low high speed force force_unit) poses (low high, of x y z), files[]). Exit code 1 if
    there are problems, of the motion too; a file with other problems than newer keys is not upgraded.
    """
    report = examine(file, variables)
    upgraded = _upgrade(file) if upgrade and (report["valid"] or _reads_when_upgraded(file)) else None
    if upgraded and not report["valid"]:
        report = examine(file, variables)
    report["upgraded"] = upgraded
    found = None if motion is None or not report["valid"] else _along(file, variables, motion, out)
    report["motion"] = None if found is None else _motion_data(found) | {"files": [str(out)] if out is not None else []}
    if json:
        write_json(report)
    else:
        for problem in report["problems"]:
            say(problem["text"])
        for text in report["warnings"]:
            say(f"warning: {text}")
        for path in report["load_paths"]:
            say(f"note: {path['text']}")
        say(_summary(report))
        if upgrade:
            say(_upgrade_summary(file, report))
        if found is not None:
            say(str(found))
            for name in [str(out)] if out is not None else []:
                note(f"written: {name}")
    if not report["valid"] or (found is not None and not found.ok):
        raise typer.Exit(CHECK_FAILED)


def _along(file: str, variables: list[str] | None, motion: str, out: Path | None) -> "MotionReport":
    """What was found along a motion. out: where the robot along it is written."""
    import warnings

    from gough.model import build
    from gough.simulation.motion.files import load_motion
    from gough.simulation.motion.limits import check_motion
    from gough.simulation.results.along import run_of_report, usual_samples
    from gough.simulation.results.formats import SUFFIXES

    if out is not None and out.suffix not in SUFFIXES:
        raise UsageError(f"{out}: the name of this file must end in one of {', '.join(SUFFIXES)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told above
        model = build(set_variables(load_robot(file), variables))
        asked = load_motion(motion, model)
        found = check_motion(model, asked, samples=usual_samples(asked))
        if out is not None:
            run_of_report(model, found).save(out)
    return found


def _motion_data(found: "MotionReport") -> dict[str, Any]:
    """The documented keys of a motion."""
    drives = [
        {
            "name": name,
            **_range(found.drives[:, k]),
            "speed": _largest(found.drive_rates[:, k]),
            "force": _largest(found.tau[:, k]),
            "force_unit": found.drive_units[k],
        }
        for k, name in enumerate(found.drive_names)
    ]
    return {
        "duration": found.motion.duration,
        "samples": len(found.t),
        "unreached": found.unreached,
        "reach": found.reach,
        "problems": [
            {key: getattr(p, key) for key in ("kind", "place", "samples", "spans", "worst", "at", "text")}
            for p in found.problems
        ],
        "notes": list(found.notes),
        "drives": drives,
        "poses": None if found.poses is None else [_range(x) for x in found.poses[:, :3].T],
    }


def _range(x: np.ndarray) -> dict[str, float]:
    known = x[np.isfinite(x)]
    return {"low": float(known.min()), "high": float(known.max())} if len(known) else {"low": np.nan, "high": np.nan}


def _largest(x: np.ndarray) -> float:
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) if np.isfinite(x).any() else np.nan


def _upgrade(file: str) -> list[int] | None:
    """[format before, format now] of a file that is rewritten; None where it has the newest already."""
    import codecs
    from pathlib import Path

    from gough.errors import UsageError
    from gough.files import write_file
    from gough.interchange.loading import format_of
    from gough.robot import gallery
    from gough.robot.reader import read_document
    from gough.robot.upgrade import upgrade_text

    if file in gallery() and not Path(file).exists():
        raise UsageError(f"--upgrade writes into a file, and {file} is a robot of the gallery")
    if format_of(Path(file)) is not None:
        raise UsageError(f"--upgrade is for descriptions (.yaml), and {file} is of another program")
    text = read_document(Path(file))
    newer, before, now = upgrade_text(text, file)
    if newer != text:
        marked = Path(file).read_bytes().startswith(codecs.BOM_UTF8)
        write_file(file, "\ufeff" + newer if marked else newer)
    return [before, now] if newer != text else None


def _reads_when_upgraded(file: str) -> bool:
    """Whether a file that cannot be read is one of the newest format but for its number: newer keys are all that is wrong."""
    import warnings
    from pathlib import Path

    from gough.errors import GoughError
    from gough.robot import loads
    from gough.robot.reader import read_document
    from gough.robot.upgrade import upgrade_text

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when it is examined
            loads(upgrade_text(read_document(Path(file)), file)[0], file)
    except GoughError:
        return False
    return True


def _upgrade_summary(file: str, report: dict[str, Any]) -> str:
    if not report["valid"] and report["upgraded"] is None:
        return f"{file} is not upgraded: mend what is said above first."
    if report["upgraded"] is None:
        return f"{file} has the newest format."
    before, now = report["upgraded"]
    return f"{file}: format {before} is now format {now}; nothing else is changed."


def examine(file: str, variables: list[str] | None = None) -> dict[str, Any]:
    """The report as data. variables: what --set says."""
    import warnings

    from gough.errors import StructureError
    from gough.model import build
    from gough.model.soundness import condition_doubts, inertia_doubts, motion_doubts
    from gough.robot import DescriptionError
    from gough.robot.checks.plausible import description_doubts

    problems: list[dict[str, Any]] = []
    model = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doubts: list[str] = []
        try:
            robot = set_variables(load_robot(file), variables)
            doubts = description_doubts(robot)
            model = build(robot)
            doubts += [*motion_doubts(model), *inertia_doubts(model), *condition_doubts(model)]
        except DescriptionError as error:
            keys = ("file", "line", "path", "value", "message", "expected")
            problems = [{**{k: getattr(p, k) for k in keys}, "text": str(p)} for p in error.problems]
        except StructureError as error:
            problems = [{"file": file, "line": None, "message": str(error), "text": f"{file}: {error}"}]
            doubts = [text for text in doubts if text not in str(error)]  # told there
        else:
            problems = _unreadable_meshes(file, model.robot)
    found, paths = (None, []) if model is None else (_found(model), load_paths_of(model))
    texts = [*(str(w.message) for w in caught), *doubts]
    return {
        "file": file,
        "valid": not problems,
        "problems": problems,
        "warnings": texts,
        "load_paths": paths,
        "model": found,
    }


def load_paths_of(model: Any) -> list[dict[str, Any]]:
    """Loads that flexible bodies' shapes do not follow."""
    import warnings

    if not model.layout.n_elastic:
        return []
    from gough.structure.elastic.load_paths import load_paths

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told when the model was built
        return [path.data() for path in load_paths(model.robot)]


def _unreadable_meshes(file: str, robot: Any) -> list[dict[str, Any]]:
    """Problems of meshes that bodies are drawn with."""
    from gough.errors import UsageError
    from gough.robot.files import resolve_path
    from gough.robot.tree import bodies

    problems = []
    for name, body in bodies(robot).items():
        for mesh in body.mesh:
            from gough.viewer.drawing.mesh import read_mesh

            try:
                read_mesh(resolve_path(mesh.file, robot.origin), mesh.prim)
            except UsageError as error:
                text = f"{file}: {name}: mesh: {error}"
                problems.append({"file": file, "line": None, "message": f"{name}: mesh: {error}", "text": text})
    return problems


def _found(model: Any) -> dict[str, Any]:
    from gough.kinematics.openings import left_open
    from gough.kinematics.settling import not_kept
    from gough.robot.checks.suggestions import home_remedy
    from gough.robot.tree import placed_loops

    measure = model.singularity(model.home)
    return {
        "freedoms": model.mobility,
        "velocities": list(model.layout.v_names),
        "drives": len(model.layout.drive_names),
        "loops": len(placed_loops(model.robot)),
        "couplings": len(model.mechanism.couplings),
        "equations": model.mechanism.rows,
        "redundant_closures": list(model.redundant_closures),
        "home": dict(zip(model.layout.q_names, model.home.tolist(), strict=True)),
        "without_inertia": [model.layout.v_names[k] for k in model.mechanism.selection.without_inertia],
        "home_moved": [text for _, text in not_kept(model.mechanism, model.robot, model.home)],
        "home_found": _found_elsewhere(model),
        "home_remedy": home_remedy(model.robot),
        "closure_error": float(model.closure_error(model.home)),
        "closure_tolerance": model.robot.closure_tolerance,
        "left_open": left_open(model),
        "parallel": float(measure.parallel),
        "inverse": float(measure.inverse) if model.layout.v_elastic else None,
        "serial": [float(x) for x in measure.serial],
        "serial_names": list(measure.serial_names),
    }


def _found_elsewhere(model: Any) -> list[str]:
    """Of another program's file: joints that home has elsewhere than at 0, because the loops are open there."""
    from gough.kinematics.settling import KEPT

    if not isinstance(model.robot.source, dict) or "format" not in model.robot.source:
        return []
    if not model.mechanism.rows:
        return []  # nothing is open
    layout, joints = model.layout, {c: link.joint for link in model.mechanism.links for c in link.coordinates}
    stated = {layout.q_names[c] for c, joint in joints.items() if joint in model.robot.home.joints}
    return [
        f"{name}: {np.degrees(x):.4g} deg" if unit == "rad" else f"{name}: {x * 1e3:.4g} mm"
        for name, unit, x in zip(layout.q_names, layout.q_units, model.home.tolist(), strict=True)
        if unit in ("rad", "m") and name not in stated and name in layout.u_names and abs(x) > KEPT
    ]


def _summary(report: dict[str, Any]) -> str:
    count, warned = len(report["problems"]), len(report["warnings"])
    tail = f", {plural(warned, 'warning')}" if warned else ""
    if count:
        return f"{report['file']}: {plural(count, 'problem')}{tail}"
    m = report["model"]
    nouns = ("freedom", "drive", "loop", *["coupling"] * bool(m["couplings"]))
    numbers = ", ".join(plural(m[f"{noun}s"], noun) for noun in nouns)
    lines = [f"{report['file']}: good{tail}. {numbers}; independent velocities {', '.join(m['velocities'])}."]
    if m["redundant_closures"]:
        number = len(m["redundant_closures"])
        lines.append(f"{number} of {m['equations']} closure equations are redundant and left out:")
        lines += [f"  {line}" for line in _group_closures(m["redundant_closures"])]
    if not m["freedoms"]:
        lines.append("No rigid freedom: what moves is elastic.")
    if m["without_inertia"]:
        names = ", ".join(m["without_inertia"])
        lines.append(
            f"Nothing has inertia in {names}: these velocities stay as they are. Give the bodies that turn an inertia."
        )
    if m["drives"] < m["freedoms"]:
        lines.append("Fewer drives than freedoms: it has forward dynamics, no inverse dynamics.")
    measures = [f"{m['parallel']:.3g} (drives)"] if m["drives"] >= m["freedoms"] else []
    if measures and m["inverse"] is not None:
        measures.append(f"{m['inverse']:.3g} (inverse model)")
    if m["serial"]:
        worst, name = min(zip(m["serial"], m["serial_names"], strict=True))
        measures.append(f"{worst:.3g} (worst loop or leg, {name})")
    told = f"; reciprocal condition {', '.join(measures[:-2] + [' and '.join(measures[-2:])])}" if measures else ""
    if m["closure_tolerance"] is None:
        lines.append(f"Home is closed to {m['closure_error']:.1e} of the robot's size{told}.")
    else:
        lines.append(f"Home is closed to the stated tolerance of {m['closure_tolerance'] * 1e3:.4g} mm{told}.")
        lines += [f"  {line}" for line in m["left_open"]]
    if m["home_found"]:
        told = ", ".join(m["home_found"][:8]) + (", …" if len(m["home_found"]) > 8 else "")
        lines.append(
            f"At zero the loops are open; home is next to it ({told}). To choose another one: {m['home_remedy']}."
        )
    untold = [line for line in m["home_moved"] if not any(line in warning for warning in report["warnings"])]
    if untold:
        lines.append("home.joints do not close the loops as stated; home has others:")
        lines += [f"  {line}" for line in untold]
    return "\n".join(lines)


def _group_closures(closures: list[str]) -> list[str]:
    """ "loop (equation)" joined: loops that lack the same equations in one line."""
    lacking: dict[str, list[str]] = {}
    for name in closures:
        loop, _, equation = name.partition(" (")
        lacking.setdefault(loop, []).append(equation.removesuffix(")"))
    groups: dict[tuple[str, ...], list[str]] = {}
    for loop, equations in lacking.items():
        groups.setdefault(tuple(equations), []).append(loop)
    return [f"{', '.join(loops)}: {'; '.join(equations)}" for equations, loops in groups.items()]
