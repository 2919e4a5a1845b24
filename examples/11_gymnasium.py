"""A Gymnasium environment around `gough.Stepper`: a five-bar whose tip is to reach a point, torques as actions.

Expected, from mechanics: the robot lies flat, nothing pulls at it. A policy of springs and dampers on the cranks, which knows the
observation alone, has its only rest where the springs pull nowhere: the tip comes to the target. Gymnasium's own checker says
whether the environment keeps its rules. Needs `pip install gymnasium`.
"""

import warnings

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
    """Observation: crank angles and rates, those angles at the target, where the tip is, where it is to be. Action: torques over
    the largest ones."""

    PERIOD, MOST, LIMIT = 0.01, 200, 6.0  # s; steps; N m
    LARGE = np.array([1e3, 1e3, 1e4, 1e4, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0])  # rad, rad/s, rad, m

    def __init__(self):
        self.model = gough.build("five_bar")
        self.sim = gough.Stepper(self.model, method="rk4", longest_step=1e-3, record=False)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float64)
        self.observation_space = gymnasium.spaces.Box(-self.LARGE, self.LARGE, dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        home = self.model.home
        self.goal = self.model.drives(home) + self.np_random.uniform(-0.15, 0.15, 2)
        self.target = self.tip(self.model.configuration(drives=self.goal, near=home))
        self.sim.reset()
        self.count, self.seen = 0, self.observation()
        return self.seen, {}

    def step(self, action):
        ended = False
        try:
            self.sim.step(self.LIMIT * np.clip(action, -1.0, 1.0), self.PERIOD)
            self.seen = self.observation()
        except (
            gough.BadStateError
        ):  # a pose that it cannot leave, or that has no tip: the episode is over, seen as it was
            ended = True
        self.count += 1
        reward = -float(np.linalg.norm(self.seen[6:8] - self.target)) - 100.0 * ended
        return self.seen, reward, ended, self.count >= self.MOST, {}

    def observation(self):
        q, v = self.sim.q, self.sim.v
        seen = np.concatenate([self.model.drives(q), v, self.goal, self.tip(q), self.target])
        return np.clip(seen, -self.LARGE, self.LARGE)

    def tip(self, q):
        return self.model.frame_pose(q, "left_rod.tool")[0][:2]


def policy(seen):
    """Springs and dampers about the target."""
    angles, rates, goal = seen[:2], seen[2:4], seen[4:6]
    return (20.0 * (goal - angles) - 2.0 * rates) / FiveBarReach.LIMIT


def random_episode(env, seed):
    """What a policy meets that has not learned yet: all it observed (n, 10)."""
    seen, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    found, over = [seen], False
    while not over:
        seen, _, ended, late, _ = env.step(env.action_space.sample())
        found.append(seen)
        over = ended or late
    return np.array(found)


def episode(env, seed):
    seen, _ = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        seen, reward, ended, late, _ = env.step(policy(seen))
        rewards.append(reward)
        over = ended or late
    return seen, np.array(rewards)


def main():
    env = FiveBarReach()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(env, skip_render_check=True)
    complaints = [str(w.message) for w in told]
    print(*complaints, sep="\n", end="")
    (seen, rewards), (again, _) = episode(env, 7), episode(env, 7)
    print(f"reward {rewards.sum():.3f} in {len(rewards)} steps of {env.PERIOD} s")
    return {
        "distance from the target after 2 s (m)": float(np.linalg.norm(seen[6:8] - seen[8:10])),
        "speed of the cranks after 2 s (rad/s)": float(np.abs(seen[2:4]).max()),
        "steps until the time is up": len(rewards),
        "complaints of Gymnasium's checker": len(complaints),
        "two episodes of one seed differ by": float(np.abs(seen - again).max()),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.9g}, expected {expected:.9g}")
        assert abs(value - expected) <= tolerance
