// Plays the frames of a recorded scene: moves its nodes, its curves and its clock. Nothing here needs a network.
(async () => {
  "use strict";
  const about = JSON.parse(document.getElementById("gough-about").textContent);
  const $ = (id) => document.getElementById(id);
  const state = { time: about.start, playing: false, speed: about.speed || 1, loop: true, ready: false, last: 0 };
  window.gough = state;

  // ---- frames

  async function unpacked(id) {
    const text = $(id).textContent.trim();
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    $(id).textContent = "";
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  const ARRAYS = { "<f4": Float32Array, "<f8": Float64Array, "|u1": Uint8Array, "<u4": Uint32Array };

  function decode(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    let at = 4 + length;
    const n = head.frames;
    head.sampled = new Float32Array(buffer, at, n * head.values);
    at += 4 * n * head.values;
    for (const node of head.nodes)
      for (const field of node.fields) {
        const k = field.size, steps = new Uint16Array(buffer, at, n * k), data = new Uint16Array(n * k);
        for (let c = 0; c < k; c++) {
          let level = 0;
          for (let f = 0; f < n; f++) data[f * k + c] = level = (level + steps[c * n + f]) & 65535;
        }
        field.data = data;
        at += 2 * n * k;
      }
    return head;
  }

  function place(time) {
    // the frame before a time, and how far the next one is
    const t = about.times;
    let a = 0, b = t.length - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] <= time) a = m; else b = m; }
    if (b === a) return [a, a, 0];
    const s = (time - t[a]) / (t[b] - t[a]);
    return [a, b, Math.min(Math.max(s, 0), 1)];
  }

  function value(field, a, b, s) {
    const k = field.size, out = field.dtype === "list" ? new Array(k) : new (ARRAYS[field.dtype] || Float32Array)(k);
    const one = field.low.length === 1;
    for (let i = 0; i < k; i++) {
      const x = field.data[a * k + i], y = field.data[b * k + i], c = one ? 0 : i;
      out[i] = field.low[c] + field.step[c] * (x + (y - x) * s);
    }
    if (field.path[field.path.length - 1] === "wxyz") {
      const r = Math.hypot(...out) || 1;
      for (let i = 0; i < 4; i++) out[i] /= r;
    }
    return out;
  }

  // ---- surfaces: triangles cut along lines of equal deflection, a band for each colour

  function cut(faces, points, values, bands) {
    const out = Array.from({ length: bands }, () => ({ places: [], faces: [], known: new Map() }));
    const corner = (i) => ({ key: i, edge: null, v: Math.min(Math.max(values[i], 0), 1 - 1e-6) * bands,
      x: points[3 * i], y: points[3 * i + 1], z: points[3 * i + 2] });
    const n = values.length;
    const crossing = (p, q, level) => {
      const edge = p.edge ?? q.edge ?? Math.min(p.key, q.key) * n + Math.max(p.key, q.key);
      const s = (level - p.v) / (q.v - p.v), mix = (a, b) => a + s * (b - a);
      return { key: `${edge}:${level}`, edge, v: level, x: mix(p.x, q.x), y: mix(p.y, q.y), z: mix(p.z, q.z) };
    };
    const clipped = (polygon, level, above) => {
      const inside = (p) => (above ? p.v >= level : p.v <= level), kept = [];
      polygon.forEach((p, k) => {
        const q = polygon[(k + 1) % polygon.length];
        if (inside(p)) kept.push(p);
        if (inside(p) !== inside(q) && p.v !== level && q.v !== level) kept.push(crossing(p, q, level));
      });
      return kept;
    };
    for (let f = 0; f < faces.length; f += 3) {
      const whole = [corner(faces[f]), corner(faces[f + 1]), corner(faces[f + 2])];
      const low = Math.floor(Math.min(whole[0].v, whole[1].v, whole[2].v));
      const high = Math.floor(Math.max(whole[0].v, whole[1].v, whole[2].v));
      for (let band = low; band <= high; band++) {
        const part = low === high ? whole : clipped(clipped(whole, band, true), band + 1, false);
        const into = out[band];
        const numbers = part.map((p) => {
          if (!into.known.has(p.key)) {
            into.known.set(p.key, into.places.length / 3);
            into.places.push(p.x, p.y, p.z);
          }
          return into.known.get(p.key);
        });
        for (let k = 2; k < numbers.length; k++) into.faces.push(numbers[0], numbers[k - 1], numbers[k]);
      }
    }
    return out;
  }

  function bend(node, message, queue) {
    const seen = (node.seen ??= new Array(message.bands).fill(null));
    cut(message.faces, message.vertices, message.values, message.bands).forEach((band, k) => {
      const name = `${message.root}${k}`, filled = band.faces.length > 0;
      if (filled) {
        const updates = { vertices: new Float32Array(band.places), faces: new Uint32Array(band.faces) };
        queue.push({ ...message.update, name, updates });
      }
      if (seen[k] !== filled) queue.push({ ...message.show, name, visible: filled });
      seen[k] = filled;
    });
  }

  function move(frames, viewer, time) {
    const [a, b, s] = place(time);
    for (const node of frames.nodes) {
      const surface = node.message.type === "gough surface";
      const message = surface ? { ...node.message } : structuredClone(node.message);
      for (const field of node.fields) {
        let inner = message;
        for (const key of field.path.slice(0, -1)) inner = inner[key] ??= {};
        inner[field.path[field.path.length - 1]] = value(field, a, b, s);
      }
      if (surface) bend(node, message, viewer.messageQueue);
      else viewer.messageQueue.push(message);
    }
    viewer.requestRender();
    return [a, b, s];
  }

  // ---- curves

  const SVG = "http://www.w3.org/2000/svg", LEFT = 46, RIGHT = 8, TOP = 6, BOTTOM = 18, HEIGHT = 118;
  const element = (name, attributes, parent) => {
    const e = document.createElementNS(SVG, name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (parent) parent.append(e);
    return e;
  };

  function ticks(low, high, count) {
    const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= raw);
    const out = [];
    for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) out.push(k * step);
    return out;
  }

  const written = (x) => {
    if (!Number.isFinite(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    return size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
  };

  function plot(panel, width) {
    const box = panel.box.querySelector("svg");
    box.replaceChildren();
    box.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const [low, high] = panel.range, end = Math.max(about.end, about.start + 1e-12);
    const X = (t) => LEFT + ((t - about.start) / (end - about.start)) * (width - LEFT - RIGHT);
    const Y = (v) => TOP + ((high - v) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    for (const t of ticks(about.start, end, 5)) {
      element("line", { x1: X(t), x2: X(t), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }, box);
      element("text", { x: X(t), y: HEIGHT - 5, class: "tick", "text-anchor": "middle" }, box).textContent = written(t);
    }
    for (const v of ticks(low, high, 4)) {
      element("line", { x1: LEFT, x2: width - RIGHT, y1: Y(v), y2: Y(v), class: "grid" }, box);
      element("text", { x: LEFT - 4, y: Y(v) + 3, class: "tick", "text-anchor": "end" }, box).textContent = written(v);
    }
    for (const curve of panel.curves) {
      let d = "", pen = "M";
      curve.t.forEach((t, i) => {
        if (curve.v[i] === null) { pen = "M"; return; }
        d += `${pen}${X(t).toFixed(1)},${Y(curve.v[i]).toFixed(1)}`;
        pen = "L";
      });
      const line = element("path", { d, fill: "none", stroke: curve.colour, "stroke-width": 1.3 }, box);
      if (curve.dashed) line.setAttribute("stroke-dasharray", "5 4");
    }
    panel.cursor = element("line", { x1: 0, x2: 0, y1: TOP, y2: HEIGHT - BOTTOM, class: "cursor" }, box);
    panel.X = X;
    panel.at = (x) => about.start + ((x - LEFT) / (width - LEFT - RIGHT)) * (end - about.start);
  }

  let column = 0;
  function build() {
    for (const panel of about.panels) {
      panel.first = column;
      column += panel.curves.length;
      panel.box = document.createElement("section");
      const title = document.createElement("h2");
      title.textContent = panel.label;
      const legend = document.createElement("p");
      panel.numbers = panel.curves.map((curve) => {
        const item = document.createElement("span"), mark = document.createElement("i"), number = document.createElement("b");
        mark.style.borderTop = `2px ${curve.dashed ? "dashed" : "solid"} ${curve.colour}`;
        item.append(mark, `${curve.name} `, number);
        legend.append(item);
        return number;
      });
      const svg = element("svg", {});
      panel.box.append(title, svg, legend);
      $("gough-plots").append(panel.box);
      const seek = (event) => {
        const r = svg.getBoundingClientRect();
        api.seek(panel.at(((event.clientX - r.left) / r.width) * svg.viewBox.baseVal.width));
      };
      svg.addEventListener("pointerdown", (e) => { svg.setPointerCapture(e.pointerId); seek(e); });
      svg.addEventListener("pointermove", (e) => { if (e.buttons) seek(e); });
    }
    layout();
  }

  function layout() {
    const width = $("gough-plots").clientWidth - 20;
    if (width > 60) for (const panel of about.panels) plot(panel, width);
    if (state.ready) show();
  }

  // ---- time

  let frames, viewer;
  function show() {
    const [a, b, s] = move(frames, viewer, state.time);
    $("gough-time").textContent = `${state.time.toFixed(about.digits)} s`;
    $("gough-slider").value = state.time;
    const k = frames.values;
    for (const panel of about.panels) {
      if (!panel.X) continue;
      const x = panel.X(state.time);
      panel.cursor.setAttribute("x1", x);
      panel.cursor.setAttribute("x2", x);
      panel.numbers.forEach((number, i) => {
        const c = panel.first + i, u = frames.sampled[a * k + c], v = frames.sampled[b * k + c];
        number.textContent = written(u + (v - u) * s);
      });
    }
  }

  const api = {
    seek(time) {
      state.time = Math.min(Math.max(time, about.start), about.end);
      api.pause();
      show();
    },
    step(frames) {
      const [a, , s] = place(state.time);
      const at = frames > 0 ? a + (s === 1 ? 2 : 1) : s > 0 ? a : a - 1;
      api.seek(about.times[Math.min(Math.max(at, 0), about.times.length - 1)]);
    },
    play() {
      if (about.end <= about.start) return;
      if (state.time >= about.end) state.time = about.start;
      state.playing = true;
      state.last = performance.now();
      $("gough-play").textContent = "❚❚";
      requestAnimationFrame(beat);
    },
    pause() {
      state.playing = false;
      $("gough-play").textContent = "▶";
    },
    toggle() { if (state.playing) api.pause(); else api.play(); },
  };
  Object.assign(state, api);

  function beat(now) {
    if (!state.playing) return;
    state.time += (Math.max(now - state.last, 0) / 1000) * state.speed;
    state.last = now;
    if (state.time >= about.end) {
      if (state.loop) state.time = about.start + ((state.time - about.start) % (about.end - about.start));
      else { state.time = about.end; api.pause(); }
    }
    show();
    requestAnimationFrame(beat);
  }

  function keys(event) {
    const inText = ["SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (inText || event.ctrlKey || event.altKey || event.metaKey) return;
    const acts = {
      " ": api.toggle, ArrowLeft: () => api.step(-1), ArrowRight: () => api.step(1),
      Home: () => api.seek(about.start), End: () => api.seek(about.end),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault(); // the camera listens to arrows too
    event.stopImmediatePropagation();
    if (state.ready) act();
  }

  // ---- start

  const animated = about.times.length > 1;
  $("gough-bar").hidden = !animated;
  document.body.classList.toggle("gough-still", !animated);
  document.body.classList.toggle("gough-bare", !about.panels.length);
  $("gough-slider").min = about.start;
  $("gough-slider").max = about.end;
  const speeds = $("gough-speed");
  if (![...speeds.options].some((o) => Number(o.value) === state.speed))
    speeds.add(new Option(`${Number(state.speed.toPrecision(3))}×`, state.speed));
  speeds.value = state.speed;
  build();
  window.addEventListener("resize", layout);
  $("gough-hide").addEventListener("click", () => {
    document.body.classList.toggle("gough-closed");
    window.dispatchEvent(new Event("resize"));
  });
  if (animated) {
    frames = decode(await unpacked("gough-frames"));
    const names = frames.nodes.map((node) => node.message.name);
    const loaded = () => {
      viewer = window.__viserMutable;
      const tree = window.__viserSceneTree?.getState();
      return viewer && tree && viewer.messageQueue.length === 0 && names.every((name) => tree[name]);
    };
    const began = performance.now();
    while (!loaded()) {
      if (performance.now() - began > 20000) {
        $("gough-time").textContent = "the scene could not be loaded";
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    window.addEventListener("keydown", keys, true);
    $("gough-play").addEventListener("click", (e) => { e.currentTarget.blur(); api.toggle(); });
    $("gough-slider").addEventListener("input", (e) => api.seek(Number(e.target.value)));
    $("gough-speed").addEventListener("change", (e) => { state.speed = Number(e.target.value); e.target.blur(); });
    $("gough-loop").addEventListener("change", (e) => { state.loop = e.target.checked; e.target.blur(); });
    state.ready = true;
    show();
    if (about.autoplay) api.play();
  } else {
    state.ready = true;
  }
})();
