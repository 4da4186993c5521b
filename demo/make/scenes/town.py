"""Saltmere's kitchen tables, shop windows and papers."""

from __future__ import annotations

import math
from itertools import pairwise

from PIL import Image, ImageDraw

from demo.make.canvas import SCALE, Canvas, curve, mix, rgb
from demo.make.scenes.hill import cat


def _steam(board: Canvas, x: float, foot: float, size: float) -> None:
    for wisp in (-1, 0, 1):
        start = x + wisp * 34 * size
        trail = curve((start, foot), (start - 40 * size, foot - 70 * size), (start + 8 * size, foot - 130 * size), 16)
        trail += curve(
            (start + 8 * size, foot - 130 * size),
            (start + 50 * size, foot - 190 * size),
            (start, foot - 250 * size),
            16,
        )

        def paint(pencil: ImageDraw.ImageDraw, trail: list[tuple[float, float]] = trail) -> None:
            pencil.line([(a * SCALE, b * SCALE) for a, b in trail], fill=255, width=round(17 * size) * SCALE)

        board.soft(paint, "#ffffff", 0.4, 9)


def teacup() -> Image.Image:
    """A cup of tea at a window in the rain."""
    board = Canvas(1280, 853, 61)
    board.sky("#5d7488", "#8fa5b2", "#c2ccc9", bottom=560)
    board.ridge(470, 22, "#7f9793", 1)
    board.ridge(505, 16, "#5f7b77", 1.5)
    for _ in range(150):
        x, y = board.chance.uniform(0, 1280), board.chance.uniform(0, 545)
        size = board.chance.uniform(1.5, 6)
        drop = board.pixel(x, y)
        board.ellipse(x, y, size, size * 1.25, mix(drop, rgb("#ffffff"), 0.35))
        board.ellipse(x + size * 0.2, y + size * 0.3, size * 0.6, size * 0.75, mix(drop, rgb("#22323e"), 0.2))
        if size > 4.6:
            board.line([(x, y - size), (x - 2, y - board.chance.uniform(40, 130))], mix(drop, rgb("#ffffff"), 0.25), 2)
    for bar in (0, 415, 1240):
        board.rect(bar, 0, 40, 580, "#f4efe4")
    board.rect(0, 0, 1280, 34, "#f4efe4")
    board.rect(0, 545, 1280, 46, "#fbf7ee")
    board.rect(0, 588, 1280, 8, "#c9bda6")
    board.sky("#c58a5c", "#8f5a38", top=594)
    for row in range(12):
        y = 612 + row * 21
        board.line(
            [(0, y), (500, y + board.chance.uniform(-4, 4)), (1280, y + board.chance.uniform(-4, 4))], "#a66f47", 1.5
        )
    board.ellipse(650, 764, 250, 42, "#6f4329")
    board.ellipse(640, 748, 240, 42, "#f6f0e4")
    board.ellipse(640, 744, 190, 28, "#dcd2be")
    cup = [*curve((490, 520), (500, 730), (590, 742), 20), *curve((690, 742), (780, 730), (790, 520), 20)]
    board.line(
        curve((780, 560), (890, 540), (868, 640), 20) + curve((868, 640), (850, 700), (752, 690), 20), "#35627d", 20
    )
    board.polygon(cup, "#3f7391")
    board.polygon([(x if x < 640 else 640 + (x - 640) * 0.15, y) for x, y in cup], "#4f86a3")
    for flower in range(5):
        x, y = 532 + flower * 54, 620 + 12 * math.sin(flower * 2)
        for petal in range(6):
            turn = petal * math.tau / 6
            board.disc(x + math.cos(turn) * 10, y + math.sin(turn) * 10, 6.4, "#f4efe4")
        board.disc(x, y, 5.4, "#eebc4b")
    board.ellipse(640, 520, 150, 30, "#f6f0e4")
    board.ellipse(640, 523, 140, 25, "#a55f27")
    board.ellipse(620, 520, 100, 14, "#c27a36")
    _steam(board, 640, 500, 1.2)
    for x, y, tone in ((200, 722, "#b9693a"), (262, 738, "#c67a45"), (226, 694, "#d28d55")):
        board.disc(x, y, 42, mix(rgb(tone), rgb("#3a1f10"), 0.3))
        board.disc(x, y - 4, 41, tone)
        for _ in range(9):
            board.disc(x + board.chance.uniform(-26, 26), y + board.chance.uniform(-28, 22), 4.6, "#5a2f1a")
    board.polygon([(960, 770), (1190, 730), (1210, 800), (980, 844)], "#8c2f2b")
    board.polygon([(960, 758), (1190, 718), (1200, 736), (968, 778)], "#f2e7cf")
    board.polygon([(954, 744), (1184, 704), (1196, 722), (966, 764)], "#a33c35")
    return board.finish()


def town_map() -> Image.Image:
    """The town with the walk of forty minutes."""
    board = Canvas(1280, 1000, 62, "#f3ead6")
    coast = [
        (0, 640),
        *curve((0, 640), (200, 560), (360, 640)),
        *curve((360, 640), (470, 720), (560, 620)),
        *curve((560, 620), (640, 520), (800, 600)),
        *curve((800, 600), (980, 720), (1100, 560)),
        *curve((1100, 560), (1180, 480), (1280, 520)),
        (1280, 1000),
        (0, 1000),
    ]
    for ring in range(6, 0, -1):
        board.polygon([(x, y - ring * 9) for x, y in coast], mix(rgb("#f3ead6"), rgb("#8fc1c9"), 0.5 - ring * 0.07))
    board.polygon(coast, "#9fcbd0")
    for depth in range(1, 7):
        line = [(x, y + depth * 42) for x, y in coast[:-2]]
        board.line(line, mix(rgb("#9fcbd0"), rgb("#4f93a3"), 0.25), 1.2)
    for x, y, wide, high in ((130, 225, 120, 66), (980, 200, 160, 110), (600, 120, 90, 66), (330, 430, 80, 50)):
        board.ellipse(x, y, wide, high, "#c4d6a0")
        for _ in range(int(wide / 4)):
            a, r = board.chance.uniform(0, math.tau), board.chance.random() ** 0.5 * 0.85
            board.disc(
                x + math.cos(a) * wide * r,
                y + math.sin(a) * high * r,
                board.chance.uniform(6, 10),
                ("#8fae6b", "#7c9c5c", "#a3bf7e")[int(a) % 3],
            )
    streets = [
        [(0, 330), (300, 300), (640, 330), (900, 400), (1280, 380)],
        [(420, 0), (440, 300), (470, 560)],
        [(760, 0), (740, 340), (700, 540)],
        [(300, 300), (330, 560)],
        [(900, 400), (930, 600)],
        [(640, 330), (470, 450), (330, 500)],
        [(740, 340), (1000, 0)],
        [(0, 480), (330, 500)],
        [(900, 400), (1090, 520), (1280, 440)],
        [(640, 330), (620, 560)],
    ]
    for path in streets:
        board.line(path, "#d8c7a3", 17)
    for path in streets:
        board.line(path, "#fffaf0", 12)
    for _ in range(420):
        path = board.chance.choice(streets)
        start = board.chance.randrange(len(path) - 1)
        (left, top), (right, low) = path[start], path[start + 1]
        along, side = board.chance.random(), board.chance.choice((-1, 1))
        turn = math.atan2(low - top, right - left)
        place_x = left + (right - left) * along + math.cos(turn + math.pi / 2) * side * 28
        place_y = top + (low - top) * along + math.sin(turn + math.pi / 2) * side * 28
        here = board.pixel(place_x, place_y)
        if here != rgb("#f3ead6"):
            continue
        board.rect(
            place_x - 11,
            place_y - 9,
            board.chance.uniform(14, 24),
            board.chance.uniform(12, 19),
            board.chance.choice(("#e0b78a", "#d99a77", "#c9a27d", "#e8cba0")),
            2,
        )
    walk = [(150, 545), (330, 500), (470, 450), (640, 330), (740, 340), (900, 400), (1090, 520), (1150, 505)]
    for (x1, y1), (x2, y2) in pairwise(walk):
        steps = int(math.hypot(x2 - x1, y2 - y1) / 15)
        for step in range(steps):
            board.disc(x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps, 4, "#c2453c")
    places = (
        (150, 545, "Ferry"),
        (470, 450, "Bakery"),
        (640, 330, "Market Cross"),
        (900, 400, "Library"),
        (1150, 505, "Lighthouse"),
    )
    for number, (x, y, name) in enumerate(places, 1):
        board.disc(x, y, 19, "#fffaf0")
        board.disc(x, y, 15, "#c2453c")
        board.text(x, y - 1, str(number), 17, "#ffffff", "Bold")
        board.rect(x - len(name) * 6 - 10, y - 56, len(name) * 12 + 20, 28, "#fffaf0", 6)
        board.text(x, y - 43, name, 19, "#4a3a30")
    board.text(640, 880, "Saltmere Bay", 40, "#3f7f8f")
    board.text(220, 80, "SALTMERE", 44, "#4a3a30", "Bold")
    board.text(220, 122, "a walk of forty minutes", 22, "#7a6650")
    for point in range(8):
        turn, long = point * math.tau / 8, 64 if point % 2 == 0 else 34
        for side, tone in ((-1, "#4a3a30"), (1, "#f3ead6")):
            board.polygon(
                [
                    (1150, 860),
                    (1150 + math.cos(turn) * long, 860 + math.sin(turn) * long),
                    (1150 + math.cos(turn + side * 0.4) * 18, 860 + math.sin(turn + side * 0.4) * 18),
                ],
                tone,
            )
    board.text(1150, 776, "N", 26, "#4a3a30", "Bold")
    return board.finish()


def tide_chart() -> Image.Image:
    """The tides of one day as a curve."""
    board = Canvas(1200, 675, 63, "#fbf8f0")
    board.rect(70, 80, 1070, 500, "#eef4f2", 8)
    for row in range(6):
        y = 120 + row * 84
        board.line([(70, y), (1140, y)], "#d3dfdc", 1)
        board.text(44, y, f"{5 - row} m", 17, "#6a7a7c", "Regular")
    for hour in range(0, 25, 3):
        x = 70 + hour * 1070 / 24
        board.line([(x, 80), (x, 580)], "#dde7e4", 1)
        board.text(x, 606, f"{hour:02d}:00", 17, "#6a7a7c", "Regular")

    def level(x: float) -> float:
        return 330 - 160 * math.sin((x - 70) / 1070 * math.tau * 1.93 - 0.6)

    line = [(float(x), level(x)) for x in range(70, 1141, 4)]
    board.polygon([*line, (1140, 580), (70, 580)], "#8fc1c9")
    board.polygon([*[(x, y + 60) for x, y in line], (1140, 580), (70, 580)], "#6aa9b5")
    board.line(line, "#1f5f78", 4)
    for (_, before), turn, (_, after) in zip(line, line[1:], line[2:], strict=False):
        if (turn[1] - before) * (after - turn[1]) <= 0:
            board.disc(*turn, 9, "#c2453c")
            board.disc(*turn, 5, "#fffaf0")
    board.text(600, 44, "Tides at Saltmere, 29 November", 30, "#26404a", "Bold")
    board.text(600, 648, "heights above chart datum, drawn by the keeper", 18, "#6a7a7c")
    return board.finish(grain=0)


def bread() -> Image.Image:
    """Three loaves from the oven."""
    board = Canvas(1280, 853, 64)
    board.sky("#4b3a33", "#6b4f42", "#3d2d27")
    board.glow(320, 120, 700, "#ffcf91", 0.5)
    board.sky("#b98a5f", "#8a5f3d", top=560)
    for row in range(14):
        board.line([(0, 575 + row * 21), (1280, 575 + row * 21 + board.chance.uniform(-6, 6))], "#a5764c", 1.6)
    for x, foot, size, tone in ((820, 610, 1.0, "#b4672c"), (480, 690, 1.35, "#c47a36"), (930, 740, 1.15, "#a95c26")):
        board.ellipse(x, foot + 8, 250 * size, 34 * size, "#5f3f28")
        loaf = [
            *curve((x - 240 * size, foot), (x - 230 * size, foot - 210 * size), (x, foot - 220 * size), 20),
            *curve((x, foot - 220 * size), (x + 230 * size, foot - 210 * size), (x + 240 * size, foot), 20),
        ]
        board.polygon(loaf, mix(rgb(tone), rgb("#4a2410"), 0.35))
        board.polygon([(x + (a - x) * 0.95 - 8, foot - (foot - b) * 0.95) for a, b in loaf], tone)
        board.polygon(
            [(x + (a - x) * 0.7 - 30 * size, foot - 40 * size - (foot - b) * 0.7) for a, b in loaf],
            mix(rgb(tone), rgb("#f0b868"), 0.35),
        )
        for cut in range(4):
            cx = x - 132 * size + cut * 86 * size
            slash = [
                *curve((cx, foot - 66 * size), (cx + 4 * size, foot - 150 * size), (cx + 56 * size, foot - 186 * size)),
                *curve(
                    (cx + 56 * size, foot - 186 * size), (cx + 40 * size, foot - 120 * size), (cx, foot - 66 * size)
                ),
            ]
            board.polygon(slash, "#f3d9a6")
            board.line(slash[:11], "#7d4218", 3 * size)
        for _ in range(90):
            a = board.chance.gauss(0, 0.42)
            board.disc(
                x + a * 200 * size,
                foot - board.chance.uniform(90, 205) * size * (1 - a * a * 0.5),
                board.chance.uniform(0.8, 2.4),
                "#f7ecd6",
            )
    for _ in range(160):
        board.disc(
            board.chance.gauss(640, 330), board.chance.uniform(770, 845), board.chance.uniform(0.8, 3), "#f3e3c4"
        )
    for ear in range(5):
        x, y = 110 + ear * 26, 800 - ear * 12
        board.line([(x - 60, y + 40), (x + 110, y - 90)], "#d9b25e", 3)
        for grain in range(8):
            gx, gy = x + 30 + grain * 10, y - 29 - grain * 8
            board.ellipse(gx - 5, gy - 6, 8, 4.6, "#e8c36a")
            board.ellipse(gx + 6, gy + 5, 8, 4.6, "#cf9f48")
    _steam(board, 470, 430, 1.1)
    return board.finish()


def window_cat() -> Image.Image:
    """A cat on the sill at night."""
    board = Canvas(1000, 1000, 65)
    board.sky("#e9b98a", "#c98a6a")
    for x in range(0, 1000, 40):
        board.rect(x, 0, 20, 1000, "#deac7e")
    board.rect(150, 90, 700, 700, "#fbf6ea", 10)
    board.sky("#1d2a55", "#4a5a94", "#c98a94", "#f2b48a", top=120, bottom=760, left=180, right=820)
    for _ in range(80):
        board.disc(
            board.chance.uniform(190, 810),
            board.chance.uniform(130, 480),
            board.chance.choice((0.9, 1.3, 1.8)),
            "#fff5dd",
        )
    board.disc(690, 250, 48, "#fdf2cf")
    board.disc(712, 238, 44, "#2f3d72")
    board.rect(180, 640, 640, 120, "#3a4a78")
    board.glints(70, 645, 755, "#f7c9a0", 500, 150)
    for house in range(9):
        x, high = 180 + house * 71, board.chance.uniform(40, 100)
        board.rect(x, 642 - high, 71, high, ("#3a3a66", "#463f6c", "#2f3460")[house % 3])
        board.polygon([(x - 2, 642 - high), (x + 35, 610 - high), (x + 73, 642 - high)], "#2a2a52")
        board.rect(x + 18, 652 - high, 13, 16, "#ffcf86", 1)
    board.rect(490, 120, 20, 640, "#fbf6ea")
    board.rect(180, 420, 640, 18, "#fbf6ea")
    board.rect(110, 780, 780, 40, "#fffaf0", 6)
    board.rect(110, 816, 780, 10, "#c9a27d", 3)
    cat(board, 380, 786, 1.75, "#26202c")
    board.polygon([(630, 784), (750, 784), (738, 690), (642, 690)], "#b9593a")
    board.rect(632, 676, 116, 24, "#c96a47", 5)
    for leaf in range(13):
        turn = math.pi + leaf * math.pi / 12
        tip = (690 + math.cos(turn) * 120, 640 + math.sin(turn) * 130)
        board.line(
            curve((690, 680), (690 + math.cos(turn) * 40, 560), tip), ("#4f8a55", "#6ba368", "#3d7048")[leaf % 3], 8
        )
        board.ellipse(tip[0], tip[1], 17, 11, ("#5f9a5f", "#7bb077")[leaf % 2])
    for side, wide in ((0, 120), (1000, -120)):
        board.polygon(
            [
                (side, 0),
                (side + wide * 1.7, 0),
                *curve((side + wide * 1.7, 0), (side + wide * 1.6, 420), (side + wide * 0.5, 640)),
                (side, 700),
            ],
            "#b9493f",
        )
        for fold in range(1, 5):
            board.line(
                curve(
                    (side + wide * fold * 0.34, 0), (side + wide * fold * 0.32, 380), (side + wide * fold * 0.1, 640)
                ),
                "#933630",
                4,
            )
    return board.finish()
