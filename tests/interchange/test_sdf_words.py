"""Words of SDF files that nothing would read: refused where they move a body, else said."""

import warnings

import pytest

from interchange.reading import read_quietly, refusals, remarks, saved

TENSOR = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
INERTIAL = f"<inertial><mass>2</mass>{TENSOR}</inertial>"


def rig(
    more: str = "",
    *,
    inertial: str = INERTIAL,
    in_link: str = "",
    in_joint: str = "",
    axis: str = "<axis><xyz>0 1 0</xyz></axis>",
    kind: str = "revolute",
    model: str = "",
    version: str = "1.9",
) -> str:
    ends = "<parent>a</parent><child>b</child>"
    return (
        f'<sdf version="{version}"><model name="rig" {model}><link name="a">{INERTIAL}</link>\n'
        f'<link name="b">{inertial}{in_link}</link>\n'
        '<joint name="j" type="fixed"><parent>world</parent><child>a</child></joint>\n'
        f'<joint name="k" type="{kind}">{ends}{in_joint}{axis}</joint>\n{more}</model></sdf>'
    )


def xyz(attributes: str = "", more: str = "") -> str:
    return f"<axis><xyz {attributes}>0 1 0</xyz>{more}</axis>"


REFUSED = [
    (
        rig(in_link='<pose relativ_to="a">0 0 1 0 0 0</pose>'),
        "'relativ_to' of <pose> is not known; did you mean relative_to",
    ),
    (rig(in_link='<pose degree="true">0 0 1 90 0 0</pose>'), "did you mean degrees"),
    (rig('<frame name="f" attachedto="b"/>'), "did you mean attached_to"),
    (rig(axis=xyz('expresed_in="__model__"')), "did you mean expressed_in"),
    (rig(model='canonicallink="b"'), "did you mean canonical_link"),
    (rig(model='canonical_link="bb"'), "canonical_link is 'bb', which is no link of 'rig'"),
    (rig(inertial=INERTIAL.replace("<mass>", "<mass>3</mass><mass>")), "<mass> a second time (first on line 2)"),
    (rig(inertial=2 * INERTIAL), "<inertial> a second time"),
    (rig(in_link="<pose/><pose>0 0 1 0 0 0</pose>"), "<pose> a second time"),
    (rig(in_joint="<parent>world</parent>"), "<parent> a second time (first on line 4)"),
    (rig(axis=2 * xyz()), "<axis> a second time"),
    (rig(axis=xyz(more="<xyz>1 0 0</xyz>")), "<xyz> a second time"),
    (rig(axis=xyz(more=2 * "<dynamics><damping>1</damping></dynamics>")), "<dynamics> a second time"),
    (rig(axis=xyz(more=f"<dynamics>{2 * '<damping>1</damping>'}</dynamics>")), "<damping> a second time"),
    (rig(inertial=INERTIAL.replace("<mass>", '<pose relative_to="a">0 0 1 0 0 0</pose><mass>')), "relative to 'a'"),
    (
        rig(kind="screw", in_joint="<thread_pitch>3</thread_pitch><screw_thread_pitch>1</screw_thread_pitch>"),
        "different threads",
    ),
    (rig(f'<link name="x::y">{INERTIAL}</link>'), "'::' in the name 'x::y'"),
]


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_would_be_dropped_and_matters_is_refused(tmp_path, text, said):
    assert said in refusals(saved(tmp_path, text))


SAID = [
    (rig(in_link='<pose colour="red">0 0 1 0 0 0</pose>'), "'colour' of <pose> is not known and left out"),
    (rig(in_link='<pose frame="a">0 0 1 0 0 0</pose>'), "'frame' of <pose> is of SDF 1.6 and older"),
    (rig(in_joint="<axis2><xyz>1 0 0</xyz></axis2>"), "<axis2> of a revolute joint"),
    (rig(kind="ball", axis=xyz(more="<dynamics><damping>1</damping></dynamics>")), "<dynamics> of a ball joint"),
    (rig(axis=xyz(more="<limit><stiffness>50</stiffness></limit>")), "<stiffness> of <limit> is left out"),
    (rig(axis=xyz(more="<limit><dissipation>5</dissipation></limit>")), "<dissipation> of <limit> is left out"),
    (
        rig(axis=xyz(more="<drake:rotor_inertia>1</drake:rotor_inertia>")).replace("<sdf", '<sdf xmlns:drake="d"'),
        "<drake:rotor_inertia> of <axis> is not known and left out; Drake reads it in <joint>",
    ),
    (rig(inertial=INERTIAL.replace("<mass>2</mass>", "<mass/>")), "no <mass>: SDF gives the link 1 kg"),
    (rig(in_link="<enable_wind>true</enable_wind>"), "wind is left out"),
    (rig("<enable_wind>1</enable_wind>"), "wind is left out"),
]


@pytest.mark.parametrize(("text", "said"), SAID, ids=[said for _, said in SAID])
def test_what_is_left_out_is_said(tmp_path, text, said):
    assert said in remarks(saved(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        rig(model='canonical_link="b"', in_link='<pose relative_to="a" degrees="true">0 0 1 90 0 0</pose>'),
        rig(inertial=INERTIAL.replace("<mass>", '<pose relative_to="b">0 0 1 0 0 0</pose><mass>')),
        rig(axis=xyz(more="<limit><stiffness>1e8</stiffness><dissipation>1</dissipation></limit>")),
        rig(in_link="<enable_wind>false</enable_wind>"),
        rig(
            f'<joint name="m" type="fixed"><parent>b</parent><child>x::y</child></joint><link name="x::y">{INERTIAL}</link>',
            version="1.7",
        ),
    ],
)
def test_what_is_read_is_read_in_silence(tmp_path, text):
    file = saved(tmp_path, text)
    read_quietly(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert not remarks(file)


@pytest.mark.parametrize(
    ("version", "inside", "gravity"),
    [
        ("1.5", "<physics><gravity>0 0 -1.6</gravity></physics>", -1.6),
        ("1.6", "<physics><gravity>0 0 -1.6</gravity></physics>", -9.8),
        ("1.9", "<gravity>0 0 -3.7</gravity><physics><gravity>0 0 -1.6</gravity></physics>", -3.7),
    ],
)
def test_gravity_stands_where_its_version_has_it(tmp_path, version, inside, gravity):
    """libsdformat moves it from <physics> to <world> from 1.5 to 1.6, and does not look there later."""
    text = (
        rig(version=version)
        .replace("<model", f'<world name="w">{inside}<model')
        .replace("</model>", "</model></world>")
    )
    file = saved(tmp_path, text)
    assert read_quietly(file).gravity == (0.0, 0.0, gravity)
    said = "<gravity> of <physics> is of SDF 1.5 and older and left out"
    assert (said in remarks(file)) == (version != "1.5")


def test_empty_numbers_that_sdf_does_not_demand_are_left_out(tmp_path):
    """As libsdformat: Param::SetFromString takes the default of what is not required."""
    limit = "<limit><lower>-1</lower><upper>1</upper><effort/><velocity> </velocity></limit>"
    made = read_quietly(
        saved(tmp_path, rig(axis=xyz(more=f"{limit}<dynamics><damping/><friction>2</friction></dynamics>")))
    )
    (joint,) = (j for j in made.joints if j.name == "k")
    assert joint.drive is not None and joint.drive.force_limit is None and joint.drive.speed_limit is None
    assert (joint.drive.viscous, joint.drive.coulomb) == (0.0, 2.0)
    said = refusals(saved(tmp_path, rig(axis=xyz(more="<limit><lower/><upper>1</upper></limit>"))))
    assert "<lower> is ''" in said


def test_sun_and_ground_are_left_out_with_a_word(tmp_path):
    around = "".join(f"<include><uri>model://{name}</uri></include>" for name in ("sun", "ground_plane"))
    text = rig().replace("<model", f'<world name="w">{around}<model').replace("</model>", "</model></world>")
    said = remarks(saved(tmp_path, text))
    assert "'model://sun', a light, is left out" in said
    assert "'model://ground_plane', a plane that stands still, is left out" in said
    alone = f'<sdf version="1.6"><world name="w">{around}</world></sdf>'
    assert "no model that moves" in refusals(saved(tmp_path, alone))
