"""The observatory on the hill: its dome, its skies and the lanes below it."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from demo.make.canvas import SCALE, Canvas, curve, mix, rgb


def observatory() -> Image.Image:
    """The dome on its hill under the Milky Way."""
    board = Canvas(1280, 853, 51)
    board.sky("#060a20", "#121c48", "#2f3a78", "#6a5f98", "#b98a9c", bottom=680)
    board.stars(620, 620)

    def milky(pencil: ImageDraw.ImageDraw) -> None:
        for _ in range(420):
            along = board.chance.random()
            x = 420 + along * 900 + board.chance.gauss(0, 46)
            y = 640 - along * 700 + board.chance.gauss(0, 46)
            size = board.chance.uniform(6, 34)
            pencil.ellipse(((x - size) * SCALE, (y - size) * SCALE, (x + size) * SCALE, (y + size) * SCALE), fill=160)

    board.soft(milky, "#cfd6ff", 0.34, 22)
    for _ in range(500):
        along = board.chance.random()
        board.disc(
            420 + along * 900 + board.chance.gauss(0, 60),
            640 - along * 700 + board.chance.gauss(0, 60),
            board.chance.choice((0.4, 0.6, 0.9)),
            "#eef0ff",
        )
    board.line([(180, 120), (310, 190)], mix(board.pixel(240, 150), rgb("#ffffff"), 0.7), 1.6)
    board.glow(310, 190, 30, "#ffffff", 0.8)
    board.ridge(650, 26, "#3a3968", 1.2)
    board.ridge(690, 22, "#262850", 1.2)
    hill = [
        (0, 853),
        (0, 790),
        *curve((120, 770), (420, 640), (560, 640)),
        *curve((560, 640), (760, 650), (1000, 770), 16),
        (1280, 820),
        (1280, 853),
    ]
    board.polygon(hill, "#10132c")
    board.disc(545, 558, 100, "#b9bccf")
    for strip in range(-200, 200):
        # Meridians of the dome, lit from the right.
        x, share = strip / 2, (strip + 200) / 400
        tall = math.sqrt(100**2 - x**2)
        board.rect(
            545 + x, 558 - tall, 0.5, tall, mix(rgb("#6f7499"), rgb("#efecf0"), math.sin((0.1 + share * 0.8) * math.pi))
        )
    for strip in range(19):
        board.rect(
            450 + strip * 10, 562, 10, 92, mix(rgb("#8e8fae"), rgb("#f3eff0"), math.sin((strip + 2) / 22 * math.pi))
        )
    board.rect(440, 552, 210, 14, "#6d7196", 4)
    board.polygon([(560, 462), (606, 472), (622, 552), (580, 552)], "#161a38")
    board.line([(592, 540), (628, 470)], "#e8e6ee", 13)
    board.line([(592, 540), (628, 470)], "#9aa0c2", 4)
    board.rect(470, 596, 30, 56, "#3a3f63", 3)
    board.rect(560, 594, 44, 26, "#ffd58a", 3)
    board.glow(582, 606, 90, "#ffc66e", 0.5)
    for _ in range(16):
        x = board.chance.choice((board.chance.uniform(20, 400), board.chance.uniform(720, 1260)))
        foot = 800 - 120 * math.exp(-(((x - 560) / 260) ** 2))
        board.spruce(x, foot + 30, board.chance.uniform(60, 120), "#0b0e22")
    for lamp in range(46):
        x = board.chance.uniform(840, 1280)
        y = board.chance.uniform(700, 735)
        board.disc(x, y, 1.5, ("#ffd58a", "#ffb86b", "#fff0cf")[lamp % 3])
    return board.finish()


def star_trails() -> Image.Image:
    """Eight hours of stars around a shrine gate."""
    board = Canvas(1280, 853, 52)
    board.sky("#0a1030", "#1c2a5e", "#43508c", "#8a7aa0")
    for _ in range(620):
        radius = board.chance.uniform(8, 1000)
        start = board.chance.uniform(0, 360)
        tone = board.chance.choice(("#f6f0dc", "#cfdcff", "#ffd9b0", "#b5c7f5", "#ffffff"))
        shade = mix(rgb("#26346b"), rgb(tone), board.chance.uniform(0.35, 1.0))
        board.arc(
            640, 300, radius, start, start + board.chance.uniform(26, 44), shade, board.chance.choice((1, 1, 1.5, 2))
        )
    board.disc(640, 300, 2.4, "#ffffff")
    board.ridge(740, 40, "#141a3a", 1)
    torii(board, 640, 800, 1.5)
    board.ridge(800, 14, "#0a0d20", 1)
    return board.finish()


def torii(board: Canvas, x: float, foot: float, size: float) -> None:
    """A shrine gate."""
    red, dark = "#b8402f", "#571c1e"
    for side in (-1, 1):
        board.polygon(
            [
                (x + side * 84 * size, foot),
                (x + side * 100 * size, foot),
                (x + side * 88 * size, foot - 160 * size),
                (x + side * 74 * size, foot - 160 * size),
            ],
            red,
        )
        board.rect(x + side * 93 * size - 12 * size, foot - 16 * size, 24 * size, 20 * size, dark)
    board.rect(x - 104 * size, foot - 128 * size, 208 * size, 13 * size, red)
    board.rect(x - 8 * size, foot - 160 * size, 16 * size, 34 * size, red)
    board.polygon(
        [
            *curve((x - 134 * size, foot - 190 * size), (x, foot - 166 * size), (x + 134 * size, foot - 190 * size)),
            *curve((x + 126 * size, foot - 168 * size), (x, foot - 148 * size), (x - 126 * size, foot - 168 * size)),
        ],
        red,
    )
    board.polygon(
        [
            *curve((x - 140 * size, foot - 198 * size), (x, foot - 174 * size), (x + 140 * size, foot - 198 * size)),
            *curve((x + 134 * size, foot - 188 * size), (x, foot - 164 * size), (x - 134 * size, foot - 188 * size)),
        ],
        dark,
    )


def moons() -> Image.Image:
    """The moon from new to full."""
    board = Canvas(1280, 640, 53)
    board.sky("#0b1030", "#141b44", "#232a5c")
    board.stars(240, 640)
    for phase in range(7):
        x, y, radius = 128 + phase * 170.5, 320 - 56 * math.sin(phase / 6 * math.pi), 62
        board.glow(x, y, 120, "#cdd3f5", 0.25 + 0.3 * math.sin(phase / 6 * math.pi))
        board.disc(x, y, radius, "#1d2450")
        terminator = math.cos(math.pi * phase / 6)
        for row in range(-radius * 2, radius * 2) if phase else ():
            half = math.sqrt(radius**2 - (row / 2) ** 2)
            board.line([(x + half * terminator, y + row / 2), (x + half, y + row / 2)], "#f3ead0", 0.6)
        for dx, dy, size in ((18, -20, 13), (34, 10, 9), (8, 26, 16), (-24, -4, 12), (-30, 26, 7), (40, -12, 5)):
            spot = board.pixel(x + dx, y + dy)
            if spot[0] > 200:
                board.disc(x + dx, y + dy, size * 0.8, mix(spot, rgb("#b9ad92"), 0.45))
    for phase in range(7):
        x = 128 + phase * 170.5
        board.disc(x, 500, 3, "#8f97cc")
    board.line([(128, 500), (1151, 500)], "#4b5394", 1)
    return board.finish()


def ginkgo_lane() -> Image.Image:
    """A lane of ginkgo trees and one red umbrella, upright."""
    board = Canvas(960, 1200, 54)
    board.sky("#bcd7e4", "#e8ecd9", "#f7e2ae", bottom=700)
    board.glow(480, 560, 420, "#fff4cf", 0.8)
    board.ridge(620, 20, "#a9b9b0", 1)
    board.polygon([(400, 660), (560, 660), (960, 1200), (0, 1200)], "#b9ab97")
    board.polygon([(474, 660), (486, 660), (520, 1200), (440, 1200)], "#cfc3ae")
    board.polygon([(0, 660), (400, 660), (0, 1200)], "#c9a23e")
    board.polygon([(960, 660), (560, 660), (960, 1200)], "#c9a23e")
    for depth in range(8):
        share = (depth / 7) ** 1.7
        for side in (-1, 1):
            x = 480 + side * (78 + 470 * share)
            foot = 664 + 460 * share
            tall = 210 + 900 * share
            wide = 8 + 46 * share
            bark = mix(rgb("#9a8a70"), rgb("#4d3b2e"), share)
            board.polygon(
                [
                    (x - wide / 2, foot),
                    (x + wide / 2, foot),
                    (x + wide / 4, foot - tall * 0.7),
                    (x - wide / 4, foot - tall * 0.7),
                ],
                bark,
            )
            for _ in range(260):
                turn, away = board.chance.uniform(0, math.tau), abs(board.chance.gauss(0, 0.5))
                lx = x + math.cos(turn) * away * tall * 0.3
                ly = foot - tall * 0.72 + math.sin(turn) * away * tall * 0.4
                size = (2.5 + 9 * share) * board.chance.uniform(0.6, 1.2)
                tone = board.chance.choice(("#f5c52f", "#e8ad1e", "#f9dc6a", "#d99a1c", "#f2d04a"))
                board.ellipse(lx, ly, size, size * 0.7, mix(rgb(tone), rgb("#f5e6b8"), 0.35 * (1 - share)))
    for _ in range(900):
        y = board.chance.uniform(690, 1200)
        share = (y - 660) / 540
        x = board.chance.uniform(0, 960)
        size = 2 + 7 * share
        board.ellipse(x, y, size, size * 0.45, board.chance.choice(("#f5c52f", "#e0a41f", "#f9dc6a", "#c98a1c")))
    board.ellipse(452, 838, 20, 5, "#7d7263")
    board.polygon([(440, 836), (464, 836), (460, 770), (444, 770)], "#34405e")
    board.disc(452, 758, 10, "#3a2c28")
    board.polygon([*curve((412, 752), (452, 690), (492, 752)), (492, 754), (412, 754)], "#c2453c")
    board.line([(452, 722), (452, 790)], "#3a2c28", 1.6)
    return board.finish()


def misty_mountains() -> Image.Image:
    """A pagoda, fir ridges in mist, a far snow peak."""
    board = Canvas(1280, 853, 55)
    board.sky("#f3d9c6", "#f7e6d3", "#e6e3dc")
    board.disc(900, 210, 66, "#e2654a")
    peak = [(380, 470), *curve((380, 470), (560, 330), (640, 190)), *curve((680, 190), (760, 330), (960, 470))]
    board.polygon(peak, "#93a1b8")
    board.polygon(
        [
            *curve((586, 282), (620, 230), (640, 190)),
            *curve((680, 190), (700, 230), (735, 282)),
            (706, 262),
            (684, 296),
            (660, 260),
            (634, 300),
            (612, 266),
        ],
        "#fbf8f4",
    )
    for layer in range(6):
        tone = mix(rgb("#b3bcc6"), rgb("#2d4250"), layer / 5)
        base = 440 + layer * 62
        height = board.ridge(base, 40 - layer * 2, tone, 1.2)
        if layer > 1:
            for _ in range(40 + layer * 8):
                x = board.chance.uniform(-20, 1300)
                board.spruce(x, height(x) + 12, 18 + layer * 13, tone)

        def mist(pencil: ImageDraw.ImageDraw, base: int = base) -> None:
            pencil.rectangle((0, (base + 44) * SCALE, 1280 * SCALE, (base + 72) * SCALE), fill=235)

        if layer < 5:
            board.soft(mist, "#f4ebe2", 0.75, 20)
    x, foot = 260, 660
    for tier in range(5):
        wide, y = 84 - tier * 12, foot - tier * 44
        board.rect(x - wide * 0.55, y - 34, wide * 1.1, 36, "#5d2f2a")
        board.polygon(
            [
                *curve((x - wide * 1.15, y - 26), (x - wide * 0.5, y - 36), (x - wide * 0.4, y - 52)),
                *curve((x + wide * 0.4, y - 52), (x + wide * 0.5, y - 36), (x + wide * 1.15, y - 26)),
            ],
            "#26323c",
        )
    board.line([(x, foot - 225), (x, foot - 290)], "#26323c", 3)
    for _ in range(6):
        board.bird(board.chance.uniform(980, 1180), board.chance.uniform(250, 350), 12, "#5a6470")
    return board.finish()


def rooftops() -> Image.Image:
    """Roofs, wires, the full moon and a cat."""
    board = Canvas(1280, 853, 56)
    board.sky("#1c2450", "#4a4a86", "#a46a92", "#ef9f86", bottom=560)
    board.stars(90, 260)
    board.disc(980, 230, 84, "#fbeec4")
    board.glow(980, 230, 260, "#ffe9b8", 0.5)
    for spot in ((960, 205, 18), (1004, 250, 24), (1010, 196, 9), (950, 258, 12)):
        board.disc(spot[0], spot[1], spot[2], "#efdca8")
    for tone, base in (("#6a4f80", 480), ("#46396a", 560), ("#2a2750", 650)):
        x = -40.0
        while x < 1300:
            wide, high = board.chance.uniform(110, 210), board.chance.uniform(30, 100)
            top = base - high
            board.rect(x, top, wide, 400, tone)
            eave = mix(rgb(tone), rgb("#12122e"), 0.45)
            board.polygon(
                [
                    *curve((x - 22, top + 10), (x + wide * 0.2, top - 12), (x + wide * 0.35, top - 44)),
                    *curve((x + wide * 0.65, top - 44), (x + wide * 0.8, top - 12), (x + wide + 22, top + 10)),
                ],
                eave,
            )
            for window in range(3):
                if board.chance.random() < 0.5:
                    board.rect(x + 18 + window * wide * 0.28, top + 30, wide * 0.18, 26, "#ffcf86", 2)
            x += wide + board.chance.uniform(0, 26)
    for x in (150, 1120):
        board.rect(x, 300, 9, 520, "#14142e")
        for bar in (330, 360):
            board.rect(x - 42, bar, 94, 6, "#14142e")
    for wire in (330, 360):
        for off in (-38, 44):
            board.line(curve((150 + off, wire), (640, wire + 96), (1120 + off, wire), 30), "#14142e", 1.4)
    board.polygon(
        [
            (-10, 860),
            (-10, 770),
            *curve((-10, 770), (300, 730), (520, 690)),
            *curve((560, 690), (800, 740), (1290, 780)),
            (1290, 860),
        ],
        "#16162f",
    )
    for tile in range(60):
        x = tile * 22
        board.arc(x, 800 + 18 * math.sin(tile / 9), 12, 0, 180, "#2f3060", 2)
    cat(board, 600, 694, 1.0, "#0c0c20")
    return board.finish()


def cat(board: Canvas, x: float, foot: float, size: float, tone: str) -> None:
    """A sitting cat in silhouette, looking away, tail down."""
    board.ellipse(x, foot - 44 * size, 40 * size, 50 * size, tone)
    board.ellipse(x, foot - 8 * size, 46 * size, 16 * size, tone)
    board.ellipse(x, foot - 104 * size, 30 * size, 26 * size, tone)
    for side in (-1, 1):
        board.polygon(
            [
                (x + side * 29 * size, foot - 108 * size),
                (x + side * 27 * size, foot - 146 * size),
                (x + side * 5 * size, foot - 124 * size),
            ],
            tone,
        )
    board.line(
        curve(
            (x + 34 * size, foot - 14 * size), (x + 90 * size, foot + 4 * size), (x + 84 * size, foot - 50 * size), 20
        ),
        tone,
        12 * size,
    )


def saturn() -> Image.Image:
    """Saturn with its rings."""
    board = Canvas(900, 900, 57)
    board.sky("#05071a", "#0b1030", "#131a42")
    board.stars(260, 900)

    def half_ring(low: bool) -> None:
        for band in range(60):
            radius = 232 + band * 2.6
            if 40 <= band <= 44:
                continue
            tone = mix(rgb("#6b5a48"), rgb("#ecd9b4"), 0.35 + 0.6 * abs(math.sin(band * 0.37)))
            points = [
                (
                    450
                    + radius * math.cos(t / 60 * math.pi) * 0.97
                    + radius * 0.28 * math.sin(t / 60 * math.pi) * -0.3,
                    450
                    + (1 if low else -1) * radius * 0.28 * math.sin(t / 60 * math.pi)
                    - radius * 0.2 * math.cos(t / 60 * math.pi),
                )
                for t in range(61)
            ]
            board.line(points, tone, 2.4)

    half_ring(False)
    for row in range(-170, 171):
        half = math.sqrt(170**2 - row**2)
        tone = mix(rgb("#c79a62"), rgb("#f4dfb0"), 0.5 + 0.5 * math.sin(row * 0.11 + math.sin(row * 0.03) * 2))
        board.line([(450 - half, 450 + row * 0.94), (450 + half, 450 + row * 0.94)], tone, 1.4)

    def night(pencil: ImageDraw.ImageDraw) -> None:
        pencil.ellipse((280 * SCALE, 290 * SCALE, 620 * SCALE, 610 * SCALE), fill=255)
        pencil.ellipse((210 * SCALE, 250 * SCALE, 560 * SCALE, 600 * SCALE), fill=0)

    board.soft(night, "#120c18", 0.7, 12)
    half_ring(True)
    return board.finish()
