"""What of a model's elements is not for the dynamics, or not for MuJoCo's parser: tables, and checks of single elements."""

from contextlib import suppress

from gough.interchange.findings import Findings
from gough.interchange.foreign import Written
from gough.interchange.xml import Element

MOST_COPIES = 50_000
"""Elements of all copies that `replicate` and `attach` make."""
MOST_PARAMETER = 200
"""Of a mesh that MuJoCo makes itself: its resolution."""
NOT_DYNAMICS = ("size", "visual", "statistic", "custom", "sensor", "extension", "contact")
PATHS = ("assetdir", "meshdir", "texturedir", "strippath", "discardvisual")
"""Of `compiler`: where files are looked for is settled here; visual geoms stay, for the viewer."""
EQUALITIES = ("connect", "weld", "joint", "tendon")
LEFT_OUT = {"camera": "cameras", "light": "lights", "texture": "textures", "hfield": "height fields", "skin": "skins"}
WORDS = frozenset(
    "name class childclass material mesh hfield file model prefix suffix joint jointinparent body geom site tendon target "
    "refsite cranksite slidersite sidesite actuator instance plugin sep".split()
)
"""Attributes that hold names."""
NO_NUMBERS = ("nan", "inf", "infinity")
DEFORMABLE = ("composite", "flexcomp", "flex")
OF_MOTORS = tuple(
    "name class group gear ctrllimited ctrlrange forcelimited forcerange joint jointinparent tendon site refsite body".split()
)
"""What stays of an actuator whose law is a plugin's."""


def check_numbers(element: Element, at: Written, findings: Findings) -> None:
    """Refuse words for no number: MuJoCo takes them, warns on files of its own, and may never come back."""
    for key, value in list(element.attributes.items()):
        if key.rstrip("0123456789") not in WORDS:
            bad = [w for w in value.lower().split() if w.lstrip("+-").split("(")[0] in NO_NUMBERS]
            if bad:
                findings.refuse(at, f"{key} is not finite", "finite numbers", value[:60])
                del element.attributes[key]


def keep_actuator(element: Element, at: Written, findings: Findings) -> bool:
    """Whether an actuator stays; one whose law is a plugin's stays as a motor."""
    if element.tag == "muscle" or "muscle" in (element.get("dyntype"), element.get("gaintype")):
        findings.refuse(at, "a muscle: its force depends on its length and history", "a motor")
        return False
    if element.tag == "adhesion":
        findings.remark(at, "adhesion acts in contact, which is not computed: left out")
        return False
    if element.tag == "plugin":
        findings.remark(at, "the plugin's law is not carried over: the drive's force is an input")
        element.tag, element.children = "general", []
        element.attributes = {k: v for k, v in element.attributes.items() if k in OF_MOTORS}
    return True


def drop_distance_field(element: Element) -> bool:
    """Whether a mesh, or a geom of one, had a signed distance field; it serves contact alone and is gone."""
    drawn = element.get("mesh" if element.tag == "geom" else "file")
    if element.tag not in ("geom", "mesh") or drawn is None:
        return False
    plugins = element.all("plugin")
    if element.get("type") == "sdf":
        element.attributes["type"] = "mesh"
    element.children = [child for child in element.children if child.tag != "plugin"]
    return bool(plugins)


def has_large_parameter(element: Element) -> bool:
    """Whether a mesh that MuJoCo makes itself would be too fine."""
    return any(_is_large(word) for word in (element.get("params") or "").split())


def _is_large(word: str) -> bool:
    try:
        return not abs(float(word)) <= MOST_PARAMETER
    except ValueError:
        return False


def weight(element: Element, attached: int) -> int:
    """Elements with all copies, at most a little more than there may be."""
    total = 1 + (attached if element.tag == "attach" else 0)
    for child in element.children:
        total = min(total + weight(child, attached), MOST_COPIES + 1)
    if element.tag == "replicate":
        with suppress(ValueError):  # MuJoCo says it
            total = min(total * max(int(element.get("count") or 1), 1), MOST_COPIES + 1)
    return total
