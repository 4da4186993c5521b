"""Stickers: a still one (WebP), a film with transparency (VP9) and a vector one (Lottie in gzip)."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Sequence
from io import BytesIO

from PIL import Image, ImageDraw, ImageFilter

from demo.make.canvas import rgb
from demo.make.markup import Json

SIDE = 512
_BIG = SIDE * 2


def _with_outline(figure: Image.Image) -> Image.Image:
    """The figure in final size with a white rim, as cut from paper."""
    small = figure.resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    rim = small.getchannel("A").filter(ImageFilter.GaussianBlur(5)).point([min(255, value * 9) for value in range(256)])
    paper = Image.new("RGBA", (SIDE, SIDE), (255, 255, 255, 0))
    paper.putalpha(rim)
    paper.alpha_composite(small)
    return paper


def _webp(image: Image.Image) -> bytes:
    out = BytesIO()
    image.save(out, "WEBP", quality=80, method=6)
    return out.getvalue()


def _seal(wink: bool = False, lift: float = 0.0) -> Image.Image:
    """A seal who is pleased to see you; `lift` (0..1) raises the flipper."""
    figure = Image.new("RGBA", (_BIG, _BIG), (0, 0, 0, 0))
    pencil = ImageDraw.Draw(figure)
    body, belly, dark = rgb("#8fa3b5"), rgb("#dfe6ea"), rgb("#2c3a4a")
    pencil.ellipse((250, 820, 790, 930), fill=rgb("#7fb9c6"))
    pencil.ellipse((300, 330, 740, 900), fill=body)
    pencil.ellipse((370, 520, 670, 890), fill=belly)
    pencil.ellipse((285, 130, 755, 560), fill=body)
    swing = 40 + 150 * lift
    flipper = [(700, 640), (880, 700 - swing), (910, 760 - swing * 1.4), (840, 800 - swing), (690, 760)]
    pencil.polygon(flipper, fill=rgb("#7d92a6"))
    pencil.polygon([(340, 640), (170, 770), (190, 830), (360, 760)], fill=rgb("#7d92a6"))
    for side in (-1, 1):
        eye = 520 + side * 110
        if wink and side == 1:
            pencil.arc((eye - 42, 290, eye + 42, 360), 180, 360, fill=dark, width=13)
        else:
            pencil.ellipse((eye - 42, 270, eye + 42, 366), fill=dark)
            pencil.ellipse((eye - 14, 286, eye + 18, 320), fill=(255, 255, 255, 255))
        pencil.ellipse((eye - 72 + side * 40, 376, eye + 72 + side * 40, 430), fill=(*rgb("#e8a8a0"), 255))
    pencil.ellipse((400, 372, 640, 520), fill=belly)
    pencil.ellipse((480, 366, 560, 424), fill=dark)
    pencil.arc((450, 400, 520, 480), 0, 180, fill=dark, width=9)
    pencil.arc((520, 400, 590, 480), 0, 180, fill=dark, width=9)
    for side in (-1, 1):
        for hair in range(3):
            y = 436 + hair * 22
            pencil.line((520 + side * 86, y, 520 + side * 220, y - 26 + hair * 26), fill=dark, width=5)
    return figure


def seal_webp() -> bytes:
    """The seal standing still."""
    return _webp(_with_outline(_seal()))


def seal_frames() -> Iterator[Image.Image]:
    """The seal waves and winks: 2 seconds at 25 frames."""
    for number in range(50):
        turn = number / 50 * math.tau
        yield _with_outline(_seal(wink=28 <= number < 40, lift=0.5 - 0.5 * math.cos(turn * 2)))


def seal_poster() -> Image.Image:
    """The seal greeting, on white, as the film's thumbnail."""
    return _on_white(_with_outline(_seal(lift=0.8)))


def samovar_webp() -> bytes:
    """A samovar with a teapot on its crown."""
    figure = Image.new("RGBA", (_BIG, _BIG), (0, 0, 0, 0))
    pencil = ImageDraw.Draw(figure)
    brass, light, dark = rgb("#d9a03c"), rgb("#f6d68a"), rgb("#8f5f1c")
    pencil.rounded_rectangle((370, 850, 660, 910), 20, fill=dark)
    pencil.polygon([(420, 780), (610, 780), (650, 860), (380, 860)], fill=brass)
    for side in (-1, 1):
        pencil.arc((515 + side * 260 - 90, 380, 515 + side * 260 + 90, 560), 0, 360, fill=dark, width=30)
    pencil.polygon([(300, 380), (730, 380), (690, 640), (610, 790), (420, 790), (340, 640)], fill=brass)
    pencil.ellipse((295, 330, 735, 440), fill=light)
    pencil.ellipse((340, 345, 690, 415), fill=brass)
    pencil.polygon([(360, 440), (430, 450), (440, 740), (390, 640)], fill=light)
    pencil.rounded_rectangle((455, 250, 575, 380), 16, fill=dark)
    pencil.polygon([(490, 640), (540, 640), (548, 730), (482, 730)], fill=dark)
    pencil.rounded_rectangle((470, 620, 560, 660), 12, fill=light)
    pencil.ellipse((390, 130, 640, 310), fill=rgb("#f4f0e6"))
    pencil.polygon([(630, 200), (720, 150), (735, 172), (640, 260)], fill=rgb("#f4f0e6"))
    pencil.arc((320, 150, 430, 280), 80, 290, fill=rgb("#f4f0e6"), width=24)
    pencil.rounded_rectangle((450, 112, 580, 150), 14, fill=rgb("#c2453c"))
    pencil.ellipse((497, 78, 533, 116), fill=rgb("#c2453c"))
    for flower in (450, 520, 590):
        for petal in range(5):
            turn = petal * math.tau / 5
            x, y = flower + 17 * math.cos(turn), 226 + 17 * math.sin(turn)
            pencil.ellipse((x - 12, y - 12, x + 12, y + 12), fill=rgb("#c2453c"))
        pencil.ellipse((flower - 9, 217, flower + 9, 235), fill=rgb("#f0c75e"))
    return _webp(_with_outline(figure))


def _on_white(sticker: Image.Image) -> Image.Image:
    paper = Image.new("RGB", sticker.size, (255, 255, 255))
    paper.paste(sticker, (0, 0), sticker)
    return paper


def _fixed(value: object) -> Json:
    return {"a": 0, "k": value}


def _moving(frames: Sequence[tuple[int, Sequence[float]]]) -> Json:
    ease = {"i": {"x": [0.4], "y": [1]}, "o": {"x": [0.6], "y": [0]}}
    return {"a": 1, "k": [{"t": time, "s": list(value), **ease} for time, value in frames]}


def _layer(index: int, name: str, shapes: list[Json], **transform: Json) -> Json:
    moves = {
        "o": _fixed(100),
        "r": _fixed(0),
        "p": _fixed([256, 256, 0]),
        "a": _fixed([0, 0, 0]),
        "s": _fixed([100, 100, 100]),
    }
    group = {
        "ty": "gr",
        "nm": name,
        "it": [
            *shapes,
            {
                "ty": "tr",
                "p": _fixed([0, 0]),
                "a": _fixed([0, 0]),
                "s": _fixed([100, 100]),
                "r": _fixed(0),
                "o": _fixed(100),
            },
        ],
    }
    return {
        "ddd": 0,
        "ind": index,
        "ty": 4,
        "nm": name,
        "sr": 1,
        "ks": {**moves, **transform},
        "ao": 0,
        "shapes": [group],
        "ip": 0,
        "op": 120,
        "st": 0,
        "bm": 0,
    }


def _fill(colour: str) -> Json:
    return {"ty": "fl", "c": _fixed([*(round(part / 255, 3) for part in rgb(colour)), 1]), "o": _fixed(100), "r": 1}


def _star(points: int, outer: float, inner: float) -> Json:
    return {
        "ty": "sr",
        "sy": 1,
        "d": 1,
        "pt": _fixed(points),
        "p": _fixed([0, 0]),
        "r": _fixed(0),
        "ir": _fixed(inner),
        "is": _fixed(30),
        "or": _fixed(outer),
        "os": _fixed(30),
    }


def _oval(x: float, y: float, wide: float, high: float) -> Json:
    return {"ty": "el", "d": 1, "p": _fixed([x, y]), "s": _fixed([wide, high])}


def star_tgs() -> bytes:
    """A star that breathes, turns its rays and blinks: 2 seconds at 60 frames, looping."""
    blink = _moving(
        [
            (0, [100, 100, 100]),
            (70, [100, 100, 100]),
            (76, [100, 12, 100]),
            (82, [100, 100, 100]),
            (120, [100, 100, 100]),
        ]
    )
    breathe = _moving([(0, [94, 94, 100]), (60, [106, 106, 100]), (120, [94, 94, 100])])
    layers = [
        _layer(1, "eyes", [_oval(-46, -8, 26, 38), _oval(46, -8, 26, 38), _fill("#3a2c28")], s=blink),
        _layer(2, "cheeks", [_oval(-78, 34, 36, 22), _oval(78, 34, 36, 22), _fill("#f08a6a")], s=breathe),
        _layer(3, "smile", [_oval(0, 40, 40, 24), _fill("#a4352f")], s=breathe),
        _layer(4, "star", [_star(5, 190, 118), _fill("#ffd257")], s=breathe),
        _layer(5, "rays", [_star(12, 238, 150), _fill("#ffeeb0")], r=_moving([(0, [0]), (120, [60])])),
    ]
    animation = {
        "tgs": 1,
        "v": "5.5.2",
        "fr": 60,
        "ip": 0,
        "op": 120,
        "w": SIDE,
        "h": SIDE,
        "nm": "little star",
        "ddd": 0,
        "assets": [],
        "layers": layers,
    }
    return gzip.compress(json.dumps(animation, separators=(",", ":")).encode(), 9, mtime=0)


def star_poster() -> Image.Image:
    """What the star looks like standing still."""
    figure = Image.new("RGBA", (_BIG, _BIG), (0, 0, 0, 0))
    pencil = ImageDraw.Draw(figure)
    for points, outer, inner, colour in ((12, 476, 300, "#ffeeb0"), (5, 380, 236, "#ffd257")):
        shape = []
        for corner in range(points * 2):
            radius = outer if corner % 2 == 0 else inner
            turn = corner * math.pi / points - math.pi / 2
            shape.append((_BIG / 2 + math.cos(turn) * radius, _BIG / 2 + math.sin(turn) * radius))
        pencil.polygon(shape, fill=rgb(colour))
    for side in (-1, 1):
        pencil.ellipse((512 + side * 92 - 26, 458, 512 + side * 92 + 26, 534), fill=rgb("#3a2c28"))
        pencil.ellipse((512 + side * 156 - 36, 558, 512 + side * 156 + 36, 602), fill=rgb("#f08a6a"))
    pencil.ellipse((472, 568, 552, 616), fill=rgb("#a4352f"))
    return _on_white(figure.resize((SIDE, SIDE), Image.Resampling.LANCZOS))
