"""Time-optimal motion: a five-bar mechanism from rest to rest with bounded torques and speeds, by CasADi and IPOPT.

The model's functions become CasADi functions (`to_casadi`); IPOPT finds torques that are constant on each of N
intervals, the states between them, and the shortest time. Expected:

- With rods of no mass and cranks of inertia I the motors do not feel each other, and the minimum is known: full torque for
  half of the time, then full braking, T = 2 √(I Δθ / τ) of the motor with the longer way.
- For the robot of the gallery, by Pontryagin's principle, one motor is at its torque limit, or a speed at its own, at every
  instant; with N intervals all but the few in which a motor switches.
- The torques found, played into the library's own forward dynamics with another integrator (DOP853, the loop closed anew at
  every call), end at the goal and at rest; the optimiser's own motion, which integrates all joints, keeps the loop closed.
"""

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import gough

N = 40
TORQUE, SPEED = 2.0, 5.0  # N m, rad/s
INERTIA, WAY = 0.02, np.array([1.0, 0.6])  # kg m2 and rad of the cranks alone
START, GOAL = np.radians([150.0, 90.0]), np.radians([80.0, 10.0])
EXPECTED = {  # value, tolerance
    "time, rods without mass (s)": (2 * np.sqrt(INERTIA * WAY[0] / TORQUE), 1e-6),
    "share of intervals at a limit": (1.0, 0.1),
    "torque above its limit (N m)": (0.0, 1e-6),
    "miss after replay (rad)": (0.0, 1e-5),
    "speed left after replay (rad/s)": (0.0, 1e-4),
    "open loop at the end": (0.0, 1e-5),
}


def fastest(model, start, goal, speed=np.inf, guess=0.5):
    """(T, q (N+1, nq), v (N+1, nv), tau (N, drives)) of the fastest motion between configurations at rest."""
    forward = model.function("forward_dynamics").to_casadi()  # q, v, tau, force -> vdot; the design's numbers inside
    rate = model.function("configuration_rate").to_casadi()  # q, v -> qdot
    nq, nv = len(start), model.layout.nv
    q, v, tau, h = ca.SX.sym("q", nq), ca.SX.sym("v", nv), ca.SX.sym("tau", nv), ca.SX.sym("h")

    def slope(x):
        state = {"q": x[:nq], "v": x[nq:]}
        forces = {"tau": tau, "force": ca.DM.zeros(nv)}
        return ca.vertcat(rate(**state)["qdot"], forward(**state, **forces)["vdot"])

    x = ca.vertcat(q, v)
    k1 = slope(x)
    k2 = slope(x + h / 2 * k1)
    k3 = slope(x + h / 2 * k2)
    k4 = slope(x + h * k3)
    step = ca.Function("step", [x, tau, h], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)]).map(N)

    opti = ca.Opti()
    X, U, T = opti.variable(nq + nv, N + 1), opti.variable(nv, N), opti.variable()
    opti.minimize(T)
    opti.subject_to(X[:, 1:] == step(X[:, :-1], U, T / N))
    opti.subject_to(X[:, 0] == np.concatenate([start, np.zeros(nv)]))
    motors = [model.layout.q_names.index(name) for name in model.layout.drive_names]
    opti.subject_to(ca.vertcat(*[X[i, -1] for i in motors]) == goal[motors])
    opti.subject_to(X[nq:, -1] == 0)
    opti.subject_to(opti.bounded(-TORQUE, ca.vec(U), TORQUE))
    if np.isfinite(speed):
        opti.subject_to(opti.bounded(-speed, ca.vec(X[nq:, :]), speed))
    opti.subject_to(opti.bounded(0.05, T, 5.0))
    line = np.linspace(start, goal, N + 1).T
    opti.set_initial(X, np.vstack([line, np.gradient(line[motors], guess / N, axis=1)]))
    opti.set_initial(T, guess)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-9})
    found = opti.solve()
    states = found.value(X).T
    return found.value(T), states[:, :nq], states[:, nq:], found.value(U).T


def replay(model, T, start, tau):
    """Final angles and rates of the motors under the torques: the library's forward dynamics in DOP853; at every call the
    elbows follow from closing the loop."""
    nv, last = model.layout.nv, [start]

    def slope(_, x, torque):
        last[0] = model.configuration(drives=x[:nv], near=last[0])
        return np.concatenate([x[nv:], model.forward_dynamics(last[0], x[nv:], torque).vdot])

    x = np.concatenate([start[[0, 2]], np.zeros(nv)])
    for torque in tau:
        x = solve_ivp(slope, (0.0, T / N), x, "DOP853", rtol=1e-8, atol=1e-10, first_step=T / N, args=(torque,)).y[
            :, -1
        ]
    return x[:nv], x[nv:]


def bare_cranks():
    crank = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": INERTIA, "yy": INERTIA, "zz": INERTIA}}
    return gough.robots.five_bar(0.24, 0.25, 0.35, home=(0.0, 0.45), crank=crank, rod={"mass": 0.0}, name="bare")


def main():
    bare = gough.build(bare_cranks())
    start = bare.configuration(drives=START)
    shortest = fastest(bare, start, bare.configuration(drives=START - WAY, near=start))[0]

    model = gough.build("five_bar")
    start = model.configuration(drives=START)
    goal = model.configuration(drives=GOAL, near=start)
    T, q, v, tau = fastest(model, start, goal, SPEED)
    at_torque = (np.abs(tau) > 0.99 * TORQUE).any(axis=1)
    at_speed = (np.abs(v[:-1]) > 0.99 * SPEED).any(axis=1)
    angles, rates = replay(model, T, start, tau)
    print(f"{T:.4f} s; torque limits in {at_torque.sum()} of {N} intervals, speed limits in {at_speed.sum()}")
    return {
        "time, rods without mass (s)": shortest,
        "share of intervals at a limit": (at_torque | at_speed).mean(),
        "torque above its limit (N m)": max(0.0, np.abs(tau).max() - TORQUE),
        "miss after replay (rad)": np.abs(angles - GOAL).max(),
        "speed left after replay (rad/s)": np.abs(rates).max(),
        "open loop at the end": float(model.closure_error(q[-1])),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
