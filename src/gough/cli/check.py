"""`gough check`: is a description right, and can it be modelled?"""

from typing import Annotated, Any

import typer

from gough.cli.failure import CHECK_FAILED
from gough.cli.opening import Json
from gough.cli.output import say, write_json

File = Annotated[
    str, typer.Argument(metavar="FILE", help="Path to a .yaml description, or the name of a gallery robot.")
]


def check(file: File, json: Json = False) -> None:
    """Check a description: every problem with its line, warnings, and whether a model can be built at its home.

    JSON keys: file, valid, problems[] (file line path value message expected), warnings[], model (freedoms drives
    parallel serial; null if none). Exit code 1 if there are problems.
    """
    report = examine(file)
    if json:
        write_json(report)
    else:
        for problem in report["problems"]:
            say(problem["text"])
        for text in report["warnings"]:
            say(f"warning: {text}")
        say(_summary(report))
    if not report["valid"]:
        raise typer.Exit(CHECK_FAILED)


def examine(file: str) -> dict[str, Any]:
    """The report as data."""
    import warnings

    from gough.compilation import build
    from gough.errors import StructureError
    from gough.robot import DescriptionError, load

    problems: list[dict[str, Any]] = []
    model = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = build(load(file))
        except DescriptionError as error:
            keys = ("file", "line", "path", "value", "message", "expected")
            problems = [{**{k: getattr(p, k) for k in keys}, "text": str(p)} for p in error.problems]
        except StructureError as error:
            problems = [{"file": file, "line": None, "message": str(error), "text": f"{file}: {error}"}]
    found: dict[str, Any] | None = None
    if model is not None:
        measure = model.singularity(model.home)
        found = {
            "freedoms": model.layout.nv,
            "drives": len(model.layout.drive_names),
            "parallel": float(measure.parallel),
            "serial": [float(x) for x in measure.serial],
        }
    texts = [str(w.message) for w in caught]
    return {"file": file, "valid": not problems, "problems": problems, "warnings": texts, "model": found}


def _summary(report: dict[str, Any]) -> str:
    count, warned = len(report["problems"]), len(report["warnings"])
    tail = f", {warned} warning{'s' * (warned != 1)}" if warned else ""
    if count:
        return f"{report['file']}: {count} problem{'s' * (count != 1)}{tail}"
    model = report["model"]
    return (
        f"{report['file']}: good{tail}. {model['freedoms']} freedoms, {model['drives']} drives; at home the reciprocal "
        f"condition numbers are {model['parallel']:.3g} (drives) and {min(model['serial']):.3g} (worst leg)."
    )
