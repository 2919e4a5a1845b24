"""The part of a study's tab with designs beside the present one, and with what can be taken away."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viser import Icon

from gough.errors import UsageError
from gough.model import build
from gough.robot.writer import dumps
from gough.viewer.panels._downloads import Downloads, file_stem
from gough.viewer.panels._front import design_text
from gough.viewer.posing.designs import usual_designs
from gough.viewer.subject import ViewSubject

if TYPE_CHECKING:
    from gough.viewer._session import Session
    from gough.viewer.panels.designs import DesignsPanel

MOST_BESIDE = 6
AS_DESCRIBED = "as described"
PRESENT = "the present one"
NONE = "…"
Wanted = dict[int | None, str]


class ChosenDesigns:
    """Designs of the front, and the description's own, in a row beside the present one."""

    def __init__(self, session: "Session", panel: "DesignsPanel") -> None:
        self.session, self.panel, self.found, self.stage = session, panel, panel.found, panel.stage
        self.described = panel.described
        self.usual: Wanted = {**usual_designs(self.found)}
        self._wanted: Wanted = {}
        with session.gui.add_folder("Beside it"):
            self._build_row()
        self._build_files()

    def _build_row(self) -> None:
        gui = self.session.gui
        self._beside = gui.add_checkbox("Show them", True)
        add = gui.add_button("Add the present design", icon=Icon.PLUS)
        self._drop: Any = gui.add_dropdown("Remove", (NONE,), initial_value=NONE)
        own = gui.add_checkbox("As described", False, visible=self.described is not None)
        usual = gui.add_button(
            "The usual choice", hint="The best of every objective, and the one nearest to all of these"
        )
        self._beside.on_update(lambda _: self.session.worker.post("row", self._show_row))
        add.on_click(lambda _: self.add())
        self._drop.on_update(lambda event: self._dropped() if event.client is not None else None)
        own.on_update(lambda _: self._toggle_described(bool(own.value)))
        usual.on_click(lambda _: self.choose(dict(self.usual)))

    def _build_files(self) -> None:
        gui = self.session.gui
        self.files = FrontDownloads(self.session, self.panel, self.panel.hold)
        with self.files.folder:
            self._taken: Any = gui.add_dropdown("Design", (PRESENT,), initial_value=PRESENT)
            robot = gui.add_button("Robot as YAML", icon=Icon.FILE_DOWNLOAD)
            alone = gui.add_button("Look at it alone", hint="A page of this robot: pose, modes, maps, variables")
        robot.on_click(lambda _: self.session.worker.post("take robot", self._take, slow=True))
        alone.on_click(lambda _: self.session.worker.post("alone", self._alone, slow=True))

    def choose(self, wanted: Wanted) -> None:
        """Let these designs stand beside the present one, {number, None of the description: why}."""
        self._wanted = dict(list(wanted.items())[:MOST_BESIDE])
        self.session.worker.post("choose", self._choose)

    def _choose(self) -> None:
        d, rows, measures = self.found.front.designs, {}, self.panel.front.measures
        for key, why in self._wanted.items():
            if key is not None:
                head = f"{key}: {why}" if why else str(key)
                rows[key] = (design_text(head, d.values[key], measures), d.x[key])
            elif self.described is not None:
                rows[None] = (design_text(AS_DESCRIBED, self.described[1], measures), self.described[0])
        if not self.panel.wide:  # the table has the numbers
            rows = {key: (text.partition("\n")[0], x) for key, (text, x) in rows.items()}
        with self.session.client.atomic():
            self.stage.choose(rows)
            self.session.dress_robots([c.scene for c in self.stage.chosen])
            names = tuple(AS_DESCRIBED if c.key is None else f"design {c.key}" for c in self.stage.chosen)
            self._drop.options = (NONE, *names)
            self._drop.value = NONE
            self._taken.options = (PRESENT, *(n for n in names if n != AS_DESCRIBED))
            self.panel.front.choose(self.panel.columns(self.panel.player.time))
            self.session.look_again()
            self.panel.show()

    def _show_row(self) -> None:
        self.stage.standing = bool(self._beside.value)
        with self.session.client.atomic():
            self.stage.place_row()
            self.session.look_again()

    def add(self) -> None:
        """Let the present design, or the one nearest to it, stand in the row too."""
        a, b, part = self.panel.stops()
        row = a if part < 0.5 else b
        if row in self._wanted:
            self.session.say(f"design {row} stands there already")
        elif len(self._wanted) >= MOST_BESIDE:
            self.session.say(f"{MOST_BESIDE} designs stand there; remove one first")
        else:
            self.choose(self._wanted | {row: self.usual.get(row, "")})

    def _dropped(self) -> None:
        name = str(self._drop.value)
        key = None if name == AS_DESCRIBED else int(name.rpartition(" ")[2]) if name != NONE else -1
        self.choose({k: why for k, why in self._wanted.items() if k != key})

    def _toggle_described(self, wanted: bool) -> None:
        rest: Wanted = {k: why for k, why in self._wanted.items() if k is not None}
        self.choose({None: AS_DESCRIBED, **rest} if wanted else rest)

    # ---- to take away

    def _row_taken(self) -> int:
        name = str(self._taken.value)
        if name != PRESENT:
            return int(name.rpartition(" ")[2])
        a, b, _ = self.panel.stops()
        if a != b:
            raise UsageError(
                f"this is between designs {a} and {b}; go to a stop (Back, Next), or choose one of the row"
            )
        return a

    def _take(self) -> None:
        row = self._row_taken()
        text = dumps(self.found.robot(row))
        name = f"{file_stem(self.found.study.name)}_design_{row}.yaml"
        self.session.client.send_file_download(name, text.encode(), save_immediately=True)

    def _alone(self) -> None:
        self.panel.hold()
        subject = self.session.subject
        row = self._row_taken()
        name, made = f"Design {row} of {self.found.study.name}", build(self.found.robot(row))
        self.session.renew(ViewSubject(made, dark=subject.dark, plain=subject.plain, heading=name, before=subject))


class FrontFilm:
    """The way along the front as it is played."""

    def __init__(self, panel: "DesignsPanel") -> None:
        self._panel = panel
        self.start, self.end, self.time = 0.0, panel.stage.way.last, panel.player.time

    def show(self, time: float) -> None:
        """The robot at a place of the way, with its own measures."""
        self._panel.player.seek(time)
        self._panel.measure()
        self._panel.show()


class FrontDownloads(Downloads):
    """Pictures of the page, and animations along the front."""

    def __init__(self, session: "Session", panel: "DesignsPanel", began: Callable[[], None]) -> None:
        self._panel = panel
        super().__init__(session, None, lambda: panel.player.speed, began)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A page that plays by itself holds one robot; here its shape changes."""
        return ("PNG", "GIF", "MP4") if len(self._panel.found) > 1 else ("PNG",)

    def film(self, fps: float, seamless: bool) -> FrontFilm:
        """From the best of the objective to its worst."""
        return FrontFilm(self._panel)

    def _frame(self) -> Any:
        """The second of two pictures: a browser draws texts that changed a picture later than the robot."""
        self._picture()
        return self._picture()
