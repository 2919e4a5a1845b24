"""Pictures one after the other into a file: PNG, GIF, MP4. Frames are uint8 (height, width, 3) and are not kept."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from gough.errors import UsageError

Array = np.ndarray

COLOURS = 255
"""Of a GIF's palette."""
SAMPLES = 6
"""Frames, spread over the animation, that a GIF's palette is made from."""
REMEDY = "a video needs ffmpeg on the search path, or pip install 'gough[video]' (OpenCV); a .gif needs neither"


class Encoder(Protocol):
    """Takes frames and writes a file; nothing is left of it if it is left by an exception."""

    def __enter__(self) -> "Encoder":
        """Start."""
        ...

    def add(self, frame: Array) -> None:
        """The next frame."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file."""
        ...


class PngFile:
    """One picture; of several frames the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._frame: Array | None = None

    def __enter__(self) -> "PngFile":
        return self

    def add(self, frame: Array) -> None:
        """The picture."""
        self._frame = frame

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        from PIL import Image

        if kind is None and self._frame is not None:
            Image.fromarray(self._frame).save(self.path, format="PNG", optimize=True)


class GifFile:
    """An animation that any program shows. One palette for all frames, so that colours do not flicker; frames wait
    compressed in a temporary file until the palette is known."""

    def __init__(self, path: Path, fps: float, count: int) -> None:
        self.path, self.count = path, count
        self.hundredths = max(2, round(100 / fps))  # browsers slow down what is faster than 50 a second
        self._at = set(np.unique(np.linspace(0, max(count - 1, 0), SAMPLES).astype(int)).tolist())
        self._samples: list[Array] = []
        self._folder: Any = None
        self._n = 0

    def __enter__(self) -> "GifFile":
        self._folder = tempfile.TemporaryDirectory(prefix="gough-gif-")
        return self

    def add(self, frame: Array) -> None:
        """The next frame."""
        from PIL import Image

        if self._n in self._at:
            self._samples.append(frame[:: 1 + frame.shape[0] // 400, :: 1 + frame.shape[1] // 400])
        Image.fromarray(frame).save(Path(self._folder.name) / f"{self._n:06d}.png", compress_level=1)
        self._n += 1

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if kind is None and self._n:
                self._write()
        finally:
            self._folder.cleanup()

    def _write(self) -> None:
        from PIL import Image

        height = max(s.shape[0] for s in self._samples)
        sheet = np.concatenate([s for s in self._samples if s.shape[0] == height], axis=1)
        palette = Image.fromarray(sheet).quantize(COLOURS, method=Image.Quantize.MEDIANCUT)
        palette.putpalette(_with_colour(palette.getpalette() or [], self._samples[0][0, 0]))  # of the ground
        folder = Path(self._folder.name)

        def frames() -> Any:
            for k in range(self._n):
                with Image.open(folder / f"{k:06d}.png") as stored:
                    yield stored.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)

        rest = frames()
        first = next(rest)
        first.save(
            self.path, format="GIF", save_all=True, append_images=rest, duration=10 * self.hundredths, loop=0, disposal=1,
            optimize=False,
        )  # fmt: skip


def _with_colour(palette: list[int], colour: Array) -> list[int]:
    """A palette (3 numbers a colour) in which the entry nearest a colour (3,) is that colour."""
    entries = np.array(palette).reshape(-1, 3)
    entries[np.argmin(np.abs(entries - colour.astype(int)).sum(axis=1))] = colour
    return entries.ravel().tolist()


class FfmpegFile:
    """H.264 in MP4 by the program ffmpeg."""

    def __init__(self, path: Path, fps: float, program: str) -> None:
        self.path, self.fps, self.program = path, fps, program
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "FfmpegFile":
        return self

    def add(self, frame: Array) -> None:
        """The next frame."""
        if self._process is None:
            self._process = self._start(frame.shape[1], frame.shape[0])
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(frame).tobytes())
        except BrokenPipeError:
            raise UsageError(f"ffmpeg stopped: {self._said()}; {REMEDY}") from None

    def _start(self, width: int, height: int) -> "subprocess.Popen[bytes]":
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  read after the program ended
        command = [
            self.program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
            "-r", f"{self.fps:g}", "-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20",
            "-movflags", "+faststart", "-f", "mp4", str(self.path),
        ]  # fmt: skip
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True
        )

    def _said(self) -> str:
        """The last line of its complaints."""
        assert self._process is not None
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        if kind is not None:
            process.kill()
            process.wait()
            return
        process.stdin.close()
        if process.wait() != 0:
            raise UsageError(f"ffmpeg failed: {self._said()}; {REMEDY}")


class OpencvFile:
    """VP9 in MP4 by OpenCV, whose wheels bring no H.264: browsers and VLC play it."""

    CODE = "vp09"

    def __init__(self, path: Path, fps: float) -> None:
        import cv2  # pyright: ignore[reportMissingImports]

        self.cv2, self.path, self.fps = cv2, path, fps
        self._writer: Any = None

    def __enter__(self) -> "OpencvFile":
        return self

    def add(self, frame: Array) -> None:
        """The next frame."""
        cv2 = self.cv2
        if self._writer is None:
            size = (frame.shape[1], frame.shape[0])
            code = cv2.VideoWriter_fourcc(*self.CODE)
            self._writer = cv2.VideoWriter(str(self.path), cv2.CAP_FFMPEG, code, self.fps, size)
            if not self._writer.isOpened():
                raise UsageError(f"this OpenCV ({cv2.__version__}) cannot write VP9 videos; {REMEDY}")
        self._writer.write(np.ascontiguousarray(frame[:, :, ::-1]))

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._writer is not None:
            self._writer.release()


def video_file(path: Path, fps: float) -> Encoder:
    """What writes an MP4 here; UsageError with the remedies if nothing can."""
    program = shutil.which("ffmpeg")
    if program is not None:
        return FfmpegFile(path, fps, program)
    try:
        return OpencvFile(path, fps)
    except ImportError:
        raise UsageError(REMEDY) from None


def even_size(size: int) -> int:
    """The largest even number of pixels not above: videos have half as many of colour."""
    return size - size % 2
