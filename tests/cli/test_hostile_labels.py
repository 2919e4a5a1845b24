"""Names and titles that drive terminals, break tables or mean something to figures and pages are refused or shown as they are."""

import csv

import numpy as np
import pytest

import gough
from cli.command import gough as run_command
from gough.cli.output import console, table
from gough.errors import UsageError
from gough.robot import DescriptionError, Robot, dumps

HOSTILE = ["\x1b[31mred", "\x1b]0;title\x07", "a\x9b1m", "\u202egnp", "\u2066x", "\x00", "\ud800"]
ODD = [
    "$x",
    r"$\frac{1}{0$",
    "<script>alert(1)</script>",
    "=1+1",
    "[red]x[/]",
    "[/x]",
    ":smile:",
    "日本 Ω",
    "a\nb",
    "%s {0}",
]


def small(title: str) -> str:
    robot = gough.load("ankle")
    return dumps(robot.model_copy(update={"title": title, "file": None}))


@pytest.mark.parametrize("title", HOSTILE)
def test_characters_that_cannot_be_shown_are_refused(title, tmp_path):
    file = tmp_path / "it.yaml"
    escaped = "".join(f"\\U{ord(char):08x}" for char in title)
    file.write_text(small("TITLE").replace("title: TITLE", f'title: "{escaped}"'), encoding="utf-8")
    with pytest.raises(DescriptionError, match=r"it\.yaml:\d+: title"):
        gough.load(file)
    with pytest.raises(ValueError, match="cannot be shown"):
        Robot.model_validate({**gough.load("ankle").__dict__, "title": title})
    for command in ("show", "check", "modes", "count"):
        out, err = run_command(command, file, code=1 if command == "check" else 2)
        assert all(char.isprintable() or char == "\n" for char in out + err)


@pytest.mark.quick_cases("$x", "%s {0}", "=1+1")
@pytest.mark.parametrize("title", ODD)
def test_other_titles_are_shown_as_they_are(title, tmp_path):
    file = tmp_path / "it.yaml"
    file.write_text(small(title), encoding="utf-8")
    plain = title.replace("\n", " ")
    assert gough.load(file).title == plain
    out, _ = run_command("show", file)
    assert f"ankle: {plain}" in out.splitlines()
    run_command("check", file)


def test_cells_of_tables_are_no_markup(capsys):
    shown = table("name", "what")
    for text in ODD:
        shown.add_row("x", text.replace("\n", " "))
    console().print(shown)
    out = capsys.readouterr().out
    for text in ("[red]x[/]", "[/x]", ":smile:"):
        assert text in out


@pytest.mark.parametrize("name", [*HOSTILE, "a\nb", "=1+1", "+1", "-1", "@a", " a", ""])
def test_channels_of_such_names_are_refused(name, model):
    with pytest.raises(UsageError, match="recorded"):
        recorded_run(model, name)


@pytest.mark.parametrize("name", ["$x", r"$\frac{1}{0$", "<b>x</b>", "[red]", "日本"])
def test_channels_with_odd_names_are_drawn_and_written(name, model, tmp_path):
    run = recorded_run(model, name)
    figure = run.plot(name, "joints", path=tmp_path / "it.png", title=name)
    assert figure.get_suptitle() == name and (tmp_path / "it.png").stat().st_size > 1000
    run.save(tmp_path / "it.csv")
    with open(tmp_path / "it.csv", encoding="utf-8", newline="") as file:
        assert name in next(csv.reader(file))
    assert name in gough.Run.load(tmp_path / "it.csv")


def test_a_file_of_a_run_with_escapes_is_refused(model, tmp_path):
    run = recorded_run(model, "good")
    run.save(tmp_path / "it.csv")
    text = (tmp_path / "it.csv").read_text(encoding="utf-8")
    (tmp_path / "bad.csv").write_text(text.replace('"good"', '"\\u001b[31m"'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"bad\.csv.*U\+001B"):
        gough.Run.load(tmp_path / "bad.csv")


def test_scenarios_and_motions_have_titles_too():
    from gough.motions import read_motion
    from inner.simulation import read_scenario

    for read in (read_motion, read_scenario):
        with pytest.raises(DescriptionError, match=r"U\+001B"):
            read('format: 1\nrobot: five_bar\nduration: 1\nmotion: briot2014_square\ntitle: "\\e[31m"\n', "it.yaml")
        with pytest.raises(DescriptionError, match="at most 300"):
            read(f"format: 1\nrobot: five_bar\nduration: 1\nmotion: briot2014_square\ntitle: {'a' * 400}\n", "it.yaml")


def test_errors_name_files_without_driving_the_terminal(tmp_path):
    _, err = run_command("show", tmp_path / "\x1b[31mred.yaml", code=2)
    assert "\x1b" not in err and "\\x1b[31mred.yaml" in err


def test_pages_show_texts_as_they_are(model):
    from gough.viewer.panels.motion import no_markdown
    from gough.viewer.takeaway.page import _with_player

    assert no_markdown("![x](http://a) <b> `c` five_bar") == "\\!\\[x\\](http://a) \\<b\\> \\`c\\` five_bar"
    about = {"title": "</title><script>1</script>", "notes": "<img>", "panels": ["</script><b>"]}
    page = _with_player("<html><head><title>Viser</title></head><body></body></html>", about, b"", None)
    assert "<script>1" not in page and "<img>" not in page and "</script><b>" not in page


@pytest.fixture(scope="module")
def model():
    return gough.build("five_bar")


def recorded_run(model, name):
    n = 5
    q, v = np.tile(model.home, (n, 1)), np.zeros((n, len(model.layout.v_names)))
    return gough.Run.from_states(model, np.linspace(0.0, 0.1, n), q, v, 0 * v, recorded={name: (np.arange(n), "m")})


def test_results_have_a_short_repr(model):
    run = gough.simulate(model, duration=0.01, step=1e-3, method="rk4")
    mass = next(name for name in model.parameter_names if name.endswith(".M"))
    varied = gough.vary.monte_carlo({mass: gough.vary.normal(1.0, 0.1)}, 50, 0)
    many = gough.simulate_many(model, duration=0.01, step=1e-3, vary=varied)
    v, tau = np.zeros(2), np.zeros(2)
    results = [
        run, run.info, *run.channels(), many, many.subject, varied, model, model.robot, model.layout, model.mechanism,
        model.linearize(model.home, v, tau), gough.natural_frequencies(model), gough.static_equilibrium(model),
        model.forward_dynamics(model.home, v, tau), model.singularity(model.home), model.function("inverse_dynamics"),
    ]  # fmt: skip
    for result in results:
        assert len(repr(result)) <= 800, repr(result)
        assert "\n" not in repr(result)
