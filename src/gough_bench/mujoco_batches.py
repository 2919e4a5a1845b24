"""MuJoCo on many states in one call: its C loop over threads (`mujoco.rollout`), MJX (JAX) and MuJoCo Warp. The robot, its soft
constraints and its coordinates are those of `mujoco_peer`.

A step of 1 s by the plain Euler rule, with no damping, moves the velocities by the accelerations; both are then known to
rounding.
"""

import logging
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gough_bench.mujoco_peer import SOFTNESS, MuJoCo
from gough_bench.peer import Case, seconds_per_call

BATCH = 512
"""States of one timed call; fewer of robots with more than LARGE rates."""
LARGE = 20
ENOUGH = 20
"""Iterations of MJX: all states of a batch make those of the slowest. Five are enough where it converges at all."""


class _MuJoCoBatch(MuJoCo):
    """Forward dynamics of a batch; `_start` takes over model and states, `_all` gives the accelerations of all states."""

    functions = ("forward_dynamics",)
    single = False
    call = ""  # type: ignore[assignment]

    def prepare(self, case: Case) -> str:
        if reason := super().prepare(case):
            return reason
        most = max(1, BATCH * LARGE // max(LARGE, self._v.shape[1]))
        self._n = most // len(case.states) * len(case.states) or len(case.states)
        rows = np.arange(self._n) % len(case.states)
        self._many = tuple(np.ascontiguousarray(x[rows]) for x in (self._q, self._v, self._tau))
        return self._start()

    def answers(self) -> np.ndarray:
        return self._reduced(np.array(self._all(), dtype=float)[: len(self._q)])

    def seconds(self, budget: float, threads: int = 1) -> float:
        return seconds_per_call(self._all, budget) / self._n

    def _start(self) -> str:
        raise NotImplementedError

    def _all(self) -> Any:
        raise NotImplementedError


class MuJoCoRollout(_MuJoCoBatch):
    """`mujoco.rollout`, one step of every state, on one thread."""

    call = "rollout, one step of a batch"

    def _start(self) -> str:
        mujoco, rollout = import_module("mujoco"), import_module("mujoco.rollout")
        self._model.opt.timestep = 1.0
        self._model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        self._model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP
        q, v, tau = self._many
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        size = mujoco.mj_stateSize(self._model, spec)
        self._initial = np.zeros((self._n, size))
        self._initial[:, 1 : 1 + q.shape[1] + v.shape[1]] = np.concatenate([q, v], axis=1)  # time, then q and v
        self._place = slice(1 + q.shape[1], 1 + q.shape[1] + v.shape[1])
        self._final = np.zeros((self._n, 1, size))
        self._control = np.ascontiguousarray(tau[:, None])
        self._spec = mujoco.mjtState.mjSTATE_QFRC_APPLIED
        self._rollout = rollout.Rollout(nthread=0)
        self._models = [self._model]
        return ""

    def _all(self) -> Any:
        self._rollout.rollout(
            self._models, self._data, self._initial, self._control, control_spec=self._spec, nstep=1, state=self._final
        )
        return self._final[:, 0, self._place] - self._many[1]


class Mjx(_MuJoCoBatch):
    """MJX in double precision; XLA chooses its own threads."""

    name = "MJX"
    call = "jit of vmap on a batch, CPU"
    remark = "soft constraints, set nearly rigid; XLA chooses its own threads"

    def available(self) -> str:
        if reason := super().available():
            return reason
        return "" if find_spec("jax") and find_spec("mujoco.mjx") else "not installed: `pip install mujoco-mjx`"

    def _start(self) -> str:
        jax: Any = import_module("jax")
        mjx: Any = import_module("mujoco.mjx")
        jax.config.update("jax_enable_x64", True)
        self._model.opt.iterations = self._model.opt.ls_iterations = ENOUGH
        try:
            model = mjx.put_model(self._model)
            blank = mjx.make_data(self._model)
        except (NotImplementedError, AttributeError, ValueError) as problem:
            return f"it does not take the robot: {str(problem).splitlines()[0]}"

        def one(q: Any, v: Any, tau: Any) -> Any:
            return mjx.forward(model, blank.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc

        self._jax, self._function = jax, jax.jit(jax.vmap(one))
        self._arrays = tuple(jax.numpy.asarray(x) for x in self._many)
        return ""

    def _all(self) -> Any:
        return self._jax.block_until_ready(self._function(*self._arrays))


class MuJoCoWarp(_MuJoCoBatch):
    """MuJoCo Warp, single precision only, on the CPU unless Warp has a GPU. Constraints are as soft as its digits need: set
    as rigid as for the others, its solver gives numbers that are not finite."""

    name = "MuJoCo Warp"
    call = "forward on a batch, single precision"
    remark = "soft constraints"

    def available(self) -> str:
        if reason := super().available():
            return reason
        return "" if find_spec("mujoco_warp") else "not installed: `pip install mujoco-warp`"

    def _start(self) -> str:
        warp: Any = import_module("warp")
        warp.config.quiet = True  # before anything is initialised; newer versions have levels instead
        warp.config.log_level = logging.ERROR
        self._engine: Any = import_module("mujoco_warp")
        model = self._model
        model.body_invweight0[:] /= SOFTNESS
        model.dof_invweight0[:] /= SOFTNESS
        model.eq_solref[:], model.eq_solimp[:, :2] = (0.02, 1.0), 0.999
        model.opt.tolerance = 1e-6
        rows = len(self._model.eq_type) * 6
        try:
            self._on_device = self._engine.put_model(self._model)
            self._worlds = self._engine.make_data(self._model, nworld=self._n, njmax=rows)
        except (NotImplementedError, AttributeError, ValueError, TypeError) as problem:
            return f"it does not take the robot: {str(problem).splitlines()[0]}"
        for array, values in zip(
            (self._worlds.qpos, self._worlds.qvel, self._worlds.qfrc_applied), self._many, strict=True
        ):
            array.assign(values.astype(np.float32))
        self._warp = warp
        return ""

    def _all(self) -> Any:
        self._engine.forward(self._on_device, self._worlds)
        self._warp.synchronize()
        return self._worlds.qacc.numpy()
