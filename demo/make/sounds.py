"""Small melodies, synthesised: plucked strings, bells, whistles and the sea."""

from __future__ import annotations

import math
import random
import wave
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO

RATE = 24_000
# A note: when it starts (seconds), its pitch (MIDI number), its loudness (0..1).
Note = tuple[float, float, float]


class Tape:
    """A mono recording of a fixed length in seconds."""

    def __init__(self, seconds: float, seed: int = 1) -> None:
        self.samples = [0.0] * int(seconds * RATE)
        self.chance = random.Random(seed)

    def pluck(self, start: float, pitch: float, loud: float = 0.5, decay: float = 0.996) -> None:
        """A plucked string (Karplus and Strong's)."""
        period = RATE / _hertz(pitch)
        string = [self.chance.uniform(-1, 1) for _ in range(int(period))]
        soft = [(string[i - 1] + string[i]) / 2 for i in range(len(string))]
        length, place = len(soft), int(start * RATE)
        for step in range(min(int(2.6 * RATE), len(self.samples) - place)):
            index = step % length
            value = soft[index]
            soft[index] = (value + soft[(index + 1) % length]) / 2 * decay
            self.samples[place + step] += value * loud

    def bell(self, start: float, pitch: float, loud: float = 0.4, long: float = 2.5) -> None:
        """A bell, its overtones fading faster than its hum."""
        for ratio, share, fade in (
            (0.5, 0.4, 1.0),
            (1.0, 1.0, 1.4),
            (2.0, 0.5, 2.4),
            (2.76, 0.35, 3.2),
            (5.4, 0.15, 5.0),
        ):
            self._tone(start, _hertz(pitch) * ratio, loud * share, long, partial(_fading, fade * 1.4))

    def whistle(self, start: float, pitch: float, loud: float = 0.3, long: float = 0.5) -> None:
        """A whistled note with a little vibrato."""
        begin = int(start * RATE)
        phase = 0.0
        for step in range(min(int(long * RATE), len(self.samples) - begin)):
            t = step / RATE
            swell = min(1.0, t * 14, (long - t) * 9)
            phase += math.tau * _hertz(pitch + 0.16 * math.sin(t * 34) * min(1, t * 3)) / RATE
            breath = self.chance.uniform(-1, 1) * 0.05
            self.samples[begin + step] += (
                (math.sin(phase) + 0.12 * math.sin(2 * phase) + breath) * loud * max(0.0, swell)
            )

    def sea(self, loud: float = 0.2, pace: float = 0.22) -> None:
        """Waves that come and go under everything else."""
        low = slow = 0.0
        for step in range(len(self.samples)):
            noise = self.chance.uniform(-1, 1)
            low += (noise - low) * 0.09
            slow += (low - slow) * 0.25
            swell = 0.35 + 0.65 * math.sin(step / RATE * math.tau * pace) ** 2
            self.samples[step] += slow * loud * swell * 2.2

    def horn(self, start: float, pitch: float, loud: float = 0.35, long: float = 1.8) -> None:
        """A far foghorn."""
        for overtone in range(1, 7):
            self._tone(
                start,
                _hertz(pitch) * overtone,
                loud / overtone**1.2,
                long,
                lambda t: max(0.0, min(1.0, t * 5, (long - t) * 4)),
            )

    def wav(self) -> bytes:
        """The recording as a WAV file, levelled, its ends faded."""
        peak = max(max(self.samples), -min(self.samples), 0.01)
        fade = int(0.25 * RATE)
        count = len(self.samples)
        levels = array(
            "h",
            (
                round(value / peak * 26_000 * min(1.0, (step + 1) / 200, (count - step) / fade))
                for step, value in enumerate(self.samples)
            ),
        )
        out = BytesIO()
        with wave.open(out, "wb") as target:
            target.setnchannels(1)
            target.setsampwidth(2)
            target.setframerate(RATE)
            target.writeframes(levels.tobytes())
        return out.getvalue()

    def _tone(self, start: float, hertz: float, loud: float, long: float, shape: Callable[[float], float]) -> None:
        begin = int(start * RATE)
        for step in range(min(int(long * RATE), len(self.samples) - begin)):
            t = step / RATE
            self.samples[begin + step] += math.sin(math.tau * hertz * t) * loud * shape(t)


def _fading(pace: float, t: float) -> float:
    return math.exp(-t * pace)


def _hertz(pitch: float) -> float:
    return float(440.0 * 2 ** ((pitch - 69) / 12))


def _tune(
    tape: Tape, beat: float, melody: Sequence[tuple[float, float]], start: float = 0.2, loud: float = 0.5
) -> None:
    """Pluck (pitch, beats) one after the other; pitch 0 is a rest."""
    place = start
    for pitch, beats in melody:
        if pitch:
            tape.pluck(place, pitch, loud)
        place += beats * beat


def harbour_waltz() -> bytes:
    """Twenty seconds of a waltz for guitar and sea."""
    tape = Tape(21, 5)
    tape.sea(0.12, 0.12)
    chords = (
        (45, 52, 57, 61),
        (50, 54, 57, 62),
        (45, 52, 57, 61),
        (40, 52, 56, 62),
        (42, 49, 54, 57),
        (50, 54, 57, 62),
        (40, 47, 52, 56),
        (45, 52, 57, 61),
    )
    for bar, (root, *upper) in enumerate(chords * 2):
        if bar > 14:
            break
        start = 0.2 + bar * 1.26
        tape.pluck(start, root, 0.5)
        for beat in (1, 2):
            for pitch in upper[:2]:
                tape.pluck(start + beat * 0.42, pitch, 0.2)
    melody = (
        (73, 2),
        (76, 1),
        (74, 2),
        (71, 1),
        (73, 1),
        (69, 1),
        (71, 1),
        (68, 3),
        (69, 2),
        (73, 1),
        (74, 2),
        (78, 1),
        (76, 1),
        (74, 1),
        (71, 1),
        (69, 3),
    )
    _tune(tape, 0.42, (*melody, *melody[:14]), loud=0.45)
    return tape.wav()


def lantern_taqsim() -> bytes:
    """A slow improvisation on a plucked string in the mode of Hijaz."""
    tape = Tape(17, 6)
    melody = (
        (62, 2),
        (63, 1),
        (66, 1),
        (67, 2),
        (66, 1),
        (63, 1),
        (62, 2),
        (0, 1),
        (69, 1.5),
        (70, 0.5),
        (69, 1),
        (67, 1),
        (66, 2),
        (67, 0.5),
        (66, 0.5),
        (63, 1),
        (62, 2),
        (0, 1),
        (74, 1),
        (72, 0.5),
        (70, 0.5),
        (69, 1),
        (67, 0.5),
        (66, 0.5),
        (63, 1),
        (62, 3),
    )
    _tune(tape, 0.5, melody, loud=0.6)
    for drone in range(8):
        tape.pluck(0.2 + drone * 2, 50, 0.35)
        tape.pluck(1.2 + drone * 2, 57, 0.16)
    return tape.wav()


def fog_signal() -> bytes:
    """The foghorn over the sea, twice, and the bell buoy between."""
    tape = Tape(7, 7)
    tape.sea(0.35)
    tape.horn(0.6, 41)
    tape.horn(4.2, 41)
    for start in (2.9, 3.4, 6.2):
        tape.bell(start, 76, 0.22, 1.6)
    return tape.wav()


def station_bell() -> bytes:
    """Three strokes of the station's bell and the stationmaster's whistle."""
    tape = Tape(7, 8)
    for start in (0.2, 0.9, 1.6):
        tape.bell(start, 74, 0.5)
    for start, pitch, long in (
        (3.0, 79, 0.35),
        (3.4, 83, 0.35),
        (3.8, 86, 0.6),
        (4.5, 83, 0.3),
        (4.85, 84, 0.3),
        (5.2, 79, 1.1),
    ):
        tape.whistle(start, pitch, 0.4, long)
    return tape.wav()


def wind_chime() -> bytes:
    """Glass bells in the evening wind, on a scale of five tones."""
    tape = Tape(6, 9)
    for _ in range(17):
        tape.bell(
            tape.chance.uniform(0.1, 4.4),
            tape.chance.choice((81, 84, 86, 88, 91, 93)),
            tape.chance.uniform(0.1, 0.35),
            1.8,
        )
    return tape.wav()


def sea_swell(seconds: float) -> bytes:
    """Only the sea, with a bell buoy far out."""
    tape = Tape(seconds, 10)
    tape.sea(0.4)
    for start in (1.1, 1.7, 4.6, 5.2):
        if start < seconds - 0.5:
            tape.bell(start, 79, 0.1, 1.5)
    return tape.wav()
