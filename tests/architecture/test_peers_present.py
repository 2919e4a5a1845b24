"""The independent engines are there: comparisons with them fail, never skip."""

import importlib
import sys

import pytest

PEERS = ["casadi", "control", "exudyn", "mpmath", "mujoco"]
if sys.platform != "win32":  # no wheels of Pinocchio there
    PEERS.append("pinocchio")


@pytest.mark.parametrize("name", PEERS)
def test_peer_imports(name):
    assert importlib.import_module(name).__version__
