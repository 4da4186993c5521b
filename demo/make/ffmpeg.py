"""Frames and samples to files, by ffmpeg; without dates or versions in them, so that they stay the same."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image

_EXACT = ("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact")


def encode(
    suffix: str,
    options: Sequence[str],
    *,
    frames: Iterable[Image.Image] | None = None,
    rate: int = 25,
    wave: bytes | None = None,
    cover: bytes | None = None,
    tags: dict[str, str] | None = None,
) -> bytes:
    """The bytes of a `suffix` file made of frames (all of one size and mode), a WAV file and a cover JPEG."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-y"]
        stream = iter(frames or ())
        first = next(stream, None)
        if first is not None:
            pixels = {"RGB": "rgb24", "RGBA": "rgba"}[first.mode]
            command += ["-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{first.width}x{first.height}", "-r", str(rate)]
            command += ["-i", "pipe:0"]
        for file, content in (("sound.wav", wave), ("cover.jpg", cover)):
            if content is not None:
                (folder / file).write_bytes(content)
                command += ["-i", str(folder / file)]
        target = folder / f"out{suffix}"
        command += [*_EXACT, *options]
        for key, value in (tags or {}).items():
            command += ["-metadata", f"{key}={value}"]
        process = subprocess.Popen([*command, str(target)], stdin=subprocess.PIPE)
        assert process.stdin is not None
        with process.stdin as pipe:
            if first is not None:
                pipe.write(first.tobytes())
            for frame in stream:
                pipe.write(frame.tobytes())
        if process.wait():
            raise RuntimeError(f"ffmpeg failed on {suffix}: exit code {process.returncode}")
        return target.read_bytes()


def mp4(frames: Iterable[Image.Image], *, rate: int = 25, wave: bytes | None = None, quality: int = 25) -> bytes:
    """H.264 (and AAC) that every browser plays, its index at the front."""
    options = [
        "-c:v",
        "libx264",
        "-preset",
        "veryslow",
        "-crf",
        str(quality),
        "-pix_fmt",
        "yuv420p",
        "-profile:v",
        "high",
        "-threads",
        "1",
        "-movflags",
        "+faststart",
    ]
    options += ["-c:a", "aac", "-b:a", "64k", "-shortest"] if wave else ["-an"]
    return encode(".mp4", options, frames=frames, rate=rate, wave=wave)


def webm(frames: Iterable[Image.Image], rate: int = 25) -> bytes:
    """VP9 with transparency, as video stickers are."""
    options = ["-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-crf", "36", "-b:v", "0", "-an", "-threads", "1"]
    return encode(".webm", options, frames=frames, rate=rate)


def ogg(wave: bytes) -> bytes:
    """Opus in Ogg, as voice messages are."""
    return encode(".ogg", ["-c:a", "libopus", "-b:a", "28k", "-application", "audio"], wave=wave)


def mp3(wave: bytes, cover: bytes, title: str, performer: str) -> bytes:
    """MP3 with its cover, title and performer inside."""
    options = [
        "-map",
        "0:a",
        "-map",
        "1:v",
        "-c:a",
        "libmp3lame",
        "-b:a",
        "48k",
        "-c:v",
        "copy",
        "-id3v2_version",
        "3",
        "-disposition:v",
        "attached_pic",
        "-metadata:s:v",
        "title=Cover",
    ]
    return encode(".mp3", options, wave=wave, cover=cover, tags={"title": title, "artist": performer})
