"""Plane mechanisms of beams and rigid bodies in Exudyn: absolute nodal coordinates, constraints by multipliers.

A beam is a row of ANCF cable elements (`ObjectANCFCable2D`): cubic positions, axial strain |r'| - 1, bending by the material
curvature, any rotation; no shear, no inertia of turning sections. Nothing of it is shared with the library, whose beams are
shapes in a frame that follows the body. Pins between nodes and the lock of a beam's first section are linear in the
coordinates, so Exudyn's natural frequencies, whose stiffness leaves out what joint forces do when a joint turns, are exact for
them in a loaded state too; rigid bodies join by true joints and are for unloaded states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, sin
from typing import Any

import exudyn
import exudyn.itemInterface
import numpy as np

exu: Any = exudyn  # its stubs take the package itself for the type of an index
items: Any = exudyn.itemInterface


@dataclass(frozen=True)
class Strip:
    """A rectangular beam: height (m) in the plane, width across, E (Pa), density (kg/m3), beta (s): damping over stiffness."""

    height: float
    width: float
    E: float
    density: float
    beta: float = 0.0

    def cable(self) -> dict[str, float]:
        """Constants of a cable element: kg/m, N m2, N, and both stiffnesses' damping."""
        EA = self.E * self.width * self.height
        EI = EA * self.height**2 / 12
        return {
            "massPerLength": self.density * self.width * self.height,
            "bendingStiffness": EI,
            "axialStiffness": EA,
            "bendingDamping": self.beta * EI,
            "axialDamping": self.beta * EA,
        }


@dataclass(frozen=True)
class Row:
    """A beam's nodes and elements, and the length of an element (m)."""

    nodes: list[Any]
    cables: list[Any]
    step: float


@dataclass(frozen=True)
class Rigid:
    """A rigid body, and where its mass centre is along it (m)."""

    body: Any
    centre: float


class ExudynPlane:
    """A mechanism in the xy plane, weight along -y (m/s2). Add parts, then ask; `assembled` comes by itself."""

    def __init__(self, weight: float = 0.0) -> None:
        self._container = exu.SystemContainer()
        self.mbs = self._container.AddSystem()
        self.weight = weight
        self._still = self.mbs.AddNode(items.NodePointGround())
        self._ground = self.mbs.AddObject(items.ObjectGround())
        self._ready = False

    def beam(self, start: np.ndarray, end: np.ndarray, strip: Strip, elements: int) -> Row:
        """A straight beam between two points (2,) m."""
        length = float(np.hypot(*(end - start)))
        along = (end - start) / length
        places = [start + (end - start) * k / elements for k in range(elements + 1)]
        nodes = [self.mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[*p, *along])) for p in places]
        cables = []
        for pair in pairwise(nodes):
            made = items.ObjectANCFCable2D(length=length / elements, nodeNumbers=list(pair), **strip.cable())
            cables.append(self.mbs.AddObject(made))
            marker = self.mbs.AddMarker(items.MarkerBodyMass(bodyNumber=cables[-1]))
            self.mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[0, -self.weight, 0]))
        return Row(nodes, cables, length / elements)

    def point_mass(self, place: np.ndarray, mass: float) -> Any:
        """A node (2,) m with a mass in kg; pin it to something."""
        node = self.mbs.AddNode(items.NodePoint2D(referenceCoordinates=list(place)))
        self.mbs.AddObject(items.ObjectMassPoint2D(mass=mass, nodeNumber=node))
        marker = self.mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node))
        self.mbs.AddLoad(items.LoadForceVector(markerNumber=marker, loadVector=[0, -self.weight * mass, 0]))
        return node

    def rigid(self, origin: np.ndarray, angle: float, M: float, MX: float, ZZ: float) -> Rigid:
        """A rigid body along `angle`: mass, first moment along it and moment of inertia about its origin."""
        if self.weight:
            raise ValueError("rigid bodies are weightless here: the joints' forces would be missed by the stiffness")
        centre = MX / M
        place = [origin[0] + centre * cos(angle), origin[1] + centre * sin(angle), angle]
        node = self.mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=place))
        body = items.ObjectRigidBody2D(mass=M, inertia=ZZ - MX * centre, nodeNumber=node)
        return Rigid(self.mbs.AddObject(body), centre)

    def carriage(self, place: np.ndarray, way: Callable[[float], float], rate: Callable[[float], float]) -> Rigid:
        """A body that does not turn and is way(t), m, along y from its place (2,); rate(t), m/s, is its speed."""
        return self._led([*place, 0.0], 1, way, rate)

    def hub(
        self, place: np.ndarray, angle: float, turn: Callable[[float], float], rate: Callable[[float], float]
    ) -> Rigid:
        """A body that stays at its place (2,) and is turned by turn(t), rad, from an angle; rate(t), rad/s, is its speed."""
        return self._led([*place, angle], 2, turn, rate)

    def _led(
        self, place: Sequence[float], led: int, way: Callable[[float], float], rate: Callable[[float], float]
    ) -> Rigid:
        """A body of which one coordinate (x, y, angle) is led from its place and the others stay."""
        node = self.mbs.AddNode(items.NodeRigidBody2D(referenceCoordinates=list(place)))
        made = Rigid(self.mbs.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=node)), 0.0)
        still = self.mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=self._still, coordinate=0))
        for axis in range(3):
            own = self.mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=axis))
            driven = {}
            if axis == led:
                driven["offsetUserFunction"] = lambda _mbs, t, _item, _offset: way(t)
                driven["offsetUserFunction_t"] = lambda _mbs, t, _item, _offset: rate(t)
            self.mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[still, own], **driven))
        return made

    def pin_nodes(self, first: Any, second: Any = None) -> None:
        """Two nodes that start at one place stay together; one alone stays where it is."""
        for axis in (0, 1):
            marks = [self._still if second is None else second, first]
            numbers = [
                self.mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=n, coordinate=0 if n is self._still else axis))
                for n in marks
            ]
            self.mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=numbers))

    def lock_start(self, row: Row, along: np.ndarray) -> None:
        """The beam's first section keeps its direction along (2,); it may stretch."""
        across = np.array([[0.0, 0.0, -along[1], along[0]]])
        still = self.mbs.AddMarker(items.MarkerNodeCoordinates(nodeNumber=self._still))
        first = self.mbs.AddMarker(items.MarkerNodeCoordinates(nodeNumber=row.nodes[0]))
        joint = items.ObjectConnectorCoordinateVector(
            markerNumbers=[still, first], scalingMarker0=np.zeros((1, 0)), scalingMarker1=across, offset=[0.0]
        )
        self.mbs.AddObject(joint)

    def at(self, part: Rigid | Row | None, place: Any) -> Any:
        """A place to join at: (2,) m on the ground, distance from a rigid body's origin, "start" or "end" of a beam."""
        match part, place:
            case None, _:
                body, local = self._ground, [*place, 0]
            case Rigid(), _:
                body, local = part.body, [place - part.centre, 0, 0]
            case Row(), "start":
                body, local = part.cables[0], [0, 0, 0]
            case Row(), "end":
                body, local = part.cables[-1], [part.step, 0, 0]
            case _:
                raise ValueError(place)
        return self.mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=local))

    def join(self, first: Any, second: Any, turns: bool) -> None:
        """A pin (it turns) or a weld between two places."""
        axes = [1, 1, 0, 0, 0, 0 if turns else 1]
        self.mbs.AddObject(items.ObjectJointGeneric(markerNumbers=[first, second], constrainedAxes=axes))

    def settle(self) -> None:
        """To rest under the weights; later questions are about that state."""
        settings = self._settings()
        settings.staticSolver.numberOfLoadSteps = 5
        settings.staticSolver.verboseMode = 0
        settings.staticSolver.newton.maxIterations = 60
        settings.staticSolver.newton.relativeTolerance = 1e-8  # finer ones drown in the rounding of axial forces
        settings.staticSolver.newton.absoluteTolerance = 1e-9
        self.mbs.SolveStatic(settings, updateInitialValues=True)

    def frequencies_hz(self, count: int) -> np.ndarray:
        """The lowest natural frequencies (count,)."""
        values = self.mbs.ComputeODE2Eigenvalues(self._settings(), useAbsoluteValues=False)[0]
        return np.sqrt(np.asarray(values)[:count]) / (2 * np.pi)

    def position(self, node: Any) -> np.ndarray:
        """Where a node is now (2,) m."""
        return np.asarray(self.mbs.GetNodeOutput(node, exu.OutputVariableType.Position))[:2]

    def swing(
        self, nodes: Mapping[str, Any], times: np.ndarray, step: float, tolerance: float = 1e-9
    ) -> dict[str, np.ndarray]:
        """Positions (t, 2) of nodes at equally spaced times (t,) from 0, released at rest; generalised-α with a step (s).
        tolerance: of the residual; stiff beams round it to about 1e-8."""
        kind = exu.OutputVariableType.Position
        sensors = {
            key: self.mbs.AddSensor(
                items.SensorNode(nodeNumber=n, storeInternal=True, writeToFile=False, outputVariableType=kind)
            )
            for key, n in nodes.items()
        }
        self._ready = False
        settings = self._settings()
        settings.solution.sensors.writePeriod = float(times[1] - times[0])
        run = settings.timeIntegration
        run.endTime, run.numberOfSteps, run.verboseMode = float(times[-1]), round(float(times[-1]) / step), 0
        run.generalizedAlpha.spectralRadius = 0.9
        run.newton.relativeTolerance, run.newton.absoluteTolerance = 1e-7, tolerance
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        self.mbs.SolveDynamic(settings)
        found = {key: np.asarray(self.mbs.GetSensorStoredData(s)) for key, s in sensors.items()}
        for rows in found.values():
            np.testing.assert_allclose(rows[:, 0], times, atol=1e-9)
        return {key: rows[:, 1:3] for key, rows in found.items()}

    def _settings(self) -> Any:
        if not self._ready:
            self.mbs.Assemble()
            self._ready = True
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        return settings


def sharpened(coarse: Sequence[np.ndarray] | np.ndarray, fine: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """Results of a step and of half of it, without the error that falls with the step's square."""
    return (4.0 * np.asarray(fine) - np.asarray(coarse)) / 3.0
