"""Loops and the order in which they are solved, as `gough show` prints them."""

from typing import Any

from gough.cli.output import console, say, short, table, vector
from gough.cli.show_parts import entries, span

Data = dict[str, Any]


def plural(number: int, noun: str) -> str:
    """ "1 leg", "6 legs" """
    return f"{number} {noun}{'s' * (number != 1)}"


def show_loops(r: Data) -> None:
    """One row a loop (or a kind of loop of like legs): bodies, closure equations, those that are redundant."""
    if not r["loops"]:
        say()
        return
    shown = table("loop", "type", "first body", "second body", "axes, length", "equations", "friction, limits")
    for loops in _alike(r["loops"]):
        loop = loops[0]
        kept, redundant = len(loop["kept"]), len(loop["redundant"])
        equations = f"{kept + redundant}" + (f", {redundant} redundant" if redundant else "")
        shape = " ".join(map(vector, [loop["axis"]] if loop.get("axis") else loop.get("axes") or []))
        if loop.get("length"):
            shape = f"{short(loop['length'])} m"
        effects = "; ".join(entries(loop.get(key)) for key in ("friction", "limits") if loop.get(key))
        name = span([x["name"] for x in loops])
        shown.add_row(name, loop["type"], loop["first"], loop["second"], shape, equations, effects)
    say()
    console().print(shown)
    for loop in r["loops"]:
        if not loop["described"]:
            say(f"  {loop['name']}: the pose in q follows the body {loop['first']}")
    _redundant(r["loops"])
    say()


def _redundant(loops: list[Data]) -> None:
    """What is redundant, each list of equations once."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for loop in loops:
        if loop["redundant"]:
            groups.setdefault(tuple(loop["redundant"]), []).append(loop["name"])
    for equations, names in groups.items():
        say(f"  redundant, left out, in {', '.join(names)}: {'; '.join(equations)}")


def _alike(loops: list[Data]) -> list[list[Data]]:
    """Groups of loops of different legs that differ in the leg only."""
    groups: dict[str, list[Data]] = {}
    for loop in loops:
        leg = loop["leg"]
        look = {k: v for k, v in loop.items() if k not in ("leg", "first_pose", "second_pose")}
        for key in ("name", "first", "second"):
            if leg is not None and look[key].startswith(f"{leg}."):
                look[key] = "leg" + look[key][len(leg) :]
        groups.setdefault(repr(look), []).append(loop)
    return list(groups.values())


def show_blocks(r: Data) -> None:
    """Which loops are solved together, in order."""
    blocks = r["blocks"]
    if not blocks:
        return
    together = [len(block["velocities"]) for block in blocks]
    say(f"dependent velocities: {sum(together)}, solved in {plural(len(blocks), 'block')}")
    groups: dict[tuple[str, ...], list[Data]] = {}
    for block in blocks:
        groups.setdefault(_look(block, [leg["name"] for leg in r["legs"]]), []).append(block)
    for group in groups.values():
        first = group[0]
        loops = first["loops"] if len(first["loops"]) <= 4 else [*first["loops"][:3], "…", first["loops"][-1]]
        who = ", ".join(loops) + (f" and alike ({len(group)} blocks)" if len(group) > 1 else "")
        say(f"  {who}: {' '.join(_shortened(first['velocities']))}")


def _look(block: Data, legs: list[str]) -> tuple[str, ...]:
    own = [leg for leg in legs if all(n.startswith(f"{leg}.") for n in [*block["loops"], *block["velocities"]])]
    names = [*block["loops"], "|", *block["velocities"]]
    return tuple(n.removeprefix(f"{own[0]}.") for n in names) if own else tuple(names)


def _shortened(names: list[str]) -> list[str]:
    return names if len(names) <= 12 else [*names[:8], f"… {names[-1]} ({len(names)})"]
