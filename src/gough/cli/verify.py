"""`gough verify`: does a robot's model obey the laws it must?"""

from typing import Annotated, Any

import typer

from gough.cli.failure import CHECK_FAILED, INTERRUPTED
from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import console, say, table, write_json


def verify(
    robot: RobotName,
    states: Annotated[
        int, typer.Option("--states", min=1, max=10**6, help="How many states around home are sampled.")
    ] = 24,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses the states.")] = 0,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Check a model against laws that need no other software; prints what was measured and what is allowed.

    JSON keys: robot, states, seed, passed, interrupted, checks[] (name law measured tolerance relation required
    verdict note). A law the mechanism cannot have, such as one of inverse dynamics with fewer drives than freedoms, is
    skipped by name. Exit code 1 if a required law does not hold.
    """
    from gough.analysis.verification.laws import LawCheck, checks

    model, _ = open_model(robot, quiet=json, variables=variables)
    done: list[LawCheck] = []
    interrupted = False
    try:
        for one in checks(model, states, seed):
            done.append(one)
    except KeyboardInterrupt:
        interrupted = True
    passed = not interrupted and all(c.holds or not c.required for c in done)
    if json:
        head = {"robot": model.robot.name, "states": states, "seed": seed, "passed": passed, "interrupted": interrupted}
        write_json(head | {"checks": [_plain(c) for c in done]})
    else:
        shown = table("check", "law", "measured", "allowed", "verdict", numbers=("measured", "allowed"))
        for c in done:
            bound = f"{'>' if c.above else '≤'} {c.tolerance:.0e}" if c.tolerance else "> 0"
            law = f"{c.law} ({c.note})" if c.note else c.law
            measured = "" if c.verdict == "skipped" else f"{c.measured:.1e}"
            shown.add_row(c.name, law, measured, bound, c.verdict)
        console().print(shown)
        end = "interrupted" if interrupted else "every required law holds" if passed else "a law does not hold"
        say(f"{model.robot.name}, {states} states, seed {seed}: {end}")
    if not passed:
        raise typer.Exit(INTERRUPTED if interrupted else CHECK_FAILED)


def _plain(check: Any) -> dict[str, Any]:
    keys = ("name", "law", "measured", "tolerance", "required", "verdict", "note")
    return {k: getattr(check, k) for k in keys} | {"relation": ">" if check.above else "<="}
