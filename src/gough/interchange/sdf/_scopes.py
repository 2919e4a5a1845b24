"""Models of SDF as scopes of names: links, joints, frames, nested models, each with a pose and something it is attached to.

Poses are settled within a scope, in the model's own frame: names in `relative_to` never reach outwards, `a::b` reaches inwards. A
model that is merged into another keeps a scope of its own, whose names the outer one has without a prefix.
"""

from dataclasses import dataclass, field

from gough.interchange.foreign import WORLD, Placement
from gough.interchange.sdf._values import SdfText, word_in
from gough.interchange.xml import Element
from gough.robot.item import nearest

MODEL = "__model__"
GROUND = ("world", "__root__")
LONGEST = 150
"""Most frames in turn that a pose or an attachment goes through."""


@dataclass
class NamedFrame:
    """A name of a scope: kind (link, joint, frame), its element, pose, what that is relative to and what it is attached to."""

    kind: str
    element: Element
    pose: Placement
    relative_to: str
    attached_to: str


@dataclass
class SdfScope:
    """A model, or a world with the models in it. path, at: what names of its parts begin with, and its frame in the world, once
    `settle` has gone through the models around it."""

    name: str
    element: Element
    text: SdfText
    is_world: bool = False
    static: bool = False
    pose: Placement = field(default_factory=Placement)
    relative_to: str = ""
    placement_frame: str = ""
    canonical: str = ""
    path: str = ""
    at: Placement = field(default_factory=Placement)
    frames: dict[str, NamedFrame] = field(default_factory=dict)
    nested: dict[str, "SdfScope"] = field(default_factory=dict)
    merged: list["SdfScope"] = field(default_factory=list)
    _poses: dict[str, Placement | None] = field(default_factory=dict)
    _following: set[str] = field(default_factory=set)

    def add_frames(self) -> None:
        """Take the names of the scope's own links, joints and frames."""
        text = self.text
        for element in self.element.children:
            if element.tag not in ("link", "joint", "frame"):
                continue
            name = (element.get("name") or "").strip()
            if not name:
                text.refuse(element, f"<{element.tag}> without a name", 'name="…"')
                continue
            if name in self.frames and text.version < (1, 7) and self.frames[name].kind != element.tag:
                text.note(element, f"a {self.frames[name].kind} is called {name!r} too: this is {name}_{element.tag}")
                name = f"{name}_{element.tag}"
            if name in self.frames or name in self.nested:
                text.refuse(element, f"a second {name!r} in {self.name!r}", "names that stand once in a model")
                continue
            relative = text.relative_to(element)
            attached = ""
            if element.tag == "frame":
                attached = (element.get("attached_to") or "").strip() or MODEL
            elif element.tag == "joint":
                attached = word_in(element, "child")
            own = relative or (MODEL if element.tag == "link" else attached)
            self.frames[name] = NamedFrame(element.tag, element, text.pose(element), own, attached)

    def pose_of(self, name: str, asked_by: Element | None = None) -> Placement:
        """A frame of this scope in the model's own frame; unknown names and rings of names are refused."""
        if name in ("", MODEL) or (self.is_world and name in GROUND):
            return Placement()
        if name in self._poses and self._poses[name] is not None:
            return self._poses[name]  # type: ignore[return-value]
        asked = asked_by or self.element
        if name in self._following or len(self._following) > LONGEST:
            self.text.refuse(
                asked,
                f"the pose of {name!r} is relative to itself, or to more than {LONGEST} others in turn",
                "a frame that does not follow from it",
            )
            return Placement()
        self._following.add(name)
        found = self._settle(name, asked)
        self._following.discard(name)
        self._poses[name] = found
        return found

    def _settle(self, name: str, asked: Element) -> Placement:
        frame = self.frames.get(name)
        if frame is not None:
            return frame.pose.after(self.pose_of(frame.relative_to, frame.element))
        if name in self.nested:
            return self._place(self.nested[name])
        for inner in self.merged:
            if inner.knows(name):
                return inner.pose_of(name, asked).after(self._place(inner))
        head, inner, rest = self._nested_of(name)
        if inner is not None:
            return inner.pose_of(rest, asked).after(self.pose_of(head, asked))
        self.text.refuse(asked, f"no frame {name!r} in {self.name!r}", nearest(name, [*self.frames, *self.nested]))
        return Placement()

    def _place(self, inner: "SdfScope") -> Placement:
        """A nested model's own frame in this one's: its placement frame is what <pose> places."""
        back = inner.pose_of(inner.placement_frame, inner.element).inverse() if inner.placement_frame else Placement()
        return back.after(inner.pose.after(self.pose_of(inner.relative_to, inner.element)))

    def _nested_of(self, name: str) -> tuple[str, "SdfScope | None", str]:
        head, sep, rest = name.partition("::")
        if sep and head in self.nested and rest:
            return head, self.nested[head], rest
        return head, None, rest

    def knows(self, name: str) -> bool:
        """Whether the scope has a frame of this name."""
        if name in self.frames or name in self.nested or any(inner.knows(name) for inner in self.merged):
            return True
        _, inner, rest = self._nested_of(name)
        return inner is not None and (rest == MODEL or inner.knows(rest))

    def link_of(self, name: str, asked_by: Element, depth: int = 0) -> tuple["SdfScope", str] | None:
        """The link that a frame is attached to, with its scope; (self, "world") for the ground; None where it is refused."""
        if name in GROUND:
            return self, WORLD
        if depth > LONGEST:
            self.text.refuse(asked_by, f"{name!r} is attached to itself, or to more than {LONGEST} others in turn")
            return None
        if name in ("", MODEL):
            return self._canonical_link(asked_by, depth)
        frame = self.frames.get(name)
        if frame is not None:
            if frame.kind == "link":
                return self, name
            return self.link_of(frame.attached_to, frame.element, depth + 1)
        if name in self.nested:
            return self.nested[name].link_of(MODEL, asked_by, depth + 1)
        for inner in self.merged:
            if inner.knows(name):
                return inner.link_of(name, asked_by, depth + 1)
        _, inner, rest = self._nested_of(name)
        if inner is not None:
            return inner.link_of(rest, asked_by, depth + 1)
        self.text.refuse(
            asked_by, f"no link or frame {name!r} in {self.name!r}", nearest(name, [*self.frames, *self.nested])
        )
        return None

    def _canonical_link(self, asked_by: Element, depth: int) -> tuple["SdfScope", str] | None:
        if self.static or self.is_world:
            return self, WORLD
        if self.canonical:
            return self.link_of(self.canonical, asked_by, depth + 1)
        for name, frame in self.frames.items():
            if frame.kind == "link":
                return self, name
        for inner in (*self.merged, *self.nested.values()):
            found = inner.link_of(MODEL, asked_by, depth + 1)
            if found is not None:
                return found
        self.text.refuse(asked_by, f"model {self.name!r} has no links", "a model with a link")
        return None

    def settle(self, path: str = "", at: Placement | None = None) -> None:
        """Give the models inside their paths and places; what stands in a model that does not move does not move."""
        self.path, self.at = path, at or Placement()
        for inner in self.merged:
            inner.static = inner.static or self.static
            inner.settle(path, self._place(inner).after(self.at))
        for name, inner in self.nested.items():
            inner.static = inner.static or (self.static and not self.is_world)
            inner.settle(f"{path}{name}::", self.pose_of(name).after(self.at))

    def walk(self) -> "list[SdfScope]":
        """The scope and all in it, outer ones first."""
        found: list[SdfScope] = []
        stack: list[SdfScope] = [self]
        while stack:
            scope = stack.pop()
            found.append(scope)
            stack.extend(reversed([*scope.merged, *scope.nested.values()]))
        return found
