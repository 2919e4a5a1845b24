"""The push of a hand on a body: a spring with a damper from a point that is dragged to the origin of a frame, and a wrench beside
it, by numbers.

    f = k (dragged - x) - d v,  at most as large as is allowed;   d = 2 ζ √(k m)                                     (1)
x, v: of the frame's origin; m: the least mass that a force at the frame feels at home, a = Λ f, m = 1/λ_max(Λ).
The force is held for a step of the loop: springs stay slow beside that step, and damped.
"""

from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError
from gough.model import Model

Vector = np.ndarray
MOVED = 1e-9
"""Acceleration by a unit load, over the largest of its kind, that is none."""
DAMPING_RATIO = 0.7
FREQUENCY = 3.0
"""Hz, of the lightest mass on the spring that is offered first."""
SERVO = 4.0
"""Hz, of the springs at drives that pushes are sized for."""
FASTEST = 0.3
"""Largest spring: angle (rad) that this mass on it goes on in a step of the loop."""


@dataclass(frozen=True)
class PushedFrame:
    """frame: its name. moves (6,): which of fx fy fz mx my mz move the robot at home. mass (kg), inertia (kg m²): the least that
    a force and a moment feel there; 0 where none moves it. size (m): of the robot."""

    frame: str
    moves: tuple[bool, ...]
    mass: float
    inertia: float
    size: float

    @classmethod
    def of(cls, model: Model, frame: str) -> "PushedFrame":
        """At home; UsageError, BadStateError where nothing can push there."""
        still = np.zeros(model.layout.nv)
        tau = np.zeros(len(model.mechanism.drives))
        loads = [np.zeros(6), *np.eye(6)]
        found = [model.forward_dynamics(model.home, still, tau, {frame: w}).vdot for w in loads]
        answer = np.stack([model.frame_twist(model.home, vdot - found[0], frame) for vdot in found[1:]])  # load, motion
        moves = np.zeros(6, dtype=bool)
        for part in (slice(0, 3), slice(3, 6)):
            own = np.abs(answer[part, part]).max(axis=1)
            moves[part] = own > MOVED * own.max() if own.max() > 0 else False
        return cls(frame, tuple(map(bool, moves)), _least(answer[:3, :3]), _least(answer[3:, 3:]), float(model.size))

    @property
    def can_be_dragged(self) -> bool:
        """Whether a force moves it."""
        return any(self.moves[:3])

    @property
    def stiffness(self) -> float:
        """Of the spring (N/m) that is offered first: two digits."""
        return float(f"{self.mass * (2 * np.pi * FREQUENCY) ** 2:.2g}")

    def usual_loads(self) -> tuple[float, float]:
        """(N, N m) that move it visibly on springs of some hertz: by a tenth of the robot's size, by a radian; round numbers."""
        servo = (2 * np.pi * SERVO) ** 2
        return round_above(self.mass * servo * 0.1 * self.size), round_above(self.inertia * servo)

    def stiffest(self, step: float) -> float:
        """The largest spring (N/m) whose force may be held for a step (s): two digits."""
        return float(f"{self.mass * (FASTEST / step) ** 2:.2g}")

    def spring_force(self, dragged: Vector, x: Vector, v: Vector, stiffness: float, most: float) -> Vector:
        """(3,) N: (1)."""
        damping = 2 * DAMPING_RATIO * np.sqrt(stiffness * self.mass)
        force = stiffness * (dragged - x) - damping * v
        size = float(np.linalg.norm(force))
        return force if size <= most else force * (most / size)


def first_pushed(model: Model, names: tuple[str, ...]) -> PushedFrame:
    """The first of the named frames that a force moves, else that a moment moves."""
    turned = None
    for name in names:
        pushed = PushedFrame.of(model, name)
        if pushed.can_be_dragged:
            return pushed
        turned = pushed if turned is None and any(pushed.moves) else turned
    if turned is None:
        raise UsageError(f"{model.robot.name} has no body that a push moves: nothing can run live")
    return turned


def _least(answer: np.ndarray) -> float:
    """The least inertia of a unit load's accelerations (3, 3); 0 where nothing moves."""
    largest = float(np.linalg.eigvalsh((answer + answer.T) / 2).max())
    return 1.0 / largest if largest > 0 else 0.0


def round_above(x: float) -> float:
    """1, 2 or 5 times a power of ten, not below x; 1 for none."""
    if not x > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(x))
    return float(f"{power * next(k for k in (1, 2, 5, 10) if k * power >= x * (1 - 1e-9)):.6g}")
