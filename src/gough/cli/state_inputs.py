"""From named columns or arrays to the inputs of a robot's functions: q, v, acceleration, wrench, tau, drives."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.state_columns import groups_of, refuse_unknown
from gough.cli.state_configurations import assembled, given_configurations, group_or_none
from gough.errors import GOOD, UsageError

if TYPE_CHECKING:
    from gough.compilation import Model

AT_REST = ("v", "acceleration", "wrench")
"""What is taken as 0 where a file does not give it."""


@dataclass(frozen=True)
class Inputs:
    """Inputs by slot, each (n, size); `failed` (n,): why a state has no configuration ("" where it has one).

    assumed: what was not given, and what it was taken as, in words; unused: columns and arrays that were not read.
    """

    slots: dict[str, np.ndarray]
    failed: np.ndarray
    t: np.ndarray | None
    assumed: tuple[str, ...]
    unused: tuple[str, ...]


def gather(model: "Model", table: dict[str, np.ndarray], needed: tuple[str, ...]) -> Inputs:
    """Inputs `needed` by a function from a table of arrays or columns; unknown names are refused."""
    refuse_unknown(model, list(table))
    groups = groups_of(model)
    table = {name: x for name, x in table.items() if name != "status"}
    slots, assumed = {}, []
    for name in needed:
        if name == "q":
            continue
        if name not in groups:
            raise UsageError(f"this function needs {name!r}, which a file of states cannot give")
        found = group_or_none(table, name, groups[name])
        if found is None and (name in AT_REST or not groups[name]):
            found = np.zeros((1, len(groups[name])))
            if groups[name]:
                assumed.append(f"{name} is not given and taken as 0")
        if found is None:
            raise UsageError(f"{name} is missing: give the array {name!r} or the columns {' '.join(groups[name])}")
        slots[name] = found
    given = given_configurations(model, table) if "q" in needed else None
    if given is not None and given.kept:
        assumed.append(f"{' '.join(given.kept)}: not given, as at home")
    elastic = None
    if given is not None and given.kind != "q" and "elastic" in groups:
        elastic = group_or_none(table, "elastic", groups["elastic"])
        if elastic is None:
            elastic = np.zeros((1, len(groups["elastic"])))
            assumed.append("elastic coordinates are not given and taken as 0")
    sized = [*slots.values(), table.get("t"), None if given is None else given.values, elastic]
    rows = {len(x) for x in sized if x is not None and np.ndim(x)} - {1}
    if len(rows) > 1:
        raise UsageError(f"arrays of different lengths: {sorted(rows)}; one row a state (or one row for all)")
    n = rows.pop() if rows else 1
    failed = np.full(n, GOOD, dtype=object)
    if given is not None:
        slots["q"], failed = assembled(model, given, n, elastic)
    from_ = () if given is None else given.read if elastic is None else (*given.read, "elastic", *groups["elastic"])
    used = {c for name in needed if name != "q" for c in (name, *groups[name])} | {*from_, "t"}
    unused = tuple(name for name in table if name not in used)
    full = {name: np.broadcast_to(x, (n, x.shape[-1])) for name, x in slots.items()}
    t = None if "t" not in table else np.broadcast_to(table["t"].reshape(-1), (n,))
    return Inputs(full, failed, t, tuple(assumed), unused)
