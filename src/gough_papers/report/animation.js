(() => {
  const figure = document.currentScript.parentElement;
  const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const raw = atob(data.points), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  const xyz = new Float32Array(bytes.buffer), frames = data.t.length;
  const canvas = figure.querySelector("canvas"), pen = canvas.getContext("2d");
  const button = figure.querySelector("button"), slider = figure.querySelector("input"), shown = figure.querySelector("output");
  let turn = data.view[0] * Math.PI / 180, above = data.view[1] * Math.PI / 180;
  let frame = 0, time = data.t[0], playing = true, last = 0, drawn = "";
  slider.max = frames - 1;

  function place(f, k) {  // orthographic: turned about the vertical, then seen from above
    const i = 3 * (f * data.count + k), x = xyz[i], y = xyz[i + 1], z = xyz[i + 2];
    const u = Math.cos(turn) * x - Math.sin(turn) * y, w = Math.sin(turn) * x + Math.cos(turn) * y;
    const scale = 1.2 * Math.min(canvas.width / 1.25, canvas.height) / data.size;
    return [canvas.width / 2 + scale * u, canvas.height / 2 - scale * (Math.cos(above) * z + Math.sin(above) * w)];
  }
  function draw() {
    const state = [frame, turn, above].join();
    if (state === drawn) return;
    drawn = state;
    pen.fillStyle = "#ffffff"; pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.lineJoin = pen.lineCap = "round";
    if (data.trace >= 0) {
      pen.beginPath(); pen.strokeStyle = "#bbbbbb"; pen.lineWidth = 2;
      for (let f = 0; f < frames; ++f) pen.lineTo(...place(f, data.trace));
      pen.stroke();
    }
    for (const [points, color, width, closed] of data.lines) {
      pen.beginPath();
      for (const k of points) pen.lineTo(...place(frame, k));
      if (closed) { pen.closePath(); pen.globalAlpha = 0.18; pen.fillStyle = color; pen.fill(); pen.globalAlpha = 1; }
      pen.strokeStyle = color; pen.lineWidth = 2 * width; pen.stroke();
    }
    slider.value = frame;
    shown.textContent = data.t[frame].toFixed(2) + " s";
  }
  function step(now) {
    if (playing) {
      time += Math.min(0.1, (now - last) / 1000);
      if (time > data.t[frames - 1]) { time = data.t[0]; frame = 0; }
      while (frame < frames - 1 && data.t[frame + 1] <= time) ++frame;
    }
    last = now; draw(); requestAnimationFrame(step);
  }
  function play(on) { playing = on; button.textContent = on ? "Pause" : "Play"; }
  button.onclick = () => play(!playing);
  slider.oninput = () => { play(false); frame = +slider.value; time = data.t[frame]; };
  canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
  canvas.onpointermove = e => {
    if (!e.buttons) return;
    turn += 0.008 * e.movementX; above = Math.max(-1.5, Math.min(1.5, above + 0.008 * e.movementY));
  };
  requestAnimationFrame(step);
})();
