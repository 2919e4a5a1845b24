"""The simplified Delta in closed form: rods without mass, two thirds of it at the elbows, one third at the platform.

p is the platform's position. Leg i in its own axes (x outwards, y sideways, z up): elbow e = L (cos q, 0, -sin q),
rod s = p + (r_P - r_B) x - e with |s| = l, b = de/dq. From s.s = l^2: s.(p' - b q') = 0, and once more for q''.
Platform: m (p'' - g) = sum of f_i s_i; arm: I q'' = tau + moment of its weight - f_i s_i.b_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

G = np.array([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class Delta:
    """Lengths in m, masses in kg; arm: mass, distance of its centre from the motor, inertia about the motor's axis."""

    base_radius: float
    platform_radius: float
    arm_length: float
    rod_length: float
    platform_mass: float
    arm_mass: float
    arm_centre: float
    arm_inertia: float
    elbow_mass: float
    turns: tuple[float, ...] = (0.0, 2 * np.pi / 3, 4 * np.pi / 3)

    def torques(self, p: np.ndarray, pd: np.ndarray, pdd: np.ndarray) -> np.ndarray:
        """Drive torques (3,), N m."""
        rods, arms, inertial = [], [], []
        inertia = self.arm_inertia + self.elbow_mass * self.arm_length**2
        for turn in self.turns:
            c, s = np.cos(turn), np.sin(turn)
            R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            q = self.arm_angle(R.T @ p)
            e = R @ [np.cos(q), 0, -np.sin(q)]
            b = self.arm_length * (R @ [-np.sin(q), 0, -np.cos(q)])
            rod = p + R @ [self.platform_radius - self.base_radius, 0, 0] - self.arm_length * e
            rate = rod @ pd / (rod @ b)
            rod_rate = pd - b * rate
            acceleration = (rod @ pdd + rod_rate @ pd - (rod_rate @ b - rod @ (self.arm_length * e) * rate) * rate) / (
                rod @ b
            )
            weight = (self.arm_mass * self.arm_centre / self.arm_length + self.elbow_mass) * (G @ b)
            rods.append(rod)
            arms.append(rod @ b)
            inertial.append(inertia * acceleration - weight)
        forces = np.linalg.solve(np.array(rods).T, self.platform_mass * (pdd - G))
        return np.array(inertial) + forces * np.array(arms)

    def arm_angle(self, p: np.ndarray) -> float:
        """The motor's angle with the elbow outside, from the platform's position in the leg's axes."""
        x, y, z = p[0] + self.platform_radius - self.base_radius, p[1], p[2]
        L = self.arm_length
        k = (x * x + y * y + z * z + L * L - self.rod_length**2) / (2 * L)  # = x cos q - z sin q
        middle, half = np.arctan2(-z, x), np.arccos(k / np.hypot(x, z))
        return max((middle - half, middle + half), key=np.cos)
