"""The Lantern café: its lamps, its tiles, its books and the old port below it."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from demo.make.canvas import NASKH, SCALE, Canvas, Colour, curve, mix, rgb


def _lantern(board: Canvas, x: float, top: float, size: float, glass: str) -> None:
    board.line([(x, -5), (x, top)], "#8a6a35", 2)
    brass, dark = "#d2a24c", "#7b5a28"
    board.polygon([(x - 24 * size, top + 26 * size), (x, top - 6 * size), (x + 24 * size, top + 26 * size)], brass)
    outline = [
        (x - 26 * size, top + 26 * size),
        (x + 26 * size, top + 26 * size),
        (x + 48 * size, top + 70 * size),
        (x + 30 * size, top + 140 * size),
        (x - 30 * size, top + 140 * size),
        (x - 48 * size, top + 70 * size),
    ]
    board.polygon(outline, glass)
    centre = top + 78 * size
    board.glow(x, centre, 150 * size, glass, 0.75)
    board.glow(x, centre, 46 * size, "#fff4c8", 0.9)
    board.line([*outline, outline[0]], dark, 3 * size)
    for share in (-0.34, 0.34):
        board.line(
            [
                (x + 26 * size * share, top + 26 * size),
                (x + 48 * size * share, top + 70 * size),
                (x + 30 * size * share, top + 140 * size),
            ],
            dark,
            2.2 * size,
        )
    board.line([(x - 48 * size, top + 70 * size), (x + 48 * size, top + 70 * size)], dark, 2.6 * size)
    board.rect(x - 33 * size, top + 138 * size, 66 * size, 10 * size, brass, 3)
    board.polygon([(x - 12 * size, top + 148 * size), (x + 12 * size, top + 148 * size), (x, top + 172 * size)], brass)


def lanterns() -> Image.Image:
    """Seven lamps in the arcade at dusk."""
    board = Canvas(1280, 853, 41)
    board.sky("#1c1330", "#3a1f3f", "#6a3140", "#2b1826")
    for arch in range(4):
        x = -20 + arch * 340
        board.rect(x, 330, 300, 540, "#140d22")
        board.polygon(
            [*curve((x, 332), (x + 6, 190), (x + 150, 120)), *curve((x + 150, 120), (x + 294, 190), (x + 300, 332))],
            "#140d22",
        )
        board.sky("#23305a", "#7c5674", "#d98a63", top=400, bottom=760, left=x + 26, right=x + 274)
        board.polygon(
            [
                *curve((x + 26, 402), (x + 30, 240), (x + 150, 176)),
                *curve((x + 150, 176), (x + 270, 240), (x + 274, 402)),
            ],
            "#23305a",
        )
        for _ in range(16):
            board.disc(x + board.chance.uniform(60, 240), board.chance.uniform(250, 470), 1.1, "#f6e9cf")
    tones = ("#f2b84b", "#e8743a", "#4fb3a5", "#d9496a", "#f2d06b", "#6c8fe0", "#f29a4b")
    for index, (x, top, size) in enumerate(
        (
            (120, 130, 1.0),
            (300, 60, 1.35),
            (500, 190, 0.85),
            (660, 90, 1.6),
            (860, 210, 0.9),
            (1010, 70, 1.25),
            (1190, 150, 1.05),
        )
    ):
        _lantern(board, x, top, size, tones[index])
    board.rect(0, 756, 1280, 100, "#2b1a22")
    for table in (190, 640, 1080):
        board.ellipse(table, 752, 150, 20, "#c98d4a")
        board.ellipse(table, 748, 150, 18, "#e2b16a")
        board.rect(table - 6, 760, 12, 100, "#51311f")
        for glass in (-46, 30):
            board.rect(table + glass, 706, 26, 40, "#a7582a", 4)
            board.rect(table + glass, 706, 26, 10, "#e8c089", 4)
            board.ellipse(table + glass + 13, 704, 13, 4, "#5e8f4f")
    return board.finish()


def tiles() -> Image.Image:
    """A wall of star tiles."""
    board = Canvas(900, 900, 42, "#f2ead8")
    blues = ("#1f5f8b", "#2a8a8a", "#e0a33e", "#c4523a", "#26456e")

    def star(x: float, y: float, outer: float, inner: float, fill: str, points: int = 8, turn: float = 0.0) -> None:
        board.polygon(
            [
                (
                    x + math.cos(turn + i * math.pi / points) * (outer if i % 2 == 0 else inner),
                    y + math.sin(turn + i * math.pi / points) * (outer if i % 2 == 0 else inner),
                )
                for i in range(points * 2)
            ],
            fill,
        )

    step = 180
    for row in range(-1, 8):
        for column in range(-1, 8):
            x, y = column * step + 90, row * step + 90
            first = blues[(row * 2 + column) % 3]
            board.polygon(
                [
                    (x - 90, y - 38),
                    (x - 38, y - 90),
                    (x + 38, y - 90),
                    (x + 90, y - 38),
                    (x + 90, y + 38),
                    (x + 38, y + 90),
                    (x - 38, y + 90),
                    (x - 90, y + 38),
                ],
                "#23364f",
            )
            star(x, y, 88, 66, "#f2ead8")
            star(x, y, 82, 60, first, 8, 0.0)
            star(x, y, 62, 46, "#f2ead8", 8, math.pi / 8)
            star(x, y, 56, 40, blues[4], 8, math.pi / 8)
            star(x, y, 34, 20, blues[2], 8)
            board.disc(x, y, 10, "#f2ead8")
            star(x + 90, y + 90, 44, 24, blues[3], 4)
            star(x + 90, y + 90, 22, 12, "#f2ead8", 4, math.pi / 4)
    for line in range(0, 1081, 90):
        board.line([(line, 0), (line, 1080)], "#d9cfb8", 1)
        board.line([(0, line), (1080, line)], "#d9cfb8", 1)
    for _ in range(60):
        board.glow(board.chance.uniform(0, 1080), board.chance.uniform(0, 1080), 70, "#fff6df", 0.12)
    board.glow(260, 200, 620, "#ffe2a6", 0.3)
    return board.finish(grain=0)


def old_port() -> Image.Image:
    """The old port and its boats at sunset."""
    board = Canvas(1280, 853, 43)
    board.sky("#2a2a5e", "#7a4f86", "#e2846f", "#f8c482", bottom=540)
    board.glow(640, 545, 430, "#ffd08a", 0.9)
    board.disc(640, 500, 58, "#fff0c8")
    board.clouds(8, 160, 420, "#f6b39a", 0.45)
    for layer, (tone, low) in enumerate((("#9a5f7c", 505), ("#6d4169", 525), ("#452a52", 545))):
        x = -20.0
        while x < 1300:
            wide, high = board.chance.uniform(40, 100), board.chance.uniform(30, 90) + layer * 10
            board.rect(x, low - high, wide, high + 40, tone)
            kind = board.chance.random()
            if kind < 0.2:
                board.ellipse(x + wide / 2, low - high, wide * 0.4, wide * 0.42, tone)
                board.line(
                    [(x + wide / 2, low - high - wide * 0.4), (x + wide / 2, low - high - wide * 0.62)], tone, 2.4
                )
            elif kind < 0.32:
                board.rect(x + wide / 2 - 8, low - high - 110, 16, 120, tone)
                board.rect(x + wide / 2 - 13, low - high - 78, 26, 7, tone)
                board.polygon(
                    [
                        (x + wide / 2 - 9, low - high - 109),
                        (x + wide / 2, low - high - 140),
                        (x + wide / 2 + 9, low - high - 109),
                    ],
                    tone,
                )
            elif kind < 0.42:
                palm(board, x + wide * 0.5, low - high + 6, 74, tone)
            for _ in range(layer * 2):
                board.rect(x + board.chance.uniform(6, wide - 8), low - board.chance.uniform(4, high), 6, 10, "#ffd68a")
            x += wide * board.chance.uniform(0.8, 1.05)
    board.water(560, "#3a2455", 0.25)
    board.glints(190, 566, 845, "#ffe3ad", 640, 110)
    for x, foot, size in ((330, 680, 1.3), (930, 640, 0.85), (1100, 760, 1.6)):
        dhow(board, x, foot, size)
    return board.finish()


def palm(board: Canvas, x: float, foot: float, tall: float, tone: str | Colour) -> None:
    """A date palm in silhouette."""
    board.line(
        curve((x, foot), (x + tall * 0.08, foot - tall * 0.6), (x + tall * 0.03, foot - tall)), tone, tall * 0.05
    )
    for frond in range(9):
        turn = math.pi + frond * math.pi / 8
        end = x + math.cos(turn) * tall * 0.5, foot - tall + math.sin(turn) * tall * 0.22 + tall * 0.16
        board.line(
            curve((x + tall * 0.03, foot - tall), (x + math.cos(turn) * tall * 0.28, foot - tall * 1.26), end),
            tone,
            tall * 0.035,
        )


def dhow(board: Canvas, x: float, foot: float, size: float) -> None:
    """A boat with one slanting sail."""
    board.polygon(
        [
            *curve((x - 80 * size, foot - 26 * size), (x, foot + 34 * size), (x + 96 * size, foot - 40 * size)),
            *curve((x + 96 * size, foot - 40 * size), (x, foot + 4 * size), (x - 80 * size, foot - 26 * size)),
        ],
        "#2a1a30",
    )
    board.line([(x + 6 * size, foot), (x + 6 * size, foot - 170 * size)], "#2a1a30", 4 * size)
    board.line([(x - 62 * size, foot - 70 * size), (x + 76 * size, foot - 236 * size)], "#2a1a30", 3 * size)
    board.polygon(
        [
            (x - 60 * size, foot - 66 * size),
            (x + 74 * size, foot - 232 * size),
            *curve(
                (x + 74 * size, foot - 232 * size),
                (x + 96 * size, foot - 110 * size),
                (x + 64 * size, foot - 30 * size),
            ),
            *curve((x + 64 * size, foot - 30 * size), (x, foot - 40 * size), (x - 60 * size, foot - 66 * size)),
        ],
        "#f4dcb8",
    )
    board.polygon(
        [
            (x + 74 * size, foot - 232 * size),
            *curve(
                (x + 74 * size, foot - 232 * size),
                (x + 96 * size, foot - 110 * size),
                (x + 64 * size, foot - 30 * size),
            ),
            *curve(
                (x + 64 * size, foot - 30 * size),
                (x + 70 * size, foot - 120 * size),
                (x + 74 * size, foot - 232 * size),
            ),
        ],
        "#dcb98c",
    )


def bookshelf() -> Image.Image:
    """Three shelves of books."""
    board = Canvas(1280, 853, 44)
    board.sky("#3d2619", "#2a1810")
    tones = (
        "#8c2f2b",
        "#2f5d62",
        "#c08a3e",
        "#3c4a74",
        "#6b7d4a",
        "#a65b3a",
        "#e0d3b5",
        "#4b3247",
        "#1f3b4d",
        "#b59a6a",
        "#7a2f4b",
    )
    for shelf in range(3):
        foot = 268 + shelf * 274
        x = 30.0
        while x < 1220:
            wide, high = board.chance.uniform(20, 54), board.chance.uniform(150, 222)
            tone = rgb(board.chance.choice(tones))
            if board.chance.random() < 0.07 and x < 1100:
                for flat in range(4):
                    long = board.chance.uniform(96, 128)
                    shade = rgb(board.chance.choice(tones))
                    board.rect(x + board.chance.uniform(0, 9), foot - 26 * (flat + 1), long, 25, shade, 3)
                    board.rect(x + 14, foot - 26 * (flat + 1) + 10, long * 0.6, 3, mix(shade, rgb("#f2dfa8"), 0.6))
                if shelf == 1:
                    board.rect(x + 34, foot - 164, 44, 56, "#c4523a", 6)
                    board.glow(x + 56, foot - 190, 60, "#ffcf7a", 0.6)
                    for leaf in range(7):
                        turn = math.pi + leaf * math.pi / 6
                        board.line(
                            curve(
                                (x + 56, foot - 164),
                                (x + 56 + math.cos(turn) * 22, foot - 214),
                                (x + 56 + math.cos(turn) * 52, foot - 196 + math.sin(turn) * 34),
                            ),
                            "#6f9a58",
                            5,
                        )
                x += 138
                continue
            lean = 0 if board.chance.random() < 0.9 else 12
            board.polygon([(x, foot), (x + wide, foot), (x + wide + lean, foot - high), (x + lean, foot - high)], tone)
            board.polygon(
                [(x, foot), (x + wide * 0.22, foot), (x + wide * 0.22 + lean, foot - high), (x + lean, foot - high)],
                mix(tone, rgb("#ffffff"), 0.14),
            )
            board.polygon(
                [
                    (x + wide * 0.84, foot),
                    (x + wide, foot),
                    (x + wide + lean, foot - high),
                    (x + wide * 0.84 + lean, foot - high),
                ],
                mix(tone, rgb("#000000"), 0.3),
            )
            gold = mix(tone, rgb("#f2dfa8"), 0.75)
            if not lean:
                for band in (0.1, 0.13, 0.86, 0.89):
                    board.rect(x, foot - high * (1 - band), wide, 2, gold)
                if wide > 30:
                    board.rect(x + wide * 0.28, foot - high * 0.72, wide * 0.44, high * 0.26, gold, 3)
                    board.rect(x + wide * 0.36, foot - high * 0.66, wide * 0.28, high * 0.13, tone, 2)
            x += wide + 2 + lean * 1.2
        board.rect(0, foot, 1280, 22, "#8a5a35")
        board.rect(0, foot + 18, 1280, 16, "#2a170d")
    board.rect(0, 0, 26, 853, "#7a4d2c")
    board.rect(1254, 0, 26, 853, "#7a4d2c")
    board.glow(330, 120, 640, "#ffc873", 0.42)
    return board.finish()


def mint_tea() -> Image.Image:
    """Three glasses on a brass tray, from above."""
    board = Canvas(1100, 1100, 45)
    board.sky("#1f4a4a", "#2f6a63", "#24514f")
    for x in range(-20, 1120, 110):
        for y in range(-20, 1120, 110):
            board.polygon([(x, y - 46), (x + 46, y), (x, y + 46), (x - 46, y)], "#296059")
            board.ring(x + 55, y + 55, 15, "#3a7a70", 2)
    board.ellipse(566, 596, 430, 424, "#12302f")
    board.disc(550, 560, 428, "#c9953f")
    for ring in range(30):
        board.ring(550, 560, 424 - ring * 14, mix(rgb("#e9c272"), rgb("#a8742c"), abs(math.sin(ring * 0.8))), 3)
    for petal in range(24):
        turn = petal * math.tau / 24
        rim = 550 + math.cos(turn) * 350, 560 + math.sin(turn) * 350
        board.ring(*rim, 36, "#8f6226", 3)
        board.disc(*rim, 9, "#f3d795")
    for x, y, size, tea in ((430, 470, 112, "#b5651d"), (690, 560, 112, "#c1772a"), (470, 740, 104, "#a85a18")):
        board.ellipse(x + 12, y + 18, size, size, "#7d5620")
        board.disc(x, y, size, "#f4ead2")
        board.disc(x, y, size - 8, "#d8b36a")
        board.disc(x, y, size - 14, tea)
        board.disc(x - size * 0.1, y - size * 0.1, size * 0.66, mix(rgb(tea), rgb("#e89a3e"), 0.5))
        for leaf in range(6):
            turn = leaf * math.tau / 6 + board.chance.uniform(0, 0.6)
            tip = x + math.cos(turn) * size * 0.62, y + math.sin(turn) * size * 0.62
            side = turn + math.pi / 2
            bulge = size * 0.2
            middle = (x + tip[0]) / 2, (y + tip[1]) / 2
            board.polygon(
                [
                    *curve(
                        (x, y),
                        (middle[0] + math.cos(side) * bulge * 1.6, middle[1] + math.sin(side) * bulge * 1.6),
                        tip,
                    ),
                    *curve(
                        tip,
                        (middle[0] - math.cos(side) * bulge * 1.6, middle[1] - math.sin(side) * bulge * 1.6),
                        (x, y),
                    ),
                ],
                ("#4f8f4a", "#6aa858")[leaf % 2],
            )
            board.line([(x, y), tip], "#2f6a38", 2)
        board.arc(x, y, size - 4, 190, 260, "#ffffff", 5)
    for place in ((720, 330), (770, 356), (742, 384)):
        board.ellipse(*place, 34, 17, "#6d3f1e")
        board.ellipse(place[0] - 6, place[1] - 4, 22, 7, "#9a6434")
    board.glow(300, 240, 520, "#ffe8b4", 0.3)
    return board.finish()


def dunes_moon() -> Image.Image:
    """A caravan under a new moon."""
    board = Canvas(1280, 853, 46)
    board.sky("#0e1436", "#2b2f66", "#7a5a88", "#d99a84", bottom=620)
    board.stars(280, 420)
    board.disc(930, 190, 62, "#fdf1cf")
    board.disc(956, 174, 58, "#232a5e")
    board.glow(915, 205, 210, "#f5e3b8", 0.4)
    for base, swing, tone in ((520, 40, "#8a5a6d"), (590, 60, "#a86a58"), (680, 70, "#c98a58"), (780, 60, "#8f5638")):
        board.ridge(base, swing, tone, 0.15)

    def shade(pencil: ImageDraw.ImageDraw) -> None:
        pencil.polygon(
            [
                (x * SCALE, y * SCALE)
                for x, y in [(0, 700), *curve((200, 690), (520, 610), (760, 760)), (500, 860), (0, 860)]
            ],
            fill=200,
        )

    board.soft(shade, "#5a2f2c", 0.5, 16)
    for camel in range(5):
        x, y = 560 + camel * 92, 640 + 8 * math.sin(camel * 2)
        tone = "#2b1a2c"
        board.ellipse(x, y - 34, 26, 13, tone)
        board.ellipse(x - 2, y - 47, 11, 13, tone)
        board.line(curve((x + 22, y - 36), (x + 40, y - 30), (x + 40, y - 62)), tone, 7)
        board.ellipse(x + 46, y - 63, 11, 6, tone)
        for leg in (-18, -10, 12, 19):
            board.line([(x + leg, y - 28), (x + leg + board.chance.uniform(-5, 5), y + 6)], tone, 4)
        board.line([(x + 50, y - 60), (x + 68, y - 40)], tone, 1)
    palm(board, 250, 700, 210, "#1f1428")
    palm(board, 330, 712, 160, "#1f1428")
    return board.finish()


def invitation() -> Image.Image:
    """An old invitation in Naskh on spotted paper."""
    board = Canvas(900, 640, 47, "#ecd9b0")
    for _ in range(26):
        x, y, size = board.chance.uniform(0, 900), board.chance.uniform(0, 640), board.chance.uniform(10, 60)
        board.disc(x, y, size, mix(rgb("#ecd9b0"), rgb("#d9bf8a"), board.chance.uniform(0.1, 0.35)))
    for inset, tone, width in ((24, "#8a4a2b", 3.0), (36, "#c08a3e", 1.5)):
        corners = [(inset, inset), (900 - inset, inset), (900 - inset, 640 - inset), (inset, 640 - inset)]
        board.line([*corners, corners[0]], tone, width)
    for x in (58, 842):
        for y in (58, 582):
            for petal in range(8):
                turn = petal * math.tau / 8
                board.disc(x + math.cos(turn) * 13, y + math.sin(turn) * 13, 5, ("#1f5f8b", "#c4523a")[petal % 2])
            board.disc(x, y, 6, "#e0a33e")
    ink = "#3d2a1c"
    board.text(450, 128, "دعوة", 64, "#8a2f2b", "Bold", NASKH)
    for line, words in enumerate(
        (
            "يسرّ مقهى القنديل أن يدعوكم",
            "إلى أمسية شعر وشاي",
            "ليلة اكتمال القمر، بعد صلاة العشاء",
            "ومن أحضر كتابًا جلس قرب النافذة",
        )
    ):
        board.text(450, 232 + line * 62, words, 34, ink, "Regular", NASKH)
    board.line(curve((300, 486), (450, 506), (600, 486), 20), "#8a4a2b", 2)
    board.text(450, 534, "سنة ١٣٤٩", 28, "#6d4a2b", "Regular", NASKH)
    return board.finish(grain=0)
