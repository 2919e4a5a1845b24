"""What a frame of the viewer costs: a flexible hexapod whose plate has 300 nodes and more, 25 s at 1 kHz, in a headless Chromium.

python benchmarks/viewer.py --minutes 10 --out benchmarks/viewer.json
python benchmarks/viewer.py --draw card --minutes 10 --out benchmarks/viewer_card.json
python benchmarks/viewer.py --tiny

Counted: CPU time of the server's thread for one shown time; CPU time of the page's main thread a frame; frames that the browser
draws, and those among them that show a new state (vertices of the flexible bodies went to the card); from a jump in time to the
page having drawn it; memory of server and page while it plays. --draw software (SwiftShader) draws on the same cores as all else:
its frame rate is then that of the software, and an empty scene with one moving dot is measured beside it. --draw card wants a
graphics card with its driver.
"""

import argparse
import json
import os
import resource
import shutil
import sys
import time
import warnings
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.simulation.results.run import Run
from gough_bench.machine import machine

FLAGS = ["--no-sandbox", "--disable-background-networking"]
DRAW = {
    "software": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    "card": ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist", "--enable-gpu"],
}
COUNTERS = """
window.turns = 0; window.drawn = 0; window.renewed = 0;
const turn = () => { window.turns++; requestAnimationFrame(turn); };
requestAnimationFrame(turn);
const count = (names, counter) => {
    let last = -1;
    for (const name of names) {
        const before = WebGL2RenderingContext.prototype[name];
        WebGL2RenderingContext.prototype[name] = function (...given) {
            if (last !== window.turns) { last = window.turns; window[counter]++; }
            return before.apply(this, given);
        };
    }
};
count(["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"], "drawn");
count(["bufferSubData", "bufferData"], "renewed");
"""
"""Counts turns of the page, those in which it drew, and those in which vertices were new."""
RENDERER = """() => {
    const gl = document.createElement("canvas").getContext("webgl2");
    return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
}"""
STATES, MESH, WARM, LOOK, JUMPS, DOTS = 25_000, "0.06", 20_000, 30_000, 60, 400
"""States of the run, size of the plate's elements (m), ms before and between looks, jumps in time, moves of the dot."""
TINY = {"STATES": 200, "MESH": "0.2", "WARM": 500, "LOOK": 500, "JUMPS": 3, "DOTS": 20}
"""What --tiny changes."""
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def long_run() -> Run:
    """25 s at 1 kHz: the poses of Long 2014 again and again, with a finer plate."""
    text = (resources.files("gough.robot") / "gallery" / "long2014.yaml").read_text("utf-8")
    robot = gough.robot.loads(text.replace("size: 0.2 ", f"size: {MESH} "))
    once = gough.load_scenario("long2014_poses", robot).run().resample(rate=1000.0)
    row = np.arange(STATES) % len(once)
    return Run.from_states(once.model, np.arange(STATES) / 1000.0, once.q[row], once.v[row], once.tau[row])


def memory_mb() -> float:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def playback(page, viewer, minutes: float) -> dict:
    """Play in a loop and look every half a minute."""
    session = next(iter(viewer.sessions.values()))
    panel = session.panels["motion"]
    probe = page.context.new_cdp_session(page)
    probe.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics() -> dict:
        probe.send("HeapProfiler.collectGarbage")
        return {m["name"]: m["value"] for m in probe.send("Performance.getMetrics")["metrics"]}

    shown = [0]
    session.on_show.append(lambda q: shown.__setitem__(0, shown[0] + 1))
    panel.player.loop = True
    panel.toggle()
    page.wait_for_timeout(WARM)  # shaders compile
    begin, rows, start = metrics(), [], time.monotonic()
    first, drawn, renewed = shown[0], *page.evaluate("[window.drawn, window.renewed]")
    while time.monotonic() - start < 60 * minutes:
        page.wait_for_timeout(LOOK)
        now = metrics()
        rows.append({"s": time.monotonic() - start, "server_mb": memory_mb(), "page_mb": now["JSHeapUsedSize"] / 1e6})
    end, seconds = metrics(), time.monotonic() - start
    frames, (drawn_end, renewed_end) = shown[0] - first, page.evaluate("[window.drawn, window.renewed]")
    panel.toggle()
    return {
        "seconds": seconds,
        "frames_sent_per_s": frames / seconds,
        "frames_drawn_per_s": (drawn_end - drawn) / seconds,
        "states_drawn_per_s": (renewed_end - renewed) / seconds,
        "page_ms_a_frame": (end["TaskDuration"] - begin["TaskDuration"]) / max(frames, 1) * 1e3,
        "memory": rows,
    }


def scrubbing(page, viewer) -> dict:
    """Jumps to random times."""
    panel = next(iter(viewer.sessions.values())).panels["motion"]
    rng, cpu, seen = np.random.default_rng(1), [], []
    end = (STATES - 1) / 1000.0
    for t in rng.uniform(0.0, end, JUMPS):
        begin = time.thread_time()
        panel.stage.show(float(t))
        cpu.append(time.thread_time() - begin)
        start = time.perf_counter()
        panel.go_to(float(rng.uniform(0.0, end)))
        page.evaluate(DRAWN)
        seen.append(time.perf_counter() - start)
    named = {"server_ms": np.array(cpu) * 1e3, "until_drawn_ms": np.array(seen) * 1e3}
    return {k: {"median": float(np.median(v)), "largest": float(v.max())} for k, v in named.items()}


def empty_scene(browser, seconds: float = 10.0) -> float:
    """Frames a second of one moving dot in an empty scene of viser, in this browser."""
    import viser

    server = viser.ViserServer(host="127.0.0.1", port=8990, verbose=False)
    page = counting_page(browser)
    page.goto(f"http://127.0.0.1:{server.get_port()}")
    dot = server.scene.add_icosphere("/dot", 0.05)
    for k in range(DOTS):
        if k == DOTS // 2:
            first, start = page.evaluate("window.drawn"), time.monotonic()
        dot.position = (np.sin(0.1 * k), 0.0, 0.0)
        page.wait_for_timeout(1000 * seconds / 200)
    rate = (page.evaluate("window.drawn") - first) / (time.monotonic() - start)
    page.close()
    server.stop()
    return float(rate)


def counting_page(browser) -> Any:
    """A page that counts what it draws."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(COUNTERS)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--draw", choices=tuple(DRAW), default="software")
    parser.add_argument("--plain", action="store_true", help="without shadows and reflections")
    parser.add_argument(
        "--tiny", action="store_true", help="a short run, seconds of playback: shows that all of it runs"
    )
    options = parser.parse_args()
    if options.tiny:
        globals().update(TINY)
        options.minutes = 0.02
    warnings.simplefilter("ignore")
    run = long_run()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("viewer.py needs Playwright (pip install playwright) and Chromium")
    if options.browser is None:
        sys.exit("viewer.py needs Chromium or Chrome: install one, or name it with --browser")
    with sync_playwright() as p, gough.view(run, port=0, plain=options.plain) as viewer:
        skins = viewer.subject.figure.skins
        found = {"machine": machine(), "robot": run.robot.name, "states": len(run), "nodes": len(skins[0].surface.rest)}
        browser = p.chromium.launch(executable_path=options.browser, args=[*FLAGS, *DRAW[options.draw]])
        found["browser"] = browser.version
        page = counting_page(browser)
        page.goto(viewer.url)
        found |= {"renderer": page.evaluate(RENDERER), "plain": options.plain}
        while not viewer.sessions:
            page.wait_for_timeout(100)
        found["playback"] = playback(page, viewer, options.minutes)
        found["scrubbing"] = scrubbing(page, viewer)
        page.close()
        found["empty_scene_frames_per_s"] = empty_scene(browser)
        browser.close()
    found["largest_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    text = json.dumps(found, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
