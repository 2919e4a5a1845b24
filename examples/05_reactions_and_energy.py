"""Reactions in every joint, and where the power goes: the robot of [Pedrammehr 2012] on its path 3.

Expected, from mechanics: the legs' reactions on the platform and its weight are its change of momentum (Newton), so
their residual is 0; and the energy of the robot changes by the work of the drives less the losses. Friction is viscous,
so energies along the path, at its start and end, must fit the integral of the power. The largest drive force is
2377.4 N (an independent model: energies with automatic differentiation).
"""

import numpy as np

import gough

EXPECTED = {  # value, tolerance
    "largest force (N)": (2377.4, 0.05),
    "Newton's residual (N)": (0.0, 1e-8),
    "energy balance (J)": (0.0, 1e-6),  # Simpson's rule on 119 points
}

MASS, CENTER = 40.0, np.array([0.04, 0.03, -0.06])  # of the platform [Pedrammehr 2012, Appendix 2]


def main():
    motion = gough.named_motion("pedrammehr2012_path3")
    dt = motion.duration / 601
    path = motion.at(dt * (np.arange(601) + 0.5))  # no sample falls on a jump of acceleration
    v = path.velocity
    model = gough.build("pedrammehr2012")  # warns: the paper's inertia tensors are not physical
    q = model.configuration(pose=path.position)
    tau = model.inverse_dynamics(q, v, path.acceleration).tau

    few = slice(None, None, 13)  # 47 of the 601 states
    reactions = model.joint_reactions(q[few], v[few], path.acceleration[few])
    on_platform = reactions.cuts[..., :3].sum(axis=1)  # (47, 3) N, world axes
    _, R = model.frame_pose(q[few], "platform")
    r, w, alpha = R @ CENTER, v[few, 3:], path.acceleration[few, 3:]
    of_center = path.acceleration[few, :3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    newton = on_platform - MASS * (of_center - np.array([0.0, 0.0, -9.81]))

    energies = model.energies(q, v)
    power = np.sum(tau * model.drive_rates(q, v), axis=1) - energies.losses
    inside = slice(120, 239)  # between two jumps of acceleration (0.1 s and 0.246 s)
    work = simpson(power[inside], dt)
    gained = energies.total[inside][-1] - energies.total[inside][0]
    return {
        "largest force (N)": np.abs(tau).max(),
        "Newton's residual (N)": np.abs(newton).max(),
        "energy balance (J)": work - gained,
    }


def simpson(y, dt):
    return dt / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
