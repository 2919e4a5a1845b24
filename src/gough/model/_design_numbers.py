"""The numbers of a model's design: parameters by name, and the variables of the description that some of them follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, mapping, nothing, numbers, word
from gough.compilation.arrays import checked_numbers
from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.errors import GoughError, UsageError, VariableWarning, warn
from gough.model.functions import trace_by_variables
from gough.program import Slot, trace
from gough.robot.expressions.demands import demands_in
from gough.robot.expressions.varying import free_variables, name_followers, parse_value, variable_unit
from gough.robot.item import Demand, nearest, spell_place
from gough.scalar import replay, variables_of
from gough.structure.reductions import reduce_again, reduced_places, reduced_slopes, reducing_variables

if TYPE_CHECKING:
    from gough.model.model import Model

LEAST_VIOLATION = 1e-3
"""Of a demand that a number just misses."""


@dataclass(frozen=True)
class DesignVariables:
    """The variables of a description that may be changed: names, SI units and values (n,), in its order."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray


class DesignCalls:
    """Of `gough.Model`."""

    @property
    def variables(self: "Model") -> DesignVariables:  # type: ignore[misc]
        """Names, units and values of the description's variables; those that follow from others are not among them."""

        def made() -> DesignVariables:
            own = free_variables(self.robot)
            values = np.array(list(own.values()), dtype=float)
            values.setflags(write=False)
            return DesignVariables(tuple(own), tuple(variable_unit(self.robot, name) for name in own), values)

        return self.cached("variables", made)

    @checked(variable=word)
    def moved_parameters(self: "Model", variable: str) -> list[str]:  # type: ignore[misc]
        """Names of the parameters that follow a variable, one of `variables`."""
        _demand_free(self, variable)
        table = self.mechanism.table
        places = [i for i, node in table.formulas.items() if variable in variables_of([node])]
        return [table.names[i] for i in sorted([*places, *reduced_places(self.robot, table, [variable])])]

    @checked(changes=mapping(numbers) | nothing, variables=mapping(numbers | word) | nothing)
    def parameters_with(
        self: "Model",  # type: ignore[misc]
        changes: Mapping[str, float | np.ndarray] | None = None,
        variables: Mapping[str, float | str | np.ndarray] | None = None,
    ) -> np.ndarray:
        """Parameters (..., n) of a changed design, {name: value or array (...)}; of variables first, then of parameters.

        Structural zeros and right angles may be named too; calls that get them changed raise a PatternError, unless the model
        was built with them free (see `build`). variables: in SI units, or texts with a unit. Limits and home stay those of the
        description: `robot.with_variables` gives one with all of it; a variable that they alone follow is a VariableWarning.
        """
        changes, moved = changes or {}, self._variable_numbers(variables or {})
        given = [*moved.items(), *changes.items()]
        values = [checked_numbers(name, v) for name, v in given]
        try:
            batch = np.broadcast_shapes(*[v.shape for v in values]) if values else ()
        except ValueError:
            shapes = ", ".join(f"{n} {v.shape}" for (n, _), v in zip(given, values, strict=True) if v.ndim)
            raise UsageError(f"parameters: shapes do not broadcast: {shapes}") from None
        out = np.broadcast_to(self.parameters, (*batch, len(self.parameters))).copy()
        if moved:
            self._move(out, dict(zip(moved, values, strict=False)))
        for name, value in zip(changes, values[len(moved) :], strict=True):
            if name not in self.parameter_names and name in self.variables.names:
                raise UsageError(f"{name!r} is a variable of the description: variables={{{name!r}: …}}")
            if name not in self.parameter_names:
                near = self.mechanism.table.meant_by(name)
                raise UsageError(f"no parameter {name!r}; use {near} (`gough show ROBOT --parameters` lists all)")
            out[..., self.parameter_names.index(name)] = value
        self.mechanism.table.check_numbers(out)
        return out

    def _variable_numbers(self: "Model", given: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[misc]
        """Values of variables in SI units, each one of `variables`; VariableWarning of those that move no parameter."""
        found, own = {}, dict(zip(self.variables.names, self.variables.values, strict=True))
        for name, value in given.items():
            _demand_free(self, name)
            found[name] = parse_value(self.robot, name, value) if isinstance(value, str) else value
        still = [n for n, x in found.items() if np.any(np.asarray(x) != own[n]) and not self.moved_parameters(n)]
        if still:
            warn(
                f"parameters_with: no parameter follows {name_followers(self.robot, still)}. Other values change nothing "
                "here: build robot.with_variables({…})",
                VariableWarning,
            )
        return found

    def _move(self: "Model", out: np.ndarray, values: Mapping[str, np.ndarray]) -> None:  # type: ignore[misc]
        """Put into parameters (..., n) what follows values of variables."""
        known = self.variables
        rows = np.broadcast_to(known.values, (*out.shape[:-1], len(known.names))).copy()
        for name, value in values.items():
            rows[..., known.names.index(name)] = value
        found = self._parameters_of_variables.values(variables=rows)
        for k, demand in enumerate(self.demands):
            x = found["bounded"][..., k]
            bad = {"positive": ~(x > 0), "not negative": ~(x >= 0), "not zero": ~(x != 0)}[demand.bound]
            if bad.any():
                value = f"{x[bad].ravel()[0]:.6g}; it is {demand.words}"
                raise UsageError(f"variables: {spell_place(demand.place)} = {demand.written!r} would be {value}")
        places = list(self.mechanism.table.formulas)
        new = found["parameters"]
        if not np.isfinite(new).all():
            bad = int(np.argwhere(~np.isfinite(new).reshape(-1, len(places)))[0, 1])
            raise UsageError(f"variables: with them {self.parameter_names[places[bad]]} is no number")
        out[..., places] = new
        self._reduce(out, rows, values)

    def _reduce(
        self: "Model",  # type: ignore[misc]
        out: np.ndarray,
        rows: np.ndarray,
        moved: Mapping[str, Any],
        marking: bool = False,
    ) -> np.ndarray:
        """Put into parameters (..., n) what elements of flexible bodies make of variables (..., k), design by design; for which
        of them (flat) there are no such bodies. marking: these stay as they are, else they are a UsageError."""
        table, names = self.mechanism.table, self.variables.names
        flat = out.reshape(-1, out.shape[-1])
        lost = np.zeros(len(flat), dtype=bool)
        if reducing_variables(self.robot).isdisjoint(moved):
            return lost
        places = reduced_places(self.robot, table)
        designs, which = np.unique(rows.reshape(-1, rows.shape[-1]), axis=0, return_inverse=True)
        for k, values in enumerate(designs):
            own = which.ravel() == k
            try:
                found = reduce_again(self.robot, table, dict(zip(names, values.tolist(), strict=True)))
            except GoughError:
                if not marking:
                    raise
                lost |= own
                continue
            flat[np.ix_(own, places)] = found
        return lost

    def variable_slopes(self: "Model", variable: str, values: np.ndarray) -> np.ndarray:  # type: ignore[misc]
        """Change (parameters,) of the design per unit of a variable, at values of all of them (n,)."""
        table, names = self.mechanism.table, self.variables.names
        f = self.cached("slopes by variables", lambda: self._parameters_of_variables.derivative("variables", "jvp"))
        out, place = np.zeros(len(table.values)), names.index(variable)
        out[list(table.formulas)] = f.values(variables=values, d_variables=np.eye(len(values))[place])["d_parameters"]
        known = dict(zip(names, values.tolist(), strict=True))
        if variable in reducing_variables(self.robot):
            key = ("slopes of elements", variable, values.tobytes())
            out[reduced_places(self.robot, table)] = self.cached(
                key, lambda: reduced_slopes(self.robot, table, known, variable)
            )
        return out

    def designs_of_variables(self: "Model", rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[misc]
        """(parameters (n, m), violation (n,)) at values (n, variables) of all variables. A violation above 0 is by how much
        numbers leave what the description demands of them, over their size, and 1 where flexible bodies cannot be built of them;
        parameters are the description's own there."""
        found, own = self._parameters_of_variables.values(variables=rows), self._parameters_of_variables
        violation, size = np.zeros(len(rows)), np.abs(own.values(variables=self.variables.values)["bounded"])
        for k, demand in enumerate(self.demands):
            x, scale = found["bounded"][:, k], size[k] or 1.0
            beyond = {"positive": x <= 0, "not negative": x < 0, "not zero": x == 0}[demand.bound]
            violation += np.where(np.isfinite(x), np.where(beyond, np.abs(x) / scale + LEAST_VIOLATION, 0.0), 1.0)
        new = found["parameters"]
        violation += ~np.isfinite(new).all(axis=1)
        out = np.repeat(self.parameters[None], len(rows), axis=0)
        good = np.flatnonzero(violation == 0)
        out[good[:, None], np.array(list(self.mechanism.table.formulas), dtype=int)] = new[good]
        moved = [
            n for n, x, own in zip(self.variables.names, rows.T, self.variables.values, strict=True) if (x != own).any()
        ]
        kept = out[good]
        lost = self._reduce(kept, rows[good], dict.fromkeys(moved), marking=True)
        kept[lost] = self.parameters
        out[good], violation[good] = kept, lost
        return out, violation

    @property
    def demands(self: "Model") -> list[Demand]:  # type: ignore[misc]
        """Of the description, on numbers that follow variables."""
        return self.cached("demands", lambda: list(demands_in(self.robot)))

    @property
    def _parameters_of_variables(self: "Model") -> Function:  # type: ignore[misc]
        """variables (n,) → those parameters that have formulas, and numbers that keep bounds."""
        table, names, bounded = self.mechanism.table, self.variables.names, [x.number.node for x in self.demands]

        def run(variables: Any) -> dict[str, Any]:
            values = dict(zip(names, variables, strict=True))
            found = replay([*table.formulas.values(), *bounded], values)
            return {"parameters": found[: len(table.formulas)], "bounded": found[len(table.formulas) :]}

        def made() -> Function:
            program = trace(
                run, (Slot("variables", (len(names),), "SI"),), f"{self.robot.name} parameters of variables"
            )
            return Function(program, table, {}, interpreted=True)

        return self.cached("parameters of variables", made)

    def _function_of_variables(self: "Model", key: FunctionKey, baked: bool) -> Function:  # type: ignore[misc]
        """`function` with variables=True."""
        names = self.variables.names
        if not names:
            raise UsageError(f"{self.robot.name} has no variables; write them under `variables` of its description")
        if reducing := sorted(reducing_variables(self.robot)):
            raise UsageError(
                f"{key}: elements of flexible bodies follow {', '.join(reducing)}, and have no formulas: use parameters as "
                "the input, with model.parameters_with(variables={…})"
            )
        if baked:
            raise UsageError(f"{key}: variables are an input, or the design is baked; not both")
        if key.of_pose:
            raise UsageError(
                f"{key}: closed forms of the legs hold only while axes meet or are parallel. Use {str(key.of_q)!r} with q = "
                "model.configuration(pose=...)"
            )
        program = trace_by_variables(self.unlocked.mechanism, key, names, self.parameters.tolist(), self.demands)
        return Function(self.order_solves(program), self.mechanism.table, {}, precision=self.precision)


def _demand_free(model: "Model", name: str) -> None:
    if name in model.variables.names:
        return
    if name in model.robot.variables:
        raise UsageError(
            f"the variable {name!r} follows from others, {model.robot.variables[name].written!r}; change those"
        )
    known = list(model.variables.names)
    raise UsageError(
        f"no variable {name!r}; " + (f"use {nearest(name, known)}" if known else "the description has none")
    )
