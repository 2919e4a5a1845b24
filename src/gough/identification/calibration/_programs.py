"""Programs a calibration asks: closures and the pose of a frame, as functions of q and of the unknown numbers, with derivatives.

Unknown parameters are inputs of these programs whatever their values are, so that the derivative by one that is exactly 0 or a
right angle, which other programs fold, is right here.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.dynamics.twists import frame_pose
from gough.model.functions import slots_of
from gough.program import Slot, trace
from gough.scalar import zeros

if TYPE_CHECKING:
    from gough.model import Model

Arrays = dict[str, np.ndarray]


class GeometryPrograms:
    """Of a model, its parameters at `places` being unknown; frame: the measured one, None where none is."""

    def __init__(self, model: "Model", places: Sequence[int], frame: str | None) -> None:
        self.model, self.places, self.frame = model, list(places), frame
        self.mechanism = model.linkage.structure.without_velocities()
        self._design = model.parameters

    def closures(self, q: np.ndarray, geometry: np.ndarray) -> Arrays:
        """residual (n, rows), G (n, rows, nu), misalignment (n, k): a motion du changes the residual by -G du."""
        return self._made("closures", self._closures, None).values(**self._inputs(q, geometry))

    def closures_by_geometry(self, q: np.ndarray, geometry: np.ndarray) -> np.ndarray:
        """Derivative (n, rows, unknowns) of the residual at the same q."""
        if not self.places:
            return np.zeros((len(q), self.mechanism.rows, 0))
        return self._made("residual", self._residual, "geometry").values(**self._inputs(q, geometry))[
            "residual_geometry"
        ]

    def pose(self, q: np.ndarray, geometry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position (n, 3) and rotation (n, 3, 3) of the measured frame in the world."""
        out = self._made("pose", self._pose, None).values(**self._inputs(q, geometry))
        return out["position"], out["rotation"]

    def pose_rates(self, q: np.ndarray, geometry: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Twists (n, 6, nu) of the measured frame, world axes, per tree velocity, and (n, 6, unknowns) per unknown at the same
        q; R (n, 3, 3): its rotation."""
        inputs = self._inputs(q, geometry)
        by_q = self._made("pose", self._pose, "q").values(**inputs)
        N = self._made("rates", self._rates, None).values(**inputs)["N"]
        motion = _twists(by_q["position_q"], by_q["rotation_q"], R) @ N
        if not self.places:
            return motion, np.zeros((len(q), 6, 0))
        by_g = self._made("pose", self._pose, "geometry").values(**inputs)
        return motion, _twists(by_g["position_geometry"], by_g["rotation_geometry"], R)

    def _inputs(self, q: np.ndarray, geometry: np.ndarray) -> dict[str, Any]:
        given = {"geometry": geometry} if self.places else {}
        return {"q": q, **given, "parameters": self._design}

    def _made(self, name: str, equations: Callable[[Numbers, Any], dict[str, Any]], by: str | None) -> Function:
        key = ("calibration", name, by, tuple(self.places), self.frame)
        return self.model.cached(key, lambda: self._make(name, equations, by))

    def _make(self, name: str, equations: Callable[[Numbers, Any], dict[str, Any]], by: str | None) -> Function:
        def run(parameters: Any, q: Any, geometry: Any = ()) -> dict[str, Any]:
            numbers = parameters.copy()
            for place, x in zip(self.places, geometry, strict=True):
                numbers[place] = x
            return equations(Numbers(self.mechanism, numbers), q)

        model, unknown = self.model, set(self.places)
        pattern = {i: x for i, x in model.pattern.items() if i not in unknown}
        extra = (Slot("geometry", (len(self.places),), "m, rad", uniform=True),) if self.places else ()
        slots = (*slots_of(self.mechanism, ("q",)), *extra)
        program = trace(run, slots, f"{self.mechanism.name} {name} of geometry", {"parameters": pattern}, {})
        function = Function(program, model.mechanism.table, pattern, precision=model.precision)
        return function if by is None else function.derivative(by)

    def _closures(self, numbers: Numbers, q: Any) -> dict[str, Any]:
        loops = Loops(Posture(numbers, q))
        return {"residual": loops.residual(), "G": loops.all_rows(), "misalignment": loops.misalignment()}

    def _residual(self, numbers: Numbers, q: Any) -> dict[str, Any]:
        return {"residual": Loops(Posture(numbers, q)).residual()}

    def _pose(self, numbers: Numbers, q: Any) -> dict[str, Any]:
        assert self.frame is not None
        position, rotation = frame_pose(Posture(numbers, q), self.frame)
        return {"position": position, "rotation": rotation}

    def _rates(self, numbers: Numbers, q: Any) -> dict[str, Any]:
        nu, posture = self.mechanism.layout.nu, Posture(numbers, q)
        columns = []
        for k in range(nu):
            u = zeros(nu)
            u[k] = 1.0
            columns.append(rate_of_q(posture, u))
        return {"N": np.array(columns, dtype=object).T}


def _twists(position: np.ndarray, rotation: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(v, ω) (n, 6, k) of derivatives of a position (n, 3, k) and a rotation (n, 3, 3, k): [ω]× = dR Rᵀ."""
    S = np.einsum("nijk,nlj->nilk", rotation, R)
    w = 0.5 * np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1)
    return np.concatenate([position, w], axis=1)
