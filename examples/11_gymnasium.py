"""A Gymnasium environment around `gough.Stepper`: a five-bar whose tip is to reach a point, torques as actions.

Expected, from mechanics: a policy of springs and dampers on the cranks, with the torques that hold the robot at the target
added, has its only rest where the springs pull nowhere: the tip comes to the target. Gymnasium's own checker says whether the
environment keeps its rules. Needs `pip install gymnasium`.
"""

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import gough

EXPECTED = {  # value, tolerance
    "distance from the target after 2 s (m)": (0.0, 1e-4),
    "speed of the cranks after 2 s (rad/s)": (0.0, 1e-3),
    "steps until the time is up": (200, 0),
    "complaints of Gymnasium's checker": (0, 0),
    "two episodes of one seed differ by": (0.0, 1e-14),
}


class FiveBarReach(gymnasium.Env):
    """Observation: crank angles and rates, where the tip is, where it is to be. Action: torques over the largest ones."""

    PERIOD, MOST, LIMIT = 0.01, 200, 6.0  # s; steps; N m

    def __init__(self):
        self.model = gough.build("five_bar")
        self.sim = gough.Stepper(self.model, method="rk4", longest_step=1e-3, record=False)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (8,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        far = self.np_random.uniform(-0.15, 0.15, 2)
        self.goal = self.model.configuration(drives=self.model.drives(self.model.home) + far)
        self.target = self.tip(self.goal)
        self.sim.reset()
        self.count = 0
        return self.observation(), {}

    def step(self, action):
        ended = False
        try:
            self.sim.step(self.LIMIT * np.clip(action, -1.0, 1.0), self.PERIOD)
        except gough.BadStateError:  # a pose that it cannot leave: the episode is over
            ended = True
        self.count += 1
        reward = -float(np.linalg.norm(self.tip(self.sim.q) - self.target)) - 100.0 * ended
        return self.observation(), reward, ended, self.count >= self.MOST, {}

    def observation(self):
        q, v = self.sim.q, self.sim.v
        return np.concatenate([self.model.drives(q), v, self.tip(q), self.target])

    def tip(self, q):
        return self.model.frame_pose(q, "left_rod.tool")[0][:2]


def policy(env):
    """Springs and dampers about the target, and the torques that hold the robot there."""
    model, goal = env.model, env.goal
    hold = model.inverse_dynamics(goal, np.zeros(2), np.zeros(2)).tau
    aim = model.drives(goal)

    def act(seen):
        return (hold + 20.0 * (aim - seen[:2]) - 2.0 * seen[2:4]) / env.LIMIT

    return act


def episode(env, seed):
    seen, _ = env.reset(seed=seed)
    act, rewards, over = policy(env), [], False
    while not over:
        seen, reward, ended, late, _ = env.step(act(seen))
        rewards.append(reward)
        over = ended or late
    return seen, np.array(rewards)


def main():
    env = FiveBarReach()
    complaints = 0
    try:
        check_env(env, skip_render_check=True)
    except Exception as problem:
        complaints = 1
        print(problem)
    (seen, rewards), (again, _) = episode(env, 7), episode(env, 7)
    print(f"reward {rewards.sum():.3f} in {len(rewards)} steps of {env.PERIOD} s")
    return {
        "distance from the target after 2 s (m)": float(np.linalg.norm(seen[4:6] - seen[6:8])),
        "speed of the cranks after 2 s (rad/s)": float(np.abs(seen[2:4]).max()),
        "steps until the time is up": len(rewards),
        "complaints of Gymnasium's checker": complaints,
        "two episodes of one seed differ by": float(np.abs(seen - again).max()),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.9g}, expected {expected:.9g}")
        assert abs(value - expected) <= tolerance
