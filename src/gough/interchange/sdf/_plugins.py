"""Motors of SDF: the format has none, but plugins that move joints name them."""

import re

from gough.interchange.sdf._joints import SdfJoints
from gough.interchange.sdf._worlds import Chosen

MOVES = re.compile(r"control|drive|motor|apply_?joint_?force|servo|actuat|steer|track", re.IGNORECASE)
WATCHES = re.compile(r"publish|joint_?state(?!.*control)|sensor|odometry|monitor|failure|logger", re.IGNORECASE)


def driven_names(found: SdfJoints, chosen: Chosen) -> set[str]:
    """Joints with one coordinate that a plugin for control, drives or motors names in any of its elements."""
    names: set[str] = set()
    for scope in chosen.scopes:
        for plugin in scope.element.all("plugin"):
            called = f"{plugin.get('name') or ''} {plugin.get('filename') or ''}"
            moves = bool(MOVES.search(called)) and not WATCHES.search(called)
            own: set[str] = set()
            for element in plugin.walk():
                word = element.text.strip() if not element.children else ""
                for path, name, axis in found.axes:
                    if word and axis == "axis" and path == scope.path and word in (name, f"{scope.name}::{name}"):
                        own.add(found.axes[path, name, axis])
            if moves:
                names |= own
            what = f"plugin {(plugin.get('name') or '')[:80]!r}"
            said = f" as a program; it drives {', '.join(sorted(own))}" if moves and own else ""
            scope.text.note(plugin, f"{what} is left out{said}", "plugin")
    return names
