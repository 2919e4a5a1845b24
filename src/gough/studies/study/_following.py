"""States of a case that follow the design: coordinates that are as at each design's home, and expressions of its variables.

What a case prescribes is written for the description. In another design a coordinate is shifted by what its formula says there,
less what it says in the description. Home is what the description's `home` says, before its loops are closed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES
from gough.model.coordinates import pose_of_coordinates
from gough.robot.expressions import Scope
from gough.robot.units import Dimension, UnitError, parse
from gough.scalar import FormulaNode, VariedNumber, replay, variables_of
from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.euler import coordinates_of

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True, eq=False)
class FollowedStates:
    """names (k,): of the coordinates of a case; at_home (s, k) bool: which of them move with each design's home; texts: {(state,
    column): expression of variables}."""

    model: "Model"
    names: tuple[str, ...]
    at_home: np.ndarray
    texts: Mapping[tuple[int, int], str]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names of those that some state follows."""
        homes = home_formulas(self.model)
        found = {v for k, n in enumerate(self.names) if self.at_home[:, k].any() for v in homes.get(n, ())}
        nodes = [x.node for x in self._formulas.values() if isinstance(x, VariedNumber)]
        return frozenset(found | variables_of(nodes))

    @cached_property
    def _formulas(self) -> dict[tuple[int, int], float]:
        return {place: formula_of(self.model, text)[0] for place, text in self.texts.items()}

    def shifts(self, rows: np.ndarray) -> np.ndarray:
        """(d, s, k) of designs whose variables are rows (d, variables)."""
        model = self.model
        both = np.concatenate([model.variables.values[None], rows])
        out = np.zeros((len(both), *self.at_home.shape))
        home = _homes(model, self.names, both)
        out += np.where(self.at_home, home[:, None], 0.0)
        for (state, column), x in self._formulas.items():
            if isinstance(x, VariedNumber):
                out[:, state, column] += _values(x.node, model, both)
        return out[1:] - out[:1]

    def of_states(self, own: slice) -> "FollowedStates":
        """Of some of the states."""
        kept = range(len(self.at_home))[own]
        texts = {(kept.index(s), k): text for (s, k), text in self.texts.items() if s in kept}
        return replace(self, at_home=self.at_home[own], texts=texts)

    def positions(self, kind: str, position: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(d, s, n) of what is prescribed in the description, (s, n)."""
        by = self.shifts(rows)
        if kind != "pose":
            return position + by
        if not by[..., 3:].any():
            whole = np.repeat(position[None], len(rows), axis=0)
            whole[..., :3] += by[..., :3]
            return whole
        return pose_of_coordinates(np.moveaxis(coordinates_of(position, "rpy_zyx") + by, -1, 0))

    def plain(self) -> dict[str, Any]:
        """As lists and texts."""
        texts = [[s, k, text] for (s, k), text in self.texts.items()]
        return {"names": list(self.names), "at_home": self.at_home.astype(int).tolist(), "texts": texts}

    @classmethod
    def of_plain(cls, data: Mapping[str, Any], model: "Model") -> "FollowedStates":
        """What `plain` gave."""
        texts = {(int(s), int(k)): str(text) for s, k, text in data["texts"]}
        return cls(model, tuple(data["names"]), np.array(data["at_home"], dtype=bool), texts)


def formula_of(model: "Model", text: str) -> tuple[float, Dimension]:
    """(number in SI units, dimension) of a text with a unit, or of an expression of the description's variables; UnitError where
    it is neither."""
    try:
        return parse(text)
    except UnitError as error:
        scope = Scope(model.robot.variables, 2)
        found = None if scope.faults else scope.read(text)
        if found is None:
            raise error
        dimension = found.dimension
        return (VariedNumber(float(found), found.node) if isinstance(found, VariedNumber) else float(found)), dimension


def home_formulas(model: "Model") -> dict[str, frozenset[str]]:
    """{coordinate: variables that it follows at home} of those that follow some."""

    def made() -> dict[str, frozenset[str]]:
        home, found = model.robot.home, dict[str, list[FormulaNode]]()
        if home.pose is not None and model.mechanism.has_platform:
            for name, x in zip(COORDINATES, np.array(home.pose.position, dtype=object), strict=False):
                found[name] = _nodes([x])
            turned = _nodes(np.ravel(np.array(home.pose.varied_rotation(), dtype=object)))
            found |= dict.fromkeys(COORDINATES[3:], turned)
        for name, numbers in home.joints.items():
            own = list(numbers) if isinstance(numbers, list | tuple) else [numbers]
            if len(own) == 1:
                found[name] = _nodes(own)
        return {name: frozenset(variables_of(nodes)) for name, nodes in found.items() if nodes}

    return model.cached("formulas of home", made)


def demand_same_turn(model: "Model", varied: frozenset[str], case: str) -> None:
    """UsageError where the orientation at home follows what is varied: a motion is not turned with it."""
    turning = sorted(home_formulas(model).get("yaw", frozenset()) & varied)
    if turning:
        raise UsageError(
            f"case {case!r}: relative to home a motion is moved, not turned, and the orientation of home follows "
            f"{', '.join(turning)}; ask for poses"
        )


def _nodes(values: Any) -> list[FormulaNode]:
    return [x.node for x in values if isinstance(x, VariedNumber)]


def _values(node: FormulaNode, model: "Model", rows: np.ndarray) -> np.ndarray:
    """Of a formula (d,)."""
    names = model.variables.names
    return np.array([_value(node, dict(zip(names, row, strict=True))) for row in rows.tolist()])


def _value(node: FormulaNode, values: Mapping[str, float]) -> float:
    """NaN where there is no number."""
    try:
        return float(replay([node], values)[0])
    except (ValueError, ZeroDivisionError, OverflowError):
        return np.nan


def _homes(model: "Model", names: tuple[str, ...], rows: np.ndarray) -> np.ndarray:
    """Coordinates (d, k) at home, as the description says, of designs by their variables; 0 of those that follow none."""
    home, follows = model.robot.home, home_formulas(model)
    out = np.zeros((len(rows), len(names)))

    def value(x: Any) -> Any:
        return _values(x.node, model, rows) if isinstance(x, VariedNumber) else float(x)

    turned = None
    for k, name in enumerate(names):
        if name not in follows:
            continue
        if name in COORDINATES[:3]:
            assert home.pose is not None
            out[:, k] = value(home.pose.position[COORDINATES.index(name)])
        elif name in COORDINATES:
            assert home.pose is not None
            if turned is None:
                matrix = np.zeros((len(rows), 3, 3))
                for place, x in np.ndenumerate(np.array(home.pose.varied_rotation(), dtype=object)):
                    matrix[:, *place] = value(x)
                whole = np.concatenate([np.zeros((len(rows), 3)), quaternion_wxyz_from_rotation(matrix)], axis=1)
                turned = coordinates_of(whole, "rpy_zyx")
            out[:, k] = turned[:, COORDINATES.index(name)]
        else:
            own: Any = home.joints[name]
            out[:, k] = value(own[0] if isinstance(own, list | tuple) else own)
    return out
