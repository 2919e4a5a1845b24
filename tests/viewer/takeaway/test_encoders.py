import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gough.errors import UsageError
from gough.viewer.takeaway.encoders import FfmpegFile, GifFile, PngFile, even_size, video_file


def ball(k: int, ground: tuple[int, int, int] = (255, 255, 255)) -> np.ndarray:
    """A shaded ball that rolls over a ground, (90, 160, 3)."""
    y, x = np.mgrid[:90, :160]
    frame = np.empty((90, 160, 3), dtype=np.uint8)
    frame[:] = ground
    depth = 1 - ((x - 20 - 10 * k) ** 2 + (y - 45) ** 2) / 20.0**2
    inside = depth > 0
    frame[inside] = (np.array([200, 120, 40]) * (0.4 + 0.6 * np.sqrt(depth[inside]))[:, None]).astype(np.uint8)
    return frame


def test_a_png_is_the_picture(tmp_path: Path) -> None:
    with PngFile(tmp_path / "a.png") as file:
        file.add(ball(3))
    assert (np.asarray(Image.open(tmp_path / "a.png")) == ball(3)).all()


def test_a_gif_moves_at_its_beat_and_its_ground_does_not_flicker(tmp_path: Path) -> None:
    with GifFile(tmp_path / "a.gif", 20.0, 12) as file:
        for k in range(12):
            file.add(ball(k))
    with Image.open(tmp_path / "a.gif") as found:
        assert found.n_frames == 12 and found.info["duration"] == 50 and found.info["loop"] == 0
        for k in range(12):
            found.seek(k)
            frame = np.asarray(found.convert("RGB")).astype(int)
            wanted = ball(k).astype(int)
            assert (frame[wanted.sum(axis=2) == 765] == 255).all()
            assert np.abs(frame - wanted).max() < 40 and np.abs(frame - wanted).mean() < 1.5


@pytest.mark.parametrize("kind", ["png", "gif"])
def test_what_is_interrupted_leaves_no_file_and_no_folder(kind: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / f"a.{kind}"
    with pytest.raises(KeyboardInterrupt), PngFile(path) if kind == "png" else GifFile(path, 10.0, 5) as file:  # noqa: PT012
        file.add(ball(0))
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_video_by_opencv_plays_back(tmp_path: Path, monkeypatch) -> None:
    cv2 = pytest.importorskip("cv2")
    monkeypatch.setenv("PATH", "")
    with video_file(tmp_path / "a.mp4", 25.0) as file:
        for k in range(10):
            file.add(ball(k))
    found = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    assert found.get(cv2.CAP_PROP_FPS) == 25 and found.get(cv2.CAP_PROP_FRAME_COUNT) == 10
    good, frame = found.read()
    assert good and np.abs(frame[:, :, ::-1].astype(int) - ball(0)).mean() < 4


def program(folder: Path, text: str) -> str:
    """A stand-in for ffmpeg."""
    path = folder / "ffmpeg"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
def test_ffmpeg_gets_all_frames_and_is_asked_for_what_browsers_play(tmp_path: Path) -> None:
    stand_in = program(
        tmp_path,
        "import sys\ndata = sys.stdin.buffer.read()\nopen(sys.argv[-1], 'wb').write(repr(sys.argv).encode() + data)\n",
    )
    with FfmpegFile(tmp_path / "a.mp4", 24.0, stand_in) as file:
        for k in range(3):
            file.add(ball(k))
    found = (tmp_path / "a.mp4").read_bytes()
    assert found.endswith(b"".join(ball(k).tobytes() for k in range(3)))
    for word in (b"libx264", b"yuv420p", b"160x90", b"rgb24", b"'24'"):
        assert word in found


@pytest.mark.skipif(os.name != "posix", reason="a script as a program")
def test_what_ffmpeg_complains_of_is_told(tmp_path: Path) -> None:
    stand_in = program(tmp_path, "import sys\nsys.stdin.buffer.read()\nsys.exit('no encoder libx264')\n")
    with pytest.raises(UsageError, match="no encoder libx264"), FfmpegFile(tmp_path / "a.mp4", 24.0, stand_in) as file:
        file.add(ball(0))


def test_without_any_encoder_both_remedies_are_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(UsageError, match=r"ffmpeg.*gough\[video\]"):
        video_file(tmp_path / "a.mp4", 30.0)
    assert even_size(721) == 720 and even_size(720) == 720
