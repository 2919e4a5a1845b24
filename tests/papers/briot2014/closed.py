"""Briot, Khalil 2014: the loops closed, eqs. (25)-(44)."""

from dataclasses import dataclass

import numpy as np

from papers.briot2014.body import ALL_ON, body_model
from papers.briot2014.tree import congruence, recursion, tree_model
from papers.vectors import skew


@dataclass(frozen=True)
class Closed:
    """(44): M, c of q̈_r = (actuated, other of q_t⁰, platform); q̈_tot = J q̈_r + b with q̇_tot = (q̇_t, t_p)."""

    M: np.ndarray
    c: np.ndarray
    J: np.ndarray
    b: np.ndarray
    actuated: int

    def forward(self, tau):
        """q̈_tot for drive forces."""
        load = np.concatenate([tau, np.zeros(len(self.c) - self.actuated)])
        return self.J @ np.linalg.solve(self.M, load - self.c) + self.b

    def inverse(self, ddq_a):
        """(τ, q̈_tot) for accelerations of the drives."""
        n = self.actuated
        rest = np.linalg.solve(self.M[n:, n:], -self.c[n:] - self.M[n:, :n] @ ddq_a)
        ddq = np.concatenate([ddq_a, rest])
        return self.M[:n] @ ddq + self.c[:n], self.J @ ddq + self.b


def platform_model(robot, state):
    """M_p, c_p of (25) in world axes."""
    bar, rigid = np.kron(np.eye(2), state.R_p), np.zeros(0)
    M, c = body_model(robot.platform, bar.T @ state.t_p, rigid, rigid, state.R_p.T @ robot.g)
    return bar @ M @ bar.T, bar @ c


def end_of_leg(robot, chain, state, i, on):
    """J_p^i of (29) and J̇_p^i t_p of (37)."""
    w, p, R = state.t_p[3:], state.R_p @ robot.points[i], chain.R[robot.ends[i]].T
    bar, shift = np.kron(np.eye(2), R), np.block([[np.eye(3), -skew(p)], [np.zeros((3, 3)), np.eye(3)]])
    rate = np.concatenate([np.cross(w, np.cross(w, p)), np.zeros(3)])
    if not on.eq37_turning:
        t = shift @ state.t_p
        rate = rate - np.concatenate([np.cross(w, t[:3]), np.cross(w, t[3:])])
    return bar @ shift, bar @ rate


def from_tip_to_end(robot, chain, i, on):
    """Of leg i: R from the frame of its element il to that of its end, p from the tip of il to the end, the tip's rate matrix."""
    bent, end = robot.bent[i], robot.ends[i]
    after = next(k for k, e in enumerate(robot.elements) if e.before == bent)
    p = chain.R[bent].T @ (chain.origin[end] - chain.origin[bent])
    if on.eq34_tip:
        p = p - chain.steps[after].tip
    return chain.R[end].T @ chain.R[bent], p, chain.steps[after].rate


def tip_jacobian(robot, chain, i, on):
    """J_t^f of leg i by (34), the tip's own rate matrix taken along; six coordinates of the tip as columns."""
    R, p, rate = from_tip_to_end(robot, chain, i, on)
    block = np.block([[R, -R @ skew(p) @ rate], [np.zeros((3, 3)), R @ rate]])
    return block[:, list(robot.rows)]


def tip_inverse(robot, chain, i, on):
    """(J_t^f)⁻¹ of leg i by (35), the tip's own rate matrix taken along; of the rows and columns that count."""
    R, p, rate = from_tip_to_end(robot, chain, i, on)
    block = np.block([[R.T, skew(p) @ R.T], [np.zeros((3, 3)), np.linalg.inv(rate) @ R.T]])
    return block[np.ix_(robot.rows, robot.rows)]


def closed_model(robot, state, on=ALL_ON):
    """(26)-(40) and M, c of (44)."""
    chain = recursion(robot, state, on)
    M_t, c_t = tree_model(robot, state, chain, on)
    if robot.F_v.any() or robot.F_s.any():
        c_t = c_t + robot.F_v * state.dq + robot.F_s * np.sign(state.dq)  # (27)
    M_p, c_p = platform_model(robot, state)
    B, n, rows = robot.freedoms, robot.size, list(robot.rows)
    r = B.shape[1]
    M_tot = np.block([[M_t, np.zeros((n, r))], [np.zeros((r, n)), B.T @ M_p @ B]])
    c_tot = np.concatenate([c_t, B.T @ c_p])
    last = [list(robot.elements[k].elastic) for k in robot.bent]
    held = {*robot.actuated, *(k for columns in last for k in columns)}
    free = [k for k in range(n) if k not in held]
    order = [*robot.actuated, *free, *range(n, n + r)]
    J, b = np.zeros((n + r, len(order)), M_tot.dtype), np.zeros(n + r, M_tot.dtype)
    J[order, range(len(order))] = 1.0
    for i, columns in enumerate(last):  # (32), (33), (36), (38)-(40); (31) is block diagonal
        J_p, rate = end_of_leg(robot, chain, state, i, on)
        J_tot = np.hstack([chain.J[robot.ends[i]], -J_p @ B])[rows]
        b_star = (chain.g[robot.ends[i]] - rate)[rows]
        inverse = tip_inverse(robot, chain, i, on)
        J[columns] = -inverse @ J_tot[:, order]
        b[columns] = inverse @ b_star * (-1 if on.eq39_minus else 1)
    M = congruence(J, M_tot) if on.eq63_minus else J.T @ M_tot @ J  # with (63) as printed it is not symmetric
    return Closed(M, J.T @ (M_tot @ b + c_tot), J, b, len(robot.actuated))
