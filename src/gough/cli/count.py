"""`gough count`: operations of a robot's functions."""

from typing import Annotated, Any

import typer

from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import console, say, table, write_json

KEYS = ("add", "mul", "div", "sqrt", "trig", "operations", "operations_fma", "instructions", "uniform")


def count(
    robot: RobotName,
    function: Annotated[
        list[str] | None, typer.Option("--function", help="Function to count; may be given again. Default: five.")
    ] = None,
    baked: Annotated[bool, typer.Option("--baked", help="Parameters as numbers in the code, not as inputs.")] = False,
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out.")] = False,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Count the operations of one evaluation.

    Rules: unary minus is free; a square, 2x and 1/x are one multiplication; sines, cosines and roots stand apart;
    `operations` = add + mul + div after sharing, `operations_fma` after multiply-add, `instructions` after lowering;
    `uniform` is spent once per design. Joint coordinates are inputs, no wrench, checks off.

    JSON keys: robot, parameters ("inputs" or "baked"), friction, functions {name: {add mul div sqrt trig operations
    operations_fma instructions uniform}}, those of inverse_dynamics at the top as well, and absent {name: why} with
    functions this robot does not have (inverse_dynamics, where there are fewer drives than freedoms). papers: where a
    paper prints counts of this robot, or a reference is known, [{quantity source printed paper {add mul div operations}
    scope counted here {add mul div operations sqrt trig} here_scope ratio}]; here: with numeric parameters; ratio: the
    paper's operations over those here.
    """
    from gough.cli.functions import missing_reason
    from gough.dynamics.catalogue import COUNTED
    from gough.errors import UsageError
    from gough_papers.counting import counts_beside_papers

    model, _ = open_model(robot, quiet=True, variables=variables)
    names = tuple(function or COUNTED)
    missing = {name: reason for name in names if (reason := missing_reason(model, name))}
    if function and missing:
        raise UsageError("; ".join(f"{name} is not there: {reason}" for name, reason in missing.items()))
    names = tuple(name for name in names if name not in missing)
    counts = {name: model.count(name, baked=baked, friction=not no_friction).as_dict() for name in names}
    papers = [] if function else counts_beside_papers(model)
    if json:
        report: dict[str, Any] = {
            "robot": model.robot.name,
            "parameters": "baked" if baked else "inputs",
            "friction": not no_friction,
            "functions": counts,
            "absent": missing,
            "papers": papers,
        }
        write_json(report | counts.get("inverse_dynamics", {}))
        return
    scope = "parameters baked in as numbers" if baked else "parameters are inputs, structural zeros folded"
    say(f"{model.robot.name}: {scope}; {'without' if no_friction else 'with'} friction; joint coordinates known")
    shown = table("function", *KEYS, numbers=KEYS)
    for name, numbers in counts.items():
        shown.add_row(name, *[str(numbers[key]) for key in KEYS])
    console().print(shown)
    for name, reason in missing.items():
        say(f"{name} is not there: {reason}")
    if papers:
        _show_papers(papers)


def _show_papers(papers: list[dict[str, Any]]) -> None:
    """Printed counts beside those of the same quantity here, then what each covers."""
    say()
    say("beside the papers (add/mul/div):")
    shown = table("quantity", "source", "there", "here", "ratio", numbers=("there", "here", "ratio"))
    for entry in papers:
        there, here = entry["paper"], entry["here"]
        ours, ratio = "{add}/{mul}/{div}".format(**here), f"{entry['ratio']:.3g}"
        source = entry["source"] if entry["printed"] else f"{entry['source']} (reference)"
        shown.add_row(entry["quantity"], source, "{add}/{mul}/{div}".format(**there), ours, ratio)
    console().print(shown)
    told: dict[str, None] = {}
    for entry in papers:
        told[f"{entry['quantity']}, {entry['source']}: {entry['scope']}"] = None
        told[f"{entry['quantity']}, here ({entry['counted']}): {entry['here_scope']}"] = None
    for line in told:
        say(line)
