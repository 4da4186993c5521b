"""Saltmere below the lighthouse: its harbour, its boats, its beach."""

from __future__ import annotations

import math

from PIL import Image

from demo.make.canvas import Canvas, curve, mix, rgb


def harbour() -> Image.Image:
    """The quay with its painted houses and four boats."""
    board = Canvas(1280, 853, 14)
    board.sky("#7fb4d6", "#b9d9e4", "#f4e6cf", bottom=470)
    board.clouds(10, 60, 260, "#ffffff", 0.7)
    board.ridge(390, 26, "#9db7a4")
    board.ridge(425, 16, "#7d9f86", 2)
    walls = ("#f3d9b1", "#e8a87c", "#d9695f", "#8fb8c9", "#f6efe0", "#c9d6a3", "#e6bf6a", "#b6c3dd")
    x = -10.0
    while x < 1290:
        wide, high = board.chance.uniform(58, 92), board.chance.uniform(84, 150)
        wall = board.chance.choice(walls)
        board.rect(x, 470 - high, wide, high, wall)
        roof = board.chance.choice(("#8a4b3f", "#5d5a66", "#a35d48", "#6d4b4b"))
        board.polygon([(x - 4, 470 - high), (x + wide / 2, 470 - high - wide * 0.5), (x + wide + 4, 470 - high)], roof)
        for floor in range(int(high // 38)):
            for column in (0.18, 0.6):
                board.rect(
                    x + wide * column,
                    470 - high + 14 + floor * 38,
                    wide * 0.2,
                    20,
                    mix(rgb(wall), rgb("#26364d"), 0.75),
                    1,
                )
        board.rect(x + wide * 0.42, 446, wide * 0.17, 24, "#53403c", 1)
        x += wide
    board.rect(0, 468, 1280, 12, "#8c8577")
    board.water(480, "#2f6a86", 0.38)
    board.glints(220, 490, 840, "#f7fbf4", 640, 420)
    for place, foot, size, hull in (
        (170, 620, 1.1, "#c2453c"),
        (480, 560, 0.75, "#2f5f86"),
        (800, 600, 0.95, "#f4efe4"),
        (1080, 690, 1.5, "#3d7a6b"),
    ):
        boat(board, place, foot, size, hull)
    for _ in range(7):
        board.bird(board.chance.uniform(100, 1180), board.chance.uniform(90, 250), 13, "#f8f8f4")
    return board.finish()


def boat(board: Canvas, x: float, foot: float, size: float, hull: str) -> None:
    """A small fishing boat with its mast and wheelhouse."""
    dark = mix(rgb(hull), rgb("#101a28"), 0.45)
    board.ellipse(x, foot + 8 * size, 95 * size, 9 * size, mix(board.pixel(x, foot + 20), rgb("#16324a"), 0.55))
    board.polygon(
        [
            (x - 92 * size, foot - 34 * size),
            (x - 70 * size, foot + 6 * size),
            (x + 70 * size, foot + 6 * size),
            (x + 100 * size, foot - 42 * size),
        ],
        hull,
    )
    board.polygon(
        [
            (x - 84 * size, foot - 18 * size),
            (x - 70 * size, foot + 6 * size),
            (x + 70 * size, foot + 6 * size),
            (x + 84 * size, foot - 20 * size),
        ],
        dark,
    )
    board.line(
        [(x - 92 * size, foot - 34 * size), (x, foot - 28 * size), (x + 100 * size, foot - 42 * size)],
        "#fbf6ea",
        3 * size,
    )
    board.rect(x - 50 * size, foot - 70 * size, 52 * size, 42 * size, "#f7f1e3", 3)
    board.rect(x - 43 * size, foot - 62 * size, 38 * size, 16 * size, "#35506a", 2)
    board.rect(x - 54 * size, foot - 76 * size, 60 * size, 8 * size, dark, 2)
    board.line([(x + 26 * size, foot - 30 * size), (x + 26 * size, foot - 160 * size)], "#5b4636", 3.4 * size)
    board.line([(x + 26 * size, foot - 158 * size), (x + 98 * size, foot - 42 * size)], "#5b4636", 1)
    board.line([(x + 26 * size, foot - 158 * size), (x - 90 * size, foot - 36 * size)], "#5b4636", 1)
    board.polygon(
        [(x + 26 * size, foot - 158 * size), (x + 50 * size, foot - 151 * size), (x + 26 * size, foot - 143 * size)],
        "#e6bf6a",
    )


def whale() -> Image.Image:
    """The fluke of a humpback."""
    board = Canvas(1280, 800, 17)
    board.sky("#4a6fa5", "#8fb3cf", "#f0d5b4", "#f7b88a", bottom=400)
    board.clouds(8, 120, 350, "#fbe6d2", 0.6)
    board.ridge(385, 14, "#8fa3b5", 2)
    board.water(400, "#27496b", 0.35)
    board.glints(260, 405, 790, "#fff1d6", 640, 300)
    left = curve((560, 640), (600, 520), (585, 430)) + curve((585, 430), (470, 420), (400, 330))
    left += curve((400, 330), (520, 330), (640, 400))
    outline = [*left, *[(1280 - x, y) for x, y in reversed(left)]]
    board.polygon(outline, "#1b2a3f")
    board.line([*curve((430, 345), (530, 350), (634, 408)), *curve((646, 408), (750, 350), (850, 345))], "#41597a", 3)
    board.ellipse(640, 640, 150, 18, "#cfe0e6")
    board.ellipse(640, 646, 170, 16, "#365a7c")
    for _ in range(150):
        x = board.chance.gauss(640, 100)
        board.disc(x, 636 - abs(board.chance.gauss(0, 22)), board.chance.uniform(0.8, 3), "#e9f2f3")
    for x in (452, 520, 575, 705, 768, 826):
        board.line([(x, 380), (x + 2, 380 + board.chance.uniform(40, 130))], "#d7e6ea", 1.3)
    return board.finish()


def dunes() -> Image.Image:
    """Marram grass, a fence, the sea."""
    board = Canvas(1280, 853, 16)
    board.sky("#6fa8cf", "#a9d0e0", "#e4eee6", bottom=430)
    board.clouds(12, 50, 330, "#ffffff", 0.75)
    board.sky("#3f7f9c", "#69a9b3", "#a8d1c4", top=420, bottom=560)
    for row in range(14):
        y = 428 + row * row * 0.75
        board.glints(16, y, y + 5, "#ffffff", 640, 420)
    board.ridge(560, 10, "#f2e2bd", 0.6)
    board.ridge(610, 26, "#e9d3a4", 0.5)
    near = board.ridge(690, 46, "#dcc08a", 0.5)
    board.grass(520, near, 100, ("#7f8f52", "#a3ab63", "#5d7344", "#c4bd78"))
    front = board.ridge(800, 20, "#c9a870", 0.5)
    board.grass(420, front, 130, ("#6d7f45", "#8f9c56", "#4d6239", "#b8b06a"))
    for post in range(9):
        x = 250 + post * 56 + post * post * 3
        y = near(x)
        board.rect(x, y - 46 - post * 4, 6, 60 + post * 4, "#7a6650", 2)
    for _ in range(9):
        board.bird(
            board.chance.uniform(500, 1150), board.chance.uniform(130, 330), board.chance.uniform(8, 17), "#f7f7f2"
        )
    return board.finish()


def pebbles() -> Image.Image:
    """A starfish on the wrong beach."""
    board = Canvas(1280, 853, 19)
    board.sky("#8a7f70", "#6f675d")
    tones = (
        "#b9b2a4",
        "#8f8a82",
        "#d8cfbd",
        "#6d7378",
        "#a98f7a",
        "#c7a58a",
        "#5d6b73",
        "#e4ded0",
        "#94a39a",
        "#8c5f52",
    )
    for layer in range(5):
        for _ in range(170):
            x, y = board.chance.uniform(-30, 1310), board.chance.uniform(-30, 880)
            wide, high = board.chance.uniform(24, 66), board.chance.uniform(18, 44)
            tone = mix(rgb(board.chance.choice(tones)), rgb("#2f2b28"), 0.38 - layer * 0.09)
            board.ellipse(x + 3, y + 6, wide, high, mix(tone, rgb("#1a1715"), 0.7))
            board.ellipse(x, y, wide, high, tone)
            board.ellipse(x - wide * 0.12, y - high * 0.16, wide * 0.74, high * 0.66, mix(tone, rgb("#ffffff"), 0.12))
            if board.chance.random() < 0.15:
                board.line(
                    curve((x - wide * 0.8, y + high * 0.2), (x, y - high * 0.5), (x + wide * 0.8, y + high * 0.1)),
                    mix(tone, rgb("#ffffff"), 0.55),
                    2.4,
                )
    star = [
        (
            700 + math.cos(i * math.pi / 5 - 0.4) * (150 if i % 2 == 0 else 52),
            430 + math.sin(i * math.pi / 5 - 0.4) * (150 if i % 2 == 0 else 52),
        )
        for i in range(10)
    ]
    board.polygon([(x + 6, y + 10) for x, y in star], "#3a2b25")
    board.polygon(star, "#e0703f")
    for arm in range(5):
        tip = star[arm * 2]
        board.line([(700, 430), tip], "#f09a63", 5)
        for dot in range(1, 9):
            board.disc(700 + (tip[0] - 700) * dot / 9, 430 + (tip[1] - 430) * dot / 9, 3.4, "#ffd0a0")
    return board.finish()
