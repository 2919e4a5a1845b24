"""What a live page says of its loop and its law."""

from html import escape

from gough.simulation.control.law import Law
from gough.viewer.live.gains import Gain, sampled_law
from gough.viewer.live.loop import LiveLoop
from gough.viewer.panels._tables import BOX, GREEN, RED, number


def verdict(loop: LiveLoop, busy: str, beyond: tuple[str, ...]) -> str:
    """HTML: how it runs."""
    rows, colour = [], "inherit"
    if loop.stopped:
        rows, colour = [f"Stopped: {loop.stopped}", "Press Reset to begin anew."], RED
    elif loop.sim is None:
        rows = [busy or "There is no loop: choose another law."]
    else:
        state = "Running" if loop.playing else "Paused"
        rows = [f"{state}, t = {loop.t:.2f} s{f'; {busy}' if busy else ''}"]
        pace = loop.pace
        if loop.playing and loop.behind and pace is not None:
            wanted = "real time" if loop.speed == 1 else f"{loop.speed:g}× real time"
            rows.append(f"Cannot keep {wanted}: runs at {number(float(f'{pace * loop.speed:.2g}'))}×")
            colour = RED
        elif loop.playing:
            colour = GREEN
        if beyond:
            more = f" and {len(beyond) - 3} more" if len(beyond) > 3 else ""
            rows.append(f"Beyond limits: {', '.join(beyond[:3])}{more}")
            colour = RED
    text = "<br>".join(escape(row) for row in rows)
    return f'<div style="{BOX};color:{colour};min-height:4.05em;font-variant-numeric:tabular-nums">{text}</div>'


def law_text(law: Law | None, gains: tuple[Gain, ...], moves: bool) -> str:
    """What the law does, in a line."""
    if law is None:
        return "The drives give no force."
    said = [] if not law_follows(law) else ["Follows the motion that was given."] if moves else ["Holds a place."]
    said += ["Bears the weight."] if getattr(sampled_law(law), "gravity", False) else []
    said += [] if gains else ["No gains to move."]
    return " ".join(said)


def law_follows(law: Law) -> bool:
    """Whether it follows a motion."""
    own = sampled_law(law)
    return bool(getattr(own, "kinds", ("drives",)))
