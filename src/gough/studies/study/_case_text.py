"""Cases of a study's file: motions, poses, grids, wrenches."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UnitWarning, warn
from gough.kinematics.leading import coordinate_units
from gough.robot.item import nearest
from gough.robot.loader import locate
from gough.robot.reader import Map, Mark, Seq
from gough.robot.units import UnitError, dimension_in_words, parse
from gough.scalar import VariedNumber
from gough.simulation.motion.files import load_motion, motion_in
from gough.simulation.motion.motion import Motion
from gough.studies.study._following import formula_of
from gough.studies.study._grid import PoseGrid
from gough.studies.study._items import MOST_STATES, CaseItem
from gough.studies.study._text import Place, StudyText
from gough.studies.study.cases import StudyCase
from gough.studies.study.making import motion_case, pose_case

if TYPE_CHECKING:
    from gough.model import Model

SAMPLES, SHOWN, FAR = 100, 5, 10.0
YAML = (".yaml", ".yml")


class CaseText(StudyText):
    """Reads cases."""

    def read_case(
        self, name: str, item: CaseItem, model: "Model", ends: np.ndarray, varied: frozenset[str] = frozenset()
    ) -> StudyCase | None:
        """A case, None with complaints. ends (n, m): designs that the study may ask for; varied: names of what it varies."""
        place = ("cases", name)
        wrench = self._wrench((*place, "wrench"), item.wrench, model)
        if item.motion is not None:
            motion = self._motion((*place, "motion"), item.motion, model)
            samples, own = item.samples or SAMPLES, varied if item.relative else None
            if motion is None:
                return None
            return self.attempt(
                place, lambda: motion_case(name, model, motion, samples, wrench, item.payload, ends, own)
            )
        relative = item.relative is not None
        grid = None if item.grid is None else self._grid((*place, "grid"), item.grid, model)
        poses = self._poses((*place, "poses"), item.poses, model) if item.grid is None else grid and grid.poses()
        if poses is None:
            return None
        return self.attempt(place, lambda: pose_case(name, model, poses, wrench, item.payload, grid, relative))

    def _motion(self, place: Place, data: Any, model: "Model") -> Motion | None:
        if isinstance(data, Motion):
            return data
        if isinstance(data, str) and data.endswith(YAML):
            return self.attempt(place, lambda: load_motion(self.folder / data, model))
        mark = locate(self.document, place)[0]
        motion, more = motion_in(_marked(data, mark), mark, self.file, model)
        self.problems += more
        return motion

    def _wrench(self, place: Place, data: Any, model: "Model") -> Any:
        if data is None:
            return None
        rows = data if isinstance(data, Mapping) else {"": data}
        out = {}
        for frame, row in rows.items():
            where = (*place, frame) if frame else place
            if frame and frame not in model.mechanism.frames:
                self.complain(where, f"no frame {frame!r}", nearest(str(frame), list(model.mechanism.frames)), frame)
                continue
            if not isinstance(row, list | tuple) or len(row) != 6:
                self.complain(where, "not a wrench", "[fx, fy, fz, mx, my, mz], or {frame: such a list}")
                continue
            units = ("N",) * 3 + ("N.m",) * 3
            found = [self.in_unit((*where, k), x, u) for k, (x, u) in enumerate(zip(row, units, strict=True))]
            out[frame] = np.array([x or 0.0 for x in found])
        return out.get("") if "" in out else out

    def _coordinate(self, place: Place, name: str, value: Any, model: "Model") -> float | None:
        known = coordinate_units(model)
        if name not in known:
            self.complain(place, f"no coordinate {name!r}", nearest(str(name), list(known)))
            return None
        at_home = model.home[model.layout.index(name)] if name in model.layout.q_names else 0.0
        found = self.in_unit(place, value, known[name], float(at_home))
        if (
            isinstance(value, int | float)
            and known[name] == "m"
            and found is not None
            and abs(found) > FAR * model.size
        ):
            mark, _ = locate(self.document, place)
            where = f"{self.file}:{mark.line}" if mark.line else self.file
            times = f"{abs(found) / model.size:.3g} times the size of {model.robot.name}"
            said = f"{found:g} without a unit is {found:g} m, {times}; write '{found:g} mm' or '{found:g} m'"
            warn(f"{where}: {'.'.join(map(str, place))}: {said}", UnitWarning)
        return found

    def _place(self, place: Place, name: str, value: Any, model: "Model") -> float | str | None:
        """A coordinate of a pose: a number, or an expression as it is written."""
        if not isinstance(value, str) or name not in (known := coordinate_units(model)):
            return self._coordinate(place, name, value, model)
        try:
            found, dimension = formula_of(model, value)
        except UnitError as error:
            own = ", ".join(list(model.variables.names)[:SHOWN])
            more = f", or an expression of variables of {model.robot.name} ({own})" if own else ""
            self.complain(place, str(error), f"a number in {known[name]}{more}")
            return None
        if _is_number(value):
            return self._coordinate(place, name, value, model)
        if dimension != parse(f"1 {known[name]}")[1]:
            self.complain(place, f"an expression that is {dimension_in_words(dimension)}", f"one in {known[name]}")
            return None
        return value if isinstance(found, VariedNumber) else float(found)

    def _poses(self, place: Place, data: Any, model: "Model") -> "list[dict[str, float | str]] | None":
        if not isinstance(data, list | tuple) or not data or not all(isinstance(x, Mapping) for x in data):
            self.complain(
                place, "not a list of poses", "[{x: 0.1, pitch: 10 deg}, {}, …]: coordinates, the rest as at home"
            )
            return None
        out = []
        for k, pose in enumerate(data):
            found = {n: self._place((*place, k, n), n, x, model) for n, x in pose.items()}
            out.append({n: x for n, x in found.items() if x is not None})
        return out

    def _grid(self, place: Place, data: Any, model: "Model") -> PoseGrid | None:
        if not isinstance(data, Mapping) or not data:
            self.complain(place, "not a grid", "{x: [-0.2, 0.2, 9], …}: from, to, points")
            return None
        axes, count, before = {}, 1, len(self.problems)
        for name, row in data.items():
            if not isinstance(row, list | tuple) or len(row) != 3 or type(row[2]) is not int or row[2] < 1:
                self.complain((*place, name), "not an axis of a grid", "[from, to, points]")
                continue
            low, high = (self._coordinate((*place, name), name, x, model) for x in row[:2])
            if low is None or high is None:
                continue
            if (low == high) != (row[2] == 1):
                self.complain(
                    (*place, name), f"{row[2]} points from {low:g} to {high:g}", "two ends, or one point at one place"
                )
            count *= row[2]
            axes[name] = (low, high, row[2])
        if count > MOST_STATES:
            self.complain(place, f"a grid of {count} poses", f"at most {MOST_STATES}")
        if len(self.problems) > before:
            return None
        units = coordinate_units(model)
        return PoseGrid(tuple(axes), tuple(units[n] for n in axes), tuple(np.linspace(*x) for x in axes.values()))


def _is_number(text: str) -> bool:
    try:
        parse(text)
    except UnitError:
        return False
    return True


def _marked(data: Any, mark: Mark) -> Any:
    """Plain data as the reader of motions takes it: with marks, all at one place."""
    if isinstance(data, Map | Seq):
        return data
    if isinstance(data, Mapping):
        made = Map({str(key): _marked(value, mark) for key, value in data.items()})
        made.mark, made.marks = mark, dict.fromkeys(made, mark)
        return made
    if isinstance(data, list | tuple):
        listed = Seq(_marked(x, mark) for x in data)
        listed.mark, listed.marks = mark, [mark] * len(listed)
        return listed
    return data
