"""Exudyn through its Python package: every body has coordinates of its own, joints and loops are constraints; forward dynamics
is what its implicit solver computes first, the accelerations at the start of a run, one call a state.

A body's coordinates are displacements of its origin and changes of four Euler parameters (wxyz) from where it stands at home.
"""

from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.rotation import quaternion_wxyz_from_rotation
from gough_bench.exudyn_modes import add_modal_body, lacking_in_modes
from gough_bench.peer import Case, Peer, seconds_per_call
from gough_bench.tree import KNOWN, PeerJoint, Tree, lacking_in_trees
from gough_bench.truth import frames_at

AXES = {"RX": 3, "RY": 4, "RZ": 5, "PX": 0, "PY": 1, "PZ": 2}
"""Which of a joint's six relative motions is free."""
STRAIGHT = np.eye(3)


class Exudyn(Peer):
    """Redundant coordinates; a sparse solve with all constraints at every call. Loops get the axes that are not redundant."""

    name = "Exudyn"
    call = "initial accelerations of the implicit solver"
    functions = ("forward_dynamics",)
    single = True
    tolerance = 1e-5
    remark = "seven coordinates a body; velocity terms of joints by differences"

    def available(self) -> str:
        return "" if find_spec("exudyn") else "not installed: `pip install exudyn`"

    def prepare(self, case: Case) -> str:
        tree = Tree(case.model)
        reason = lacking_in_trees(case.model, bending=True) or lacking_in_exudyn(tree) or lacking_in_modes(tree)
        if reason:
            return reason
        self._case, self._tree = case, tree
        self._build()
        states = case.states
        bodies = [body_motions(tree, q, u) for q, u in zip(states.q, states.u, strict=True)]
        self._turns = [[b.R for b in body] for body in bodies]
        rows = [np.array([b.coordinates() for b in body]) for body in bodies]
        self._q = [self._with_modes(x[:, 0] - self._reference, q) for x, q in zip(rows, states.q, strict=True)]
        self._v = [self._with_modes(x[:, 1], u, of_rates=True) for x, u in zip(rows, states.u, strict=True)]
        self._pushes = [self._push(k) for k in range(len(states))]
        return ""

    def _with_modes(self, rows: np.ndarray, of: np.ndarray, of_rates: bool = False) -> np.ndarray:
        """Coordinates of all bodies in one row, the platform's amplitudes after its own."""
        elastic = self._tree.joints[0].link.elastic
        if elastic is None:
            return np.ravel(rows)
        first = elastic.u if of_rates else elastic.q
        return np.concatenate([rows[0], of[first : first + elastic.modes], np.ravel(rows[1:])])

    def answers(self) -> np.ndarray:
        return np.array([self._reduced(k, np.array(self._evaluate(k))) for k in range(len(self._q))])

    def seconds(self, budget: float, threads: int = 1) -> float:
        turn = cycle(range(len(self._q)))
        return seconds_per_call(lambda: self._evaluate(next(turn)), budget)

    def _evaluate(self, k: int) -> Any:
        system, start = self._mbs.systemData, self._start
        system.SetODE2Coordinates(self._q[k], start)
        system.SetODE2Coordinates_t(self._v[k], start)
        for load, vector in self._pushes[k]:
            self._mbs.SetLoadParameter(load, "loadVector", vector)
        if not self._solver.InitializeSolver(self._mbs, self._settings):
            raise RuntimeError(self._solver.GetErrorString())
        return system.GetODE2Coordinates_tt(self._now)

    # ---- the robot

    def _build(self) -> None:
        exu: Any = import_module("exudyn")
        items: Any = import_module("exudyn.itemInterface")
        tree, model = self._tree, self._case.model
        self._container = exu.SystemContainer()
        mbs = self._mbs = self._container.AddSystem()
        home = body_motions(tree, model.home, np.zeros(model.layout.nu))
        self._reference = np.array([b.coordinates()[0] for b in home])
        numbers, mesh = [mbs.AddObject(items.ObjectGround())], {}
        for joint, at in zip(tree.joints, home, strict=True):
            node = mbs.AddNode(items.NodeRigidBodyEP(referenceCoordinates=list(at.coordinates()[0])))
            if joint.link.elastic is not None:
                made, mesh = add_modal_body(items, mbs, tree, joint, node)
                numbers.append(made)
            else:
                numbers.append(mbs.AddObject(_rigid_body(items, joint, node)))
            if joint.mass:
                mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=numbers[-1]))
                mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=tree.gravity))
        marker = lambda body, p, R=STRAIGHT: mbs.AddMarker(  # noqa: E731
            items.MarkerBodyRigid(bodyNumber=numbers[body], localHT=exu.HT(rotation=R, translation=p))
        )
        for k, joint in enumerate(tree.joints, start=1):
            if joint.kind == "free":
                continue
            held = [1] * 6
            for way in range(6):
                held[way] = int(way != AXES[joint.kind])
            ends = [marker(joint.parent, joint.p, joint.R), marker(k, np.zeros(3))]
            mbs.AddObject(items.ObjectJointGeneric(markerNumbers=ends, constrainedAxes=held))
        loops = zip(model.mechanism.cuts, held_loops(tree, model.home), strict=True)
        for cut, (first, second, held) in loops:
            ends = [marker(first[0], first[2], first[1])]
            if cut.second in mesh:  # a ball on a node of a body that bends
                at_node = {"meshNodeNumbers": [mesh[cut.second]], "weightingFactors": [1.0]}
                ends.append(mbs.AddMarker(items.MarkerSuperElementPosition(bodyNumber=numbers[second[0]], **at_node)))
                mbs.AddObject(items.ObjectJointSpherical(markerNumbers=ends, constrainedAxes=held[:3]))
                continue
            ends.append(marker(second[0], second[2], second[1]))
            mbs.AddObject(items.ObjectJointGeneric(markerNumbers=ends, constrainedAxes=held))
        self._loads = self._add_loads(items, marker)
        mbs.Assemble()
        settings = self._settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 1, 1e-6
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        self._solver = exu.MainSolverImplicitSecondOrder()
        self._start, self._now = exu.ConfigurationType.Initial, exu.ConfigurationType.Current

    # ---- drive forces: on both bodies of a driven joint, at their origins, in world axes

    def _add_loads(self, items: Any, marker: Any) -> dict[int, tuple[Any, Any]]:
        """(force, moment) of every body that a drive acts on."""
        found = {}
        for drive in self._case.model.mechanism.drives:
            k = self._joint_of(drive.link)
            for body in (k, self._tree.joints[k - 1].parent):
                if body and body not in found:
                    at = marker(body, np.zeros(3))
                    force = self._mbs.AddLoad(items.LoadForceVector(markerNumber=at, loadVector=[0, 0, 0]))
                    moment = self._mbs.AddLoad(items.LoadTorqueVector(markerNumber=at, loadVector=[0, 0, 0]))
                    found[body] = (force, moment)
        return found

    def _joint_of(self, link: int) -> int:
        return next(
            k for k, j in enumerate(self._tree.joints, start=1) if j.link is self._case.model.mechanism.links[link]
        )

    def _push(self, state: int) -> list[tuple[Any, np.ndarray]]:
        """Loads and their vectors at a state."""
        total = {body: np.zeros(6) for body in self._loads}
        places = body_motions(self._tree, self._case.states.q[state], self._case.states.u[state])
        for drive, tau in zip(self._case.model.mechanism.drives, self._case.states.tau[state], strict=True):
            k = self._joint_of(drive.link)
            joint, own = self._tree.joints[k - 1], places[k - 1]
            way = own.R @ _axis(joint) * tau  # the axis is the same on both sides
            total[k] += np.concatenate([way, np.zeros(3)] if joint.kind[0] == "P" else [np.zeros(3), way])
            if joint.parent:
                arm = own.p - places[joint.parent - 1].p
                total[joint.parent] -= np.concatenate(
                    [way, np.cross(arm, way)] if joint.kind[0] == "P" else [np.zeros(3), way]
                )
        loads = []
        for body, (force, moment) in self._loads.items():
            loads += [(force, total[body][:3]), (moment, total[body][3:])]
        return [(load, vector) for load, vector in loads if np.any(vector)]

    # ---- its accelerations as those of v

    def _reduced(self, state: int, found: np.ndarray) -> np.ndarray:
        elastic = self._tree.joints[0].link.elastic
        modes = slice(7, 7 + (elastic.modes if elastic is not None else 0))
        bending, rows = found[modes], np.delete(found, modes).reshape(-1, 7)
        places = body_motions(self._tree, self._case.states.q[state], self._case.states.u[state])
        turning = [2.0 * _from_parameters(b.quaternion) @ row[3:] for b, row in zip(places, rows, strict=True)]
        out = []
        for column in self._case.model.mechanism.selection.independent:
            if elastic is not None and 0 <= column - elastic.u < elastic.modes:
                out.append(bending[column - elastic.u])
                continue
            k, joint = next((i, j) for i, j in enumerate(self._tree.joints) if column in j.link.columns)
            if joint.kind == "free":
                way = list(joint.link.columns).index(column)
                out.append(np.concatenate([rows[k, :3], turning[k]])[way])
            else:
                other = turning[joint.parent - 1] if joint.parent else np.zeros(3)
                out.append((places[k].R @ _axis(joint)) @ (turning[k] - other))
        return np.array(out)


def lacking_in_exudyn(tree: Tree) -> str:
    """What of the robot is not written for it here; "" where all is."""
    if any(j.kind == "ball" for j in tree.joints):
        return "balls in the tree are not written for it"
    if any(j.rotor and (j.parent or j.kind[0] != "R") for j in tree.joints):
        return "it does not have a rotor's inertia on a joint that moves or slides"
    columns = set(tree.model.mechanism.selection.independent)
    if any(j.kind[0] == "P" and columns & set(j.link.columns) for j in tree.joints):
        return "a sliding joint as independent velocity is not written for it"
    return ""


def _rigid_body(items: Any, joint: PeerJoint, node: Any) -> Any:
    I = joint.about_origin + (np.outer(*2 * [_axis(joint)]) * joint.rotor if joint.rotor else 0.0)
    moments = [I[0, 0], I[1, 1], I[2, 2], I[1, 2], I[0, 2], I[0, 1]]
    return items.ObjectRigidBody(mass=joint.mass, inertia=moments, centerOfMass=joint.center, nodeNumber=node)


Side = tuple[int, np.ndarray, np.ndarray]
"""Joint number, R and p of a frame on it."""
INDEPENDENT = 1e-8


def held_loops(tree: Tree, q: np.ndarray) -> list[tuple[Side, Side, list[int]]]:
    """Both sides of every cut and which of its six relative motions are held, in the first side's axes: those that the loop
    joint holds and no joint or cut before it does already."""
    frames, found, basis = frames_at(tree, q), [], np.zeros((0, tree.model.layout.nu))
    for cut in tree.model.mechanism.cuts:
        first, second = tree.frame(cut.first, cut.on_first), tree.frame(cut.second, cut.on_second)
        turning = {"point": 0, "weld": 1, "hinge": 1}[KNOWN[cut.type]]
        wanted = [1, 1, 1, turning, turning, turning]
        if KNOWN[cut.type] == "hinge":
            wanted[3 + next(axis for side, axis in cut.free_axes if side != "ball")] = 0
        ends = [frames[joint].carry(R, p) for joint, R, p in (first, second)]
        axes = ends[0].R.astype(float)
        rows = np.concatenate([axes.T @ (ends[0].J_v - ends[1].J_v), axes.T @ (ends[0].J_w - ends[1].J_w)]).astype(
            float
        )
        for way in range(6):
            rest = rows[way] - basis.T @ (basis @ rows[way])
            rest = rest - basis.T @ (basis @ rest)
            length = np.linalg.norm(rest)
            if wanted[way] and length > INDEPENDENT * max(np.linalg.norm(rows[way]), INDEPENDENT):
                basis = np.concatenate([basis, rest[None] / length])
            else:
                wanted[way] = 0
        found.append((first, second, wanted))
    return found


# ---- where the bodies are: origins, Euler parameters and their rates


class _Placed:
    """A body's R, p, Euler parameters, velocity of its origin and angular velocity, in world axes."""

    def __init__(self, R: np.ndarray, p: np.ndarray, v: np.ndarray, w: np.ndarray) -> None:
        self.R, self.p, self.v, self.w = R, p, v, w
        self.quaternion = np.asarray(quaternion_wxyz_from_rotation(R), float)

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """Seven coordinates and their rates."""
        rates = 0.5 * _from_parameters(self.quaternion).T @ self.w
        return np.concatenate([self.p, self.quaternion]), np.concatenate([self.v, rates])


def _from_parameters(e: np.ndarray) -> np.ndarray:
    """G (3, 4): angular velocity in world axes = 2 G ė."""
    w, x, y, z = e
    return np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]])


def _axis(joint: PeerJoint) -> np.ndarray:
    return joint.link.sign * np.eye(3)[joint.link.axis]


def body_motions(tree: Tree, q: np.ndarray, u: np.ndarray) -> list[_Placed]:
    """All bodies of a state, in the order of the joints."""
    found: list[_Placed] = []
    for joint in tree.joints:
        link, at = joint.link, list(joint.link.columns)
        if joint.kind == "free":
            R = np.asarray(rotation_from_quaternion_wxyz(q[link.q + 3 : link.q + 7]), float)
            found.append(_Placed(R, q[link.q : link.q + 3], u[at[:3]], u[at[3:]]))
            continue
        still = _Placed(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        parent = found[joint.parent - 1] if joint.parent else still
        axis, angle = np.eye(3)[link.axis], link.sign * q[link.q]
        R, p = parent.R @ joint.R, parent.p + parent.R @ joint.p
        way = R @ axis * link.sign * u[at[0]]
        if joint.kind[0] == "P":
            p = p + R @ axis * angle
            found.append(_Placed(R, p, parent.v + np.cross(parent.w, p - parent.p) + way, parent.w))
            continue
        half = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
        turned = R @ np.asarray(rotation_from_quaternion_wxyz(half), float)
        found.append(_Placed(turned, p, parent.v + np.cross(parent.w, p - parent.p), parent.w + way))
    return found
