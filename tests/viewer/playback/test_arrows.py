import numpy as np
import pytest

from gough.viewer.scene.forces import ForceArrows, arrow_scale, round_below
from inner.viewer import Figure
from viewer.playback.runs import at_rest, five_bar, path1


@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes", "delta", "three_rrr", "tripod_wrist", "dualemps"])
def test_a_drives_arrow_points_the_way_its_link_moves(name: str) -> None:
    """Moving the drive's coordinate alone moves (or turns) its link along the arrow of a force of one."""
    run = at_rest(name)
    figure, mechanism = Figure(run.model), run.model.mechanism
    arrows = ForceArrows(run)
    here = figure.place(run.q[0])
    kinds = {torques: arrows.drives(0.0, here.position, here.rotation, torques) for torques in (False, True)}
    seen = {False: 0, True: 0}
    for k, drive in enumerate(mechanism.drives):
        moved = run.q[0].copy()
        moved[run.model.drive_index[k]] += 1e-6
        there = figure.place(moved)
        torques = drive.unit == "N m"
        vector = kinds[torques].vectors[seen[torques]]
        seen[torques] += 1
        if torques:
            turn = there.rotation[drive.link] @ here.rotation[drive.link].T
            way = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2e-6
        else:
            way = (there.position[drive.link] - here.position[drive.link]) / 1e-6
        assert np.allclose(vector, way * run.tau[0, k], atol=1e-4 * max(abs(run.tau[0, k]), 1e-9)), drive.name


@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes", "long2014_rigid"])
def test_reactions_on_a_platform_at_rest_carry_its_weight(name: str) -> None:
    """Forces of the spherical joints at their points: their sum is the weight, and they do not turn the platform."""
    run = at_rest(name)
    figure, mechanism = Figure(run.model), run.model.mechanism
    here = figure.place(run.q[0])
    found = ForceArrows(run).reactions(0.0, here.position, here.rotation)
    count = len(mechanism.cuts)
    points, forces = found.points[-count:], found.vectors[-count:]
    ten = [run.model.parameters[i] for i in mechanism.links[0].ten or ()]
    mass, first = ten[0], mechanism.links[0].to_user @ np.array(ten[1:4])
    centre = here.position[0] + here.rotation[0] @ first / mass
    weight = mass * np.array(run.model.robot.gravity)
    assert np.allclose(forces.sum(axis=0), -weight, atol=1e-7 * np.linalg.norm(weight))
    assert np.allclose(np.cross(points - centre, forces).sum(axis=0), 0, atol=1e-7 * np.linalg.norm(weight))


def test_forces_are_straight_between_states_and_jump_where_the_run_does() -> None:
    run = five_bar()
    place = Figure(run.model).place(run.q[0])
    arrows = ForceArrows(run)
    sizes = [
        np.linalg.norm(arrows.drives(t, place.position, place.rotation, True).vectors, axis=1) for t in (0.5, 1.0, 2.0)
    ]
    assert np.allclose(sizes, [[0.5, 1.0], [3.0, 2.0], [3.0, 1.0]])
    assert arrows.has_torques and not arrows.has_forces
    assert arrows.largest("torque") == 4.0 and arrows.largest("force") == 0.0
    assert len(arrows.drives(0.5, place.position, place.rotation, False).vectors) == 0


def test_arrows_of_a_whole_run_are_as_large_as_its_channels_say() -> None:
    run = path1()
    arrows = ForceArrows(run)
    assert arrows.largest("force") == np.abs(run["drives.force"]).max()
    names = [c.name for c in run.channels() if c.name.endswith(".reaction")]
    assert arrows.largest("reaction") == pytest.approx(max(np.linalg.norm(run[n][:, :3], axis=1).max() for n in names))


def test_scales() -> None:
    assert arrow_scale(200.0, 2.0, 0.25) == pytest.approx(0.0025) and arrow_scale(0.0, 2.0) == 0.0
    assert [round_below(x) for x in (1234, 0.07, 5.0, 9.99, 1.0, 0.0)] == pytest.approx([1000, 0.05, 5, 5, 1, 0])
