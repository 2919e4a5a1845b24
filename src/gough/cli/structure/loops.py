"""Loops, couplings and the order in which velocities follow, as tables of `gough show`."""

from typing import Any

from gough.cli.output import console, plural, say, short, table, vector

Data = dict[str, Any]


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
        shape = spell_shape([loop["axis"]] if loop.get("axis") else loop.get("axes") or [], loop.get("dimensions", {}))
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
        if loop["nut"] is not None:
            say(
                f"  {loop['name']}: its turn is the coordinate {loop['name']}; {loop['nut']}, named by parameters and failures, "
                f"is its end on {loop['second']}"
            )
    _redundant(r["loops"])
    say()


def show_couplings(r: Data) -> None:
    """One row a coupling: what its coordinates fulfil."""
    if not r["couplings"]:
        return
    shown = table("coupling", "type", "relation", "pitch radius")
    for c in r["couplings"]:
        parts = [f"{'-' if x < 0 else '+'} {short(abs(x))} {name}" for name, x in c["coefficients"].items()]
        relation = f"{' '.join(parts).removeprefix('+ ')} = {short(c['offset'])}"
        radius = "" if c["radius"] is None else f"{short(c['radius'])} m"
        shown.add_row(c["name"], c["type"], relation + ", redundant" * c["redundant"], radius)
    console().print(shown)
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
        say(f"  {who}: {' '.join(_shorten(first['velocities']))}")
    if r["guide"]:
        say(
            f"  a guide without mass leaves the platform {', '.join(r['guide'])} (`freedoms`) and takes the forces of the others"
        )
    still = [x["velocity"] for x in r["locked"] if x["of"] is None]
    alike = [f"{x['velocity']} = {'-' if x['factor'] < 0 else ''}{x['of']}" for x in r["locked"] if x["of"] is not None]
    if still or alike:
        told = ([f"{', '.join(_shorten(still))} zero"] if still else []) + _shorten(alike)
        say(f"  locked by geometry, not solved for in the equations of motion: {'; '.join(told)}")


def _look(block: Data, legs: list[str]) -> tuple[str, ...]:
    own = [leg for leg in legs if all(n.startswith(f"{leg}.") for n in [*block["loops"], *block["velocities"]])]
    names = [*block["loops"], "|", *block["velocities"]]
    return tuple(n.removeprefix(f"{own[0]}.") for n in names) if own else tuple(names)


def _shorten(names: list[str]) -> list[str]:
    return names if len(names) <= 12 else [*names[:8], f"… {names[-1]} ({len(names)})"]


def spell_shape(axes: Any, dimensions: Data) -> str:
    """Axes of a joint, and the numbers of its type."""
    units = {"lead": "m/turn"}
    return ", ".join(
        [
            *([" ".join(map(vector, axes))] if axes else []),
            *(f"{key} {short(value)} {units.get(key, 'm')}" for key, value in dimensions.items()),
        ]
    )


def entries(numbers: Data | list[Any] | None) -> str:
    """Names and numbers of a friction, spring, drive or limits; of a list, one for each freedom."""
    if isinstance(numbers, list):
        return " | ".join(entries(entry) or "none" for entry in numbers)
    return ", ".join(f"{k} {short(v) if isinstance(v, float) else v}" for k, v in (numbers or {}).items())


def span(names: list[str]) -> str:
    """ "leg0 … leg5 (6)" """
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"
