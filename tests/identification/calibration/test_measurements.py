"""What measurements are, and which are refused."""

import numpy as np
import pytest

import gough
from gough.errors import UsageError


def test_what_they_say_of_themselves():
    readings = {"leg1.slide": np.ones(4), "leg0.hip_1": np.zeros(4)}
    m = gough.Measurements(readings, np.zeros((4, 3)), tool="unknown")
    assert len(m) == 4 and "4 poses, 2 encoders, x y z of the platform" in repr(m)
    assert m.components == ("x", "y", "z")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((3, 6)), np.zeros((4, 7))), "pose has shape"),
        ((np.zeros((3, 6)), np.zeros((3, 7))), "quaternion qw qx qy qz of pose 0 has length 0"),
        ((np.array([[0.0, np.nan]]),), "not a number: 1 at pose 0"),
        (({"a": np.zeros(3), "b": np.zeros(4)},), "readings have shapes"),
        (({},), "no readings"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        gough.Measurements(*arguments)


def test_refused_options():
    d, pose = np.zeros((2, 6)), np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1))
    with pytest.raises(UsageError, match="give a pose, or 'unknown'"):
        gough.Measurements(d, pose, base="somewhere")
    with pytest.raises(UsageError, match="components"):
        gough.Measurements(d, pose, components=("x", "q"))
    with pytest.raises(UsageError, match="x y z alone"):
        gough.Measurements(d, pose[:, :3], components=("x", "rx"))
    with pytest.raises(UsageError, match="belong to a measured pose"):
        gough.Measurements(d, base="unknown")
    model = gough.build("fried")
    with pytest.raises(UsageError, match="2 columns for 6 drives"):
        gough.calibrate(model, gough.Measurements(d[:, :2]))
    with pytest.raises(UsageError, match="has frames"):
        gough.calibrate(model, gough.Measurements(d, pose, frame="nose"))
    with pytest.raises(UsageError, match="no joint coordinate nose"):
        gough.calibrate(model, gough.Measurements({"nose": d[:, 0]}))
    with pytest.raises(UsageError, match="is nothing measured"):
        gough.calibrate(model, gough.Measurements(d, pose), sigma={"nose": 1.0})


def test_an_encoder_that_gives_one_number_everywhere_is_named():
    model = gough.build("pedrammehr2012")
    plan = gough.measuring_poses(model, 12)
    pose = np.asarray(plan.pose)
    d = model.drives(model.assemble(pose).q)
    d[:, 2] = d[0, 2]
    name = model.layout.drive_names[2]
    with pytest.raises(UsageError, match=f"{name} .*is the same in all 12 poses, to the last digit.*a dead encoder"):
        gough.calibrate(model, gough.Measurements(d, pose))
