"""A drawing board with the few brushes that all scenes share.

Scenes speak in final pixels; the board is twice as large inside and shrunk at the end, which
smooths every edge. All chance comes from a seeded generator, so a scene is the same each time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float]

SCALE = 2
FONT = "/usr/share/fonts/truetype/noto/NotoSerif-{}.ttf"
NASKH = "/usr/share/fonts/truetype/noto/NotoNaskhArabic-{}.ttf"


def rgb(text: str) -> Colour:
    """`"#a1b2c3"` as a triple of 0..255."""
    value = int(text.lstrip("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """The colour `share` (0..1) of the way from the first to the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


class Canvas:
    """A board of `width` x `height` final pixels, with a seeded `chance`."""

    def __init__(self, width: int, height: int, seed: int, paper: str = "#ffffff") -> None:
        self.width = width
        self.height = height
        self.chance = random.Random(seed)
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), rgb(paper))

    def finish(self, grain: float = 0.014) -> Image.Image:
        """The picture in its final size, with a breath of grain against banding."""
        picture = self.image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        if grain:
            small = (self.width // 2, self.height // 2)
            noise = Image.frombytes("L", small, self.chance.randbytes(small[0] * small[1]))
            noise = noise.filter(ImageFilter.GaussianBlur(0.6)).resize(picture.size, Image.Resampling.BICUBIC)
            picture = Image.blend(picture, ImageChops.overlay(picture, noise.convert("RGB")), grain * 4)
        return picture

    # -- light -----------------------------------------------------------------------------

    def sky(
        self,
        *stops: str,
        top: float = 0,
        bottom: float | None = None,
        left: float = 0,
        right: float | None = None,
    ) -> None:
        """A vertical gradient through the colours, between two heights and two sides."""
        bottom = self.height if bottom is None else bottom
        columns = round(((self.width if right is None else right) - left) * SCALE)
        rows = max(1, round((bottom - top) * SCALE))
        strip = Image.new("RGB", (1, rows))
        colours = [rgb(stop) for stop in stops]
        for row in range(rows):
            place = row / max(1, rows - 1) * (len(colours) - 1)
            index = min(int(place), len(colours) - 2)
            strip.putpixel((0, row), mix(colours[index], colours[index + 1], place - index))
        self.image.paste(strip.resize((columns, rows)), (round(left * SCALE), round(top * SCALE)))

    def glow(self, x: float, y: float, radius: float, colour: str, strength: float = 1.0) -> None:
        """A soft round light that only ever brightens."""
        side = round(radius * 2 * SCALE)
        falloff = (
            Image.radial_gradient("L")
            .resize((side, side))
            .point([round(max(0.0, 1 - value / 180) ** 2 * 255 * strength) for value in range(256)])
        )
        light = Image.composite(Image.new("RGB", (side, side), rgb(colour)), Image.new("RGB", (side, side)), falloff)
        layer = Image.new("RGB", self.image.size)
        layer.paste(light, (round((x - radius) * SCALE), round((y - radius) * SCALE)))
        self.image = ImageChops.screen(self.image, layer)

    def soft(self, paint: Callable[[ImageDraw.ImageDraw], None], colour: str, strength: float, blur: float) -> None:
        """What `paint` draws in white on black becomes a blurred veil of the colour.

        `paint` gets a pencil in board coordinates (final pixels times SCALE).
        """
        mask = Image.new("L", (self.image.width // 4, self.image.height // 4))
        big = Image.new("L", self.image.size)
        paint(ImageDraw.Draw(big))
        mask = big.resize(mask.size).filter(ImageFilter.GaussianBlur(blur * SCALE / 4))
        mask = mask.point([round(value * strength) for value in range(256)]).resize(self.image.size)
        self.image.paste(Image.new("RGB", self.image.size, rgb(colour)), (0, 0), mask)

    def stars(self, count: int, bottom: float, colour: str = "#fff6e0") -> None:
        """Stars of several sizes down to a height; a few of them shine."""
        for _ in range(count):
            x, y = self.chance.uniform(0, self.width), self.chance.uniform(0, bottom) ** 1.0
            size = self.chance.choice((0.5, 0.6, 0.7, 0.9, 1.3))
            tone = mix(rgb(colour), rgb("#8fa8d8"), self.chance.uniform(0, 0.7))
            self.disc(x, y, size, tone)
            if size > 1 and self.chance.random() < 0.25:
                self.glow(x, y, 12, colour, 0.6)

    def clouds(self, count: int, top: float, bottom: float, colour: str, strength: float = 0.5) -> None:
        """Long, soft banks of cloud."""

        def paint(pencil: ImageDraw.ImageDraw) -> None:
            for _ in range(count):
                x, y = self.chance.uniform(-80, self.width), self.chance.uniform(top, bottom)
                for _ in range(7):
                    wide, high = self.chance.uniform(60, 200), self.chance.uniform(6, 22)
                    dx, dy = self.chance.uniform(-140, 140), self.chance.uniform(-9, 9)
                    pencil.ellipse(_box(x + dx, y + dy, wide, high), fill=255)

        self.soft(paint, colour, strength, 9)

    # -- shapes ----------------------------------------------------------------------------

    def polygon(self, points: Sequence[Point], fill: str | Colour) -> None:
        """A filled shape through the points."""
        self._pencil().polygon([(x * SCALE, y * SCALE) for x, y in points], fill=_ink(fill))

    def rect(self, x: float, y: float, wide: float, high: float, fill: str | Colour, round_by: float = 0) -> None:
        """A filled rectangle by its upper left corner and size."""
        box = (x * SCALE, y * SCALE, (x + wide) * SCALE, (y + high) * SCALE)
        self._pencil().rounded_rectangle(box, round_by * SCALE, fill=_ink(fill))

    def ellipse(self, x: float, y: float, wide: float, high: float, fill: str | Colour) -> None:
        """A filled ellipse by its centre and radii."""
        self._pencil().ellipse(_box(x, y, wide, high), fill=_ink(fill))

    def disc(self, x: float, y: float, radius: float, fill: str | Colour) -> None:
        """A filled circle."""
        self.ellipse(x, y, radius, radius, fill)

    def ring(self, x: float, y: float, radius: float, colour: str | Colour, width: float = 1) -> None:
        """A circle's line."""
        self._pencil().ellipse(_box(x, y, radius, radius), outline=_ink(colour), width=round(width * SCALE))

    def arc(
        self, x: float, y: float, radius: float, start: float, end: float, colour: str | Colour, width: float
    ) -> None:
        """A part of a circle's line, angles in degrees clockwise from three o'clock."""
        self._pencil().arc(
            _box(x, y, radius, radius), start, end, fill=_ink(colour), width=max(1, round(width * SCALE))
        )

    def line(self, points: Sequence[Point], colour: str | Colour, width: float = 1) -> None:
        """A line through the points with round joints."""
        self._pencil().line(
            [(x * SCALE, y * SCALE) for x, y in points],
            fill=_ink(colour),
            width=max(1, round(width * SCALE)),
            joint="curve",
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        colour: str,
        style: str = "Italic",
        family: str = FONT,
    ) -> None:
        """Lettering centred on a point; `FONT` has Latin, Greek and Cyrillic, `NASKH` Arabic."""
        font = ImageFont.truetype(family.format(style), round(size * SCALE))
        self._pencil().text((x * SCALE, y * SCALE), words, font=font, fill=rgb(colour), anchor="mm")

    # -- nature ----------------------------------------------------------------------------

    def ridge(self, base: float, swing: float, fill: str | Colour, rough: float = 1.0) -> Callable[[float], float]:
        """A range of hills down to the lower edge; gives back its height at any x."""
        waves = [
            (self.chance.uniform(0, 7), (1.3 + octave * octave * rough) / self.width, swing / (1.5 + octave * 1.6))
            for octave in range(1, 6)
        ]

        def height(x: float) -> float:
            return base + sum(math.sin(phase + x * pace * math.tau / 2) * size for phase, pace, size in waves)

        line = [(x, height(x)) for x in range(-4, self.width + 9, 4)]
        self.polygon([*line, (self.width + 9, self.height + 5), (-4, self.height + 5)], fill)
        return height

    def water(self, horizon: float, tint: str, strength: float = 0.35) -> None:
        """Mirror what is above the horizon into the water below it, broken by ripples."""
        line = round(horizon * SCALE)
        below = self.image.height - line
        above = self.image.crop((0, max(0, line - below), self.image.width, line))
        mirror = above.transpose(Image.Transpose.FLIP_TOP_BOTTOM).resize((self.image.width, below))
        mirror = mirror.filter(ImageFilter.GaussianBlur(2.5))
        rippled = Image.new("RGB", mirror.size)
        row = 0
        while row < below:
            thick = 1 + int(row / below * 7)
            reach = (2 + row / below * 26) * math.sin(row * 0.35 + self.chance.uniform(-0.8, 0.8))
            strip = mirror.crop((0, row, mirror.width, min(below, row + thick)))
            rippled.paste(ImageChops.offset(strip, round(reach), 0), (0, row))
            row += thick
        self.image.paste(Image.blend(rippled, Image.new("RGB", mirror.size, rgb(tint)), strength), (0, line))

    def glints(self, count: int, top: float, bottom: float, colour: str, centre: float, spread: float) -> None:
        """Short strokes of light on water, wider the nearer."""
        for _ in range(count):
            depth = self.chance.random()
            y = top + (bottom - top) * depth**1.4
            x = self.chance.gauss(centre, spread * (0.3 + depth))
            long = self.chance.uniform(3, 12 + 34 * depth)
            tone = mix(self.pixel(x, y), rgb(colour), self.chance.uniform(0.3, 0.8))
            self.line([(x - long, y), (x + long, y)], tone, 0.7 + 1.2 * depth)

    def pixel(self, x: float, y: float) -> Colour:
        """The colour at a point, clamped to the board."""
        column = min(max(round(x * SCALE), 0), self.image.width - 1)
        line = min(max(round(y * SCALE), 0), self.image.height - 1)
        value = self.image.getpixel((column, line))
        assert isinstance(value, tuple)
        return int(value[0]), int(value[1]), int(value[2])

    def bird(self, x: float, y: float, span: float, colour: str | Colour) -> None:
        """A bird far away, wings up by chance."""
        lift = self.chance.uniform(-0.1, 0.45) * span
        tilt = self.chance.uniform(-0.2, 0.2) * span
        left = _curve((x - span, y - lift + tilt), (x - span * 0.45, y - lift - span * 0.2), (x, y))
        right = _curve((x, y), (x + span * 0.45, y - lift - span * 0.2), (x + span, y - lift - tilt))
        self.polygon(
            [*left, *right, *reversed([(a, b + span * 0.13 * (1 - abs(a - x) / span)) for a, b in (*left, *right)])],
            colour,
        )

    def spruce(self, x: float, foot: float, tall: float, colour: str | Colour, snow: str | None = None) -> None:
        """A fir tree in silhouette, with snow on its shoulders if a colour is given."""
        self.rect(x - tall * 0.018, foot - tall * 0.1, tall * 0.036, tall * 0.12, colour)
        for tier in range(6):
            top, wide = foot - tall + tier * tall * 0.145, tall * (0.075 + tier * 0.04)
            low = top + tall * 0.27
            sag = self.chance.uniform(-1, 1) * tall * 0.012
            self.polygon([(x, top), (x + wide, low + sag), (x, low - tall * 0.05), (x - wide, low - sag)], colour)
            if snow:
                self.polygon([(x, top), (x - wide * 0.9, low - sag - 1), (x - wide * 0.4, low - tall * 0.075)], snow)

    def grass(self, count: int, foot: Callable[[float], float], tall: float, colours: Sequence[str]) -> None:
        """Blades bending in one wind."""
        for _ in range(count):
            x = self.chance.uniform(-10, self.width + 10)
            y = foot(x) + self.chance.uniform(0, tall * 0.8)
            high = tall * self.chance.uniform(0.4, 1.1)
            lean = high * self.chance.uniform(0.1, 0.6)
            blade = _curve((x, y), (x + lean * 0.2, y - high * 0.7), (x + lean, y - high))
            self.line(blade, self.chance.choice(colours), self.chance.uniform(0.7, 1.8))

    def _pencil(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)


def _box(x: float, y: float, wide: float, high: float) -> tuple[float, float, float, float]:
    return (x - wide) * SCALE, (y - high) * SCALE, (x + wide) * SCALE, (y + high) * SCALE


def _ink(fill: str | Colour) -> Colour:
    return rgb(fill) if isinstance(fill, str) else fill


def _curve(start: Point, bend: Point, end: Point, steps: int = 10) -> list[Point]:
    """A quadratic Bezier curve as points."""
    points = []
    for step in range(steps + 1):
        t = step / steps
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
        points.append((a * start[0] + b * bend[0] + c * end[0], a * start[1] + b * bend[1] + c * end[1]))
    return points


curve = _curve
