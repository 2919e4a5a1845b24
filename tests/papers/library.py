"""The library as a user calls it. Robots that the gallery has not are made beside their transcription's data."""

import warnings
from functools import cache
from importlib import resources

import numpy as np

# Chosen before any comparison: two double-precision evaluations of the same physics at condition numbers below 1e3.
TOLERANCE = 1e-9


@cache
def model(name, edits=()):
    """A gallery robot, compiled; ``edits`` are (old, new) pairs applied to the text of its description."""
    import gough
    from gough.robot import UnphysicalInertiaWarning, loads

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)  # several papers print such tensors
        if not edits:
            return gough.build(gough.load(name))
        text = (resources.files("gough.robot") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{name}: {old!r} is not there once"
            text = text.replace(old, new)
        return gough.build(loads(text))


def drive_forces(name, position, rotation, twist, acceleration, edits=()):
    """Drive forces (..., n); pose, twist and acceleration of the platform origin in world axes, batches in front."""
    m = model(name, edits)
    q = m.configuration(pose=(np.asarray(position, float), np.asarray(rotation, float)))
    return m.inverse_dynamics(q, np.asarray(twist, float), np.asarray(acceleration, float)).tau


def relative_error(found, reference):
    """max over states of max|Δ|/max|reference|."""
    found, reference = np.atleast_2d(found), np.atleast_2d(reference)
    return np.max(np.max(np.abs(found - reference), -1) / np.max(np.abs(reference), -1))
