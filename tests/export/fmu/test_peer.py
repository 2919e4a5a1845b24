"""An FMU beside Pinocchio: a hexapod with six different legs as a tree, its six balls closed by multipliers."""

import json

import fmpy
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.export import export_fmu
from gough.robot import loads

from .conftest import VERSIONS

END = 0.5
BASE, TOP = np.radians([5, 62, 118, 185, 233, 301]), np.radians([28, 40, 150, 158, 270, 282])
POSE = ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz", "wx", "wy", "wz")


def body(mass, center, xx, yy, zz, **products):
    return {
        "mass": mass,
        "center_of_mass": center,
        "inertia": {"about": "center_of_mass", "xx": xx, "yy": yy, "zz": zz, **products},
    }


PLATFORM = body(12, [0.01, -0.02, 0.03], 0.3, 0.35, 0.55, xy=0.01, xz=-0.02)
LEGS = [
    {
        "name": f"leg{k}",
        "base": {"position": [(0.5 + 0.02 * k) * np.cos(BASE[k]), (0.5 + 0.02 * k) * np.sin(BASE[k]), 0.01 * k]},
        "on_platform": {
            "position": [(0.25 + 0.01 * k) * np.cos(TOP[k]), (0.25 + 0.01 * k) * np.sin(TOP[k]), 0.005 * k]
        },
        "chain": [
            {
                "name": "hip",
                "type": "universal",
                "axes": [[1, 0, 0], [0, 1, 0]],
                "body": {
                    "name": "lower",
                    **body(2 + 0.3 * k, [0.01 * k, -0.005, 0.15 + 0.01 * k], 0.02, 0.021, 0.014, xy=5e-4),
                },
            },
            {
                "name": "slide",
                "type": "prismatic",
                "drive": {"viscous": 20 + 3 * k},
                "body": {
                    "name": "upper",
                    **body(1 + 0.1 * k, [0.002, 0.003 * k, -0.2 - 0.01 * k], 0.013, 0.014, 1.5e-3),
                },
            },
        ],
        "cut": {"name": "ball", "type": "spherical"},
    }
    for k in range(6)
]
ROBOT = {
    "format": 1,
    "name": "odd_hexapod",
    "platform": PLATFORM,
    "legs": LEGS,
    "home": {"pose": {"position": [0, 0, 0.6]}},
}


def inertia(given):
    own = given["inertia"]
    I = np.diag([own["xx"], own["yy"], own["zz"]]).astype(float)
    for (i, k), key in {(0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}.items():
        I[i, k] = I[k, i] = own.get(key, 0.0)
    return pin.Inertia(given["mass"], np.array(given["center_of_mass"], dtype=float), I)


class Peer:
    """The tree: a free platform, then of each leg two hinges and a slide."""

    def __init__(self):
        self.model, none = pin.Model(), pin.SE3.Identity()
        self.free = self.model.addJoint(0, pin.JointModelFreeFlyer(), none, "platform")
        self.model.appendBodyToJoint(self.free, inertia(PLATFORM), none)
        self.slides = []
        for leg in LEGS:
            at = pin.SE3(np.eye(3), np.array(leg["base"]["position"]))
            j = self.model.addJoint(0, pin.JointModelRX(), at, leg["name"] + "x")
            j = self.model.addJoint(j, pin.JointModelRY(), none, leg["name"] + "y")
            self.model.appendBodyToJoint(j, inertia(leg["chain"][0]["body"]), none)
            j = self.model.addJoint(j, pin.JointModelPZ(), none, leg["name"] + "z")
            self.model.appendBodyToJoint(j, inertia(leg["chain"][1]["body"]), none)
            self.slides.append(j)
        self.data = self.model.createData()

    def first(self):
        """Coordinates at home: the legs by trigonometry."""
        q = pin.neutral(self.model)
        q[2] = 0.6
        for k, leg in enumerate(LEGS):
            d = q[:3] + leg["on_platform"]["position"] - leg["base"]["position"]
            length = np.linalg.norm(d)
            q[7 + 3 * k : 10 + 3 * k] = np.arctan2(-d[1], d[2]), np.arcsin(d[0] / length), length
        return q

    def acceleration(self, q, v, tau):
        """Of the tree (24,), with multipliers for the balls."""
        model, data, axes = self.model, self.data, pin.LOCAL_WORLD_ALIGNED
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, q)
        whole = pin.getJointJacobian(model, data, self.free, axes)
        moved = pin.getClassicalAcceleration(model, data, self.free, axes)
        w = pin.getVelocity(model, data, self.free, axes).angular
        rows, rest, force = [], [], np.zeros(model.nv)
        for k, (leg, j) in enumerate(zip(LEGS, self.slides, strict=True)):
            r = data.oMi[self.free].rotation @ np.array(leg["on_platform"]["position"])
            rows.append(pin.getJointJacobian(model, data, j, axes)[:3] - whole[:3] + pin.skew(r) @ whole[3:])
            point = moved.linear + np.cross(moved.angular, r) + np.cross(w, np.cross(w, r))
            rest.append(pin.getClassicalAcceleration(model, data, j, axes).linear - point)
            force[8 + 3 * k] = tau[k] - leg["chain"][1]["drive"]["viscous"] * v[8 + 3 * k]
        J, n = np.vstack(rows), model.nv
        M = np.triu(pin.crba(model, data, q))
        K = np.block([[M + np.triu(M, 1).T, -J.T], [J, np.zeros((18, 18))]])
        given = np.concatenate([force - pin.nonLinearEffects(model, data, q, v), -np.concatenate(rest)])
        return np.linalg.solve(K, given)[:n]

    def run(self, tau):
        """Pose and twist of the platform (12,) at the end."""
        nq = self.model.nq

        def rates(_, y):
            q, v = y[:nq].copy(), y[nq:]
            q[3:7] /= np.linalg.norm(q[3:7])
            turned, w = pin.Quaternion(q[6], q[3], q[4], q[5]), v[3:6]
            spin = turned * pin.Quaternion(0.0, *w)
            return np.concatenate([turned.matrix() @ v[:3], 0.5 * spin.coeffs(), v[6:], self.acceleration(q, v, tau)])

        first = np.concatenate([self.first(), np.zeros(self.model.nv)])
        y = solve_ivp(rates, (0, END), first, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
        R = pin.Quaternion(y[6], y[3], y[4], y[5]).matrix()
        return np.concatenate([y[:3], pin.rpy.matrixToRpy(R), R @ y[nq : nq + 3], R @ y[nq + 3 : nq + 6]])


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_a_hexapod_with_six_different_legs(version, tmp_path):
    model = gough.build(loads(json.dumps(ROBOT)))
    tau = np.full(6, 60.0) + [1, -2, 1.5, 0.5, -1, 2]
    wanted = Peer().run(tau)
    file = export_fmu(model, tmp_path / "odd.fmu", version=version, frames=["platform"], derivatives=False)
    names = [f"frame.platform.{x}" for x in POSE]
    start = {f"{name}.force": x for name, x in zip(model.layout.drive_names, tau, strict=True)}
    for kind, most in (("CoSimulation", 1e-8), ("ModelExchange", 1e-6)):
        found = fmpy.simulate_fmu(
            str(file),
            fmi_type=kind,
            solver="CVode",
            relative_tolerance=1e-10,
            start_values=start,
            stop_time=END,
            output_interval=0.01,
            output=[*names, "closure_error"],
        )
        assert np.abs(np.array([found[x][-1] for x in names]) - wanted).max() < most
        assert found["closure_error"].max() < 1e-9
