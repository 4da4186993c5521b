"""Moving pictures: frames drawn one by one, in small final pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from demo.make.canvas import FONT, Canvas, mix, rgb
from demo.make.scenes.bay import boat
from demo.make.scenes.coast import cottage, tower

RATE = 25


class Cutout:
    """A figure to be laid over frames: drawn on black and on white, the difference is what shines through."""

    def __init__(self, width: int, height: int, draw: Callable[[Canvas], None], floor: int | None = None) -> None:
        """`floor` cuts off what lies below that row."""
        on_black, on_white = (Canvas(width, height, 72, paper) for paper in ("#000000", "#ffffff"))
        for board in (on_black, on_white):
            draw(board)
        self.figure, lightest = (board.finish(0) for board in (on_black, on_white))
        self.through = ImageChops.subtract(lightest, self.figure)
        if floor is not None:
            self.figure.paste((0, 0, 0), (0, floor, width, height))
            self.through.paste((255, 255, 255), (0, floor, width, height))

    def over(
        self, frame: Image.Image, right: int = 0, down: int = 0, tilt: float = 0, pivot: tuple[int, int] = (0, 0)
    ) -> Image.Image:
        """The frame with the figure moved by pixels and tilted by degrees."""
        smooth, way = Image.Resampling.BICUBIC, (right, down)
        figure = self.figure.rotate(tilt, smooth, center=pivot, translate=way)
        through = self.through.rotate(tilt, smooth, center=pivot, translate=way, fillcolor=(255, 255, 255))
        return ImageChops.add(ImageChops.multiply(frame, through), figure)


def _lit(
    frame: Image.Image, shape: list[tuple[float, float]], colour: str, strength: float, blur: float
) -> Image.Image:
    """The frame with a blurred shape of light on it."""
    mask = Image.new("L", (frame.width // 2, frame.height // 2))
    ImageDraw.Draw(mask).polygon([(x / 2, y / 2) for x, y in shape], fill=round(255 * strength))
    mask = mask.filter(ImageFilter.GaussianBlur(blur / 2)).resize(frame.size)
    light = Image.composite(Image.new("RGB", frame.size, rgb(colour)), Image.new("RGB", frame.size), mask)
    return ImageChops.screen(frame, light)


def _waves(
    pencil: ImageDraw.ImageDraw, size: tuple[int, int], top: float, second: float, near: str, far: str, rows: int = 7
) -> None:
    """Rows of waves that travel; one full loop each 4 seconds."""
    width, height = size
    for row in range(rows):
        depth = row / (rows - 1)
        base = top + (height - top) * depth**1.25
        swing = 2 + 7 * depth
        length = width / (7 - 4 * depth)
        turn = second / 4 * math.tau * (1 if row % 2 else -1) + row * 1.7
        crest = [
            (
                x,
                base
                + swing * math.sin(x / length * math.tau + turn)
                + swing * 0.4 * math.sin(x / length * 2.3 * math.tau - turn),
            )
            for x in range(-4, width + 8, 4)
        ]
        pencil.polygon([*crest, (width + 8, height + 2), (-4, height + 2)], fill=mix(rgb(far), rgb(near), depth))
        for place in range(row * 3, len(crest), 17):
            x, y = crest[place]
            pencil.line(
                (x - 8 - 12 * depth, y + 3, x + 8 + 12 * depth, y + 3),
                fill=mix(rgb(far), rgb("#ffffff"), 0.35),
                width=1,
            )


def beam_night() -> Iterator[Image.Image]:
    """The lighthouse at work, 8 seconds with a running clock: 640 x 360."""
    board = Canvas(640, 360, 71)
    board.sky("#070d24", "#132148", "#34477a", "#6a6f9c", bottom=262)
    board.stars(150, 220)
    board.ridge(258, 7, "#1f2b52", 2)
    plain = board.finish(0)
    lamp = (140.0, 244 - 176 * 0.875)

    def headland(land: Canvas) -> None:
        land.polygon([(0, 262), (60, 246), (150, 240), (220, 252), (262, 286), (300, 366), (0, 366)], "#0c1228")
        cottage(land, 30, 248, 56, "#454a66", "#22263c")
        tower(land, 140, 244, 176, lit=True)

    land = Cutout(640, 360, headland)
    font = ImageFont.truetype(FONT.format("Regular"), 20)
    for number in range(8 * RATE):
        second = number / RATE
        frame = plain.copy()
        for ray in (0, 1):
            turn = second / 4 * math.tau + ray * math.pi
            reach, near = math.cos(turn), math.sin(turn)
            far = lamp[0] + math.copysign(760, reach) * min(1, abs(reach) * 2.2)
            spread = 30 + 54 * abs(reach)
            strength = min(1, abs(reach) * 2) * (0.42 + 0.2 * near)
            frame = _lit(
                frame, [lamp, (far, lamp[1] - spread - 10), (far, lamp[1] + spread - 10)], "#ffedb5", strength, 5
            )
        pencil = ImageDraw.Draw(frame)
        _waves(pencil, frame.size, 264, second, "#0b1737", "#2b3d6e")
        sail = 660 - second * 46
        rock = 2 * math.sin(second * 2.2)
        pencil.polygon(
            [(sail - 20, 288 + rock), (sail + 22, 288 - rock), (sail + 14, 298), (sail - 14, 298)], fill=rgb("#0a0f22")
        )
        pencil.polygon([(sail + rock, 244), (sail + 2, 285), (sail + 20, 285)], fill=rgb("#cdd5ea"))
        pencil.polygon([(sail - 3 + rock, 250), (sail - 2, 285), (sail - 15, 285)], fill=rgb("#9aa6c8"))
        pencil.ellipse((sail - 17, 283, sail - 13, 287), fill=rgb("#ff6a55"))
        frame = land.over(frame)
        flash = max(0.0, math.sin(second / 4 * math.tau)) ** 6 + max(0.0, -math.sin(second / 4 * math.tau)) ** 6
        size = 12 + 40 * flash
        circle = [
            (lamp[0] + size * math.cos(a / 10 * math.tau), lamp[1] + size * math.sin(a / 10 * math.tau))
            for a in range(10)
        ]
        frame = _lit(frame, circle, "#fff4cc", 0.35 + 0.6 * flash, 18)
        pencil = ImageDraw.Draw(frame)
        pencil.rounded_rectangle((530, 14, 624, 44), 8, fill=(10, 15, 34))
        pencil.text(
            (577, 28), f"{int(second):02d}.{number % RATE * 4:02d} s", font=font, fill=rgb("#ffe9a8"), anchor="mm"
        )
        yield frame


def beam_poster() -> Image.Image:
    """A frame of the film in which the beam is seen well."""
    return list(beam_night())[RATE * 2 + 12]


def storm_waves() -> Iterator[Image.Image]:
    """A grey sea and gulls against the wind, 4 seconds: 640 x 360, silent."""
    board = Canvas(640, 360, 73)
    board.sky("#34424f", "#6d7d87", "#b9bcb0", bottom=170)
    board.clouds(16, 0, 110, "#28333d", 0.6)
    plain = board.finish(0)
    for number in range(4 * RATE):
        second = number / RATE
        frame = plain.copy()
        pencil = ImageDraw.Draw(frame)
        _waves(pencil, frame.size, 166, second, "#16303b", "#6b8a90", 9)
        for gull in range(4):
            x = 130 + gull * 120 + 26 * math.sin(second / 4 * math.tau + gull)
            y = 70 + gull % 2 * 34 + 9 * math.cos(second / 4 * math.tau * 2 + gull)
            lift = 6 * math.sin(second / 4 * math.tau * 6 + gull * 2)
            pencil.line(
                [
                    (x - 17, y - lift),
                    (x - 7, y - 3 - lift / 3),
                    (x, y + 2),
                    (x + 7, y - 3 - lift / 3),
                    (x + 17, y - lift),
                ],
                fill=rgb("#eef0ec"),
                width=2,
            )
        yield frame


def storm_poster() -> Image.Image:
    """The first frame of the grey sea."""
    return next(storm_waves())


def murmuration() -> Iterator[Image.Image]:
    """Starlings that turn without end, 4 seconds, the last frame leading into the first: 480 x 270."""
    board = Canvas(480, 270, 74)
    board.sky("#4a3a6b", "#a3587a", "#ee8f66", "#fbc983", "#ffe7b5", bottom=224)
    board.ridge(222, 5, "#4b3152", 2)
    plain = board.finish(0)
    flock = [
        (board.chance.uniform(0, math.tau), board.chance.gauss(0, 1), board.chance.gauss(0, 1)) for _ in range(420)
    ]
    for number in range(4 * RATE):
        turn = number / (4 * RATE) * math.tau
        frame = plain.copy()
        pencil = ImageDraw.Draw(frame)
        for phase, wide, high in flock:
            along = turn + phase * 0.32
            x = 240 + 128 * math.sin(along) + wide * (16 + 10 * math.sin(turn + 1)) + 20 * math.sin(2 * turn + wide)
            y = 104 + 44 * math.sin(2 * along) + high * (9 + 6 * math.cos(turn)) + 10 * math.cos(turn + high)
            lift = 1.6 * math.sin(turn * 8 + phase * 5)
            pencil.line([(x - 2.6, y - lift), (x, y), (x + 2.6, y - lift)], fill=rgb("#2a1c38"))
        yield frame


def murmuration_poster() -> Image.Image:
    """The first frame of the flock."""
    return next(murmuration())


def porthole() -> Iterator[Image.Image]:
    """The morning ferry seen from a round window, 6 seconds: 384 x 384."""
    board = Canvas(384, 384, 75)
    board.sky("#5a6fa8", "#c98fa0", "#f7bd8e", "#ffe6b8", bottom=222)
    board.clouds(6, 40, 150, "#ffe0cf", 0.5)
    plain = board.finish(0)
    ferry = Cutout(384, 384, lambda board: boat(board, 192, 250, 0.72, "#c2453c"), floor=255)
    for number in range(6 * RATE):
        second = number / RATE
        frame = plain.copy()
        pencil = ImageDraw.Draw(frame)
        sun = 214 - 13 * second
        pencil.ellipse((252, sun - 26, 304, sun + 26), fill=rgb("#fff3cf"))
        _waves(pencil, frame.size, 216, second, "#274d78", "#d99f96", 3)
        lift = round(-6 + 3 * math.sin(second * 2.1 + 1))
        frame = ferry.over(frame, round(-150 + second * 46), lift, 2.6 * math.sin(second * 2.1), (192, 250))
        _waves(ImageDraw.Draw(frame), frame.size, 252, second, "#173257", "#3f6288", 5)
        yield frame


def porthole_poster() -> Image.Image:
    """The ferry in the middle of the window."""
    return list(porthole())[RATE * 3]
