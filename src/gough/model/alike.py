"""Structure that legs have in common: what is zero in one leg only must stay an input, or the legs' programs differ."""

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gough.model.model import Model

_NUMBERED = re.compile(r"\d+(?=[^.]*\.)")
"""A number in the first part of a name: leg3.hip.x."""


def common_pattern(model: "Model") -> dict[int, float]:
    """{parameter: structural value} of the parameters whose namesakes in all numbered parts have the same value."""
    alike: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(model.mechanism.table.names):
        alike[_NUMBERED.sub("#", name, count=1)].append(i)
    common = {}
    for members in alike.values():
        values = {model.pattern.get(i) for i in members}
        if len(values) == 1 and None not in values:
            common |= {i: model.pattern[i] for i in members}
    return dict(sorted(common.items()))
