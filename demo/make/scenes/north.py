"""Yasnaya: a small northern railway station, its snow, its woods and its tea."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from demo.make.canvas import SCALE, Canvas, curve, mix, rgb


def night_train() -> Image.Image:
    """The seven o'clock train in falling snow."""
    board = Canvas(1280, 853, 31)
    board.sky("#0a1230", "#1a2a5a", "#3f568f", "#8c93bf", bottom=560)
    board.stars(330, 430)
    board.disc(1010, 150, 46, "#fdf6df")
    board.glow(1010, 150, 230, "#dfe6ff", 0.5)
    back = board.ridge(520, 26, "#2c3c6b", 1.5)
    for _ in range(120):
        x = board.chance.uniform(-20, 1300)
        board.spruce(
            x, back(x) + 26, board.chance.uniform(50, 110), mix(rgb("#1b2a52"), rgb("#2f4276"), board.chance.random())
        )
    board.ridge(590, 8, "#c3cdea", 1)
    for _ in range(26):
        x = board.chance.uniform(-20, 1300)
        board.spruce(x, 618 + board.chance.uniform(-8, 8), board.chance.uniform(130, 240), "#14204a", "#dfe7fb")
    board.rect(0, 676, 1280, 8, "#39406b")
    for coach in range(4):
        x = -190 + coach * 372
        if coach == 3:
            continue
        board.rect(x, 560, 360, 104, "#27406f", 8)
        board.rect(x, 560, 360, 18, "#dbe4fa", 8)
        board.rect(x, 628, 360, 8, "#d9a441")
        for window in range(7):
            board.rect(x + 22 + window * 47, 588, 32, 32, "#ffd98c", 4)
            if board.chance.random() < 0.5:
                board.disc(x + 38 + window * 47, 612, 7, "#7a5134")
        for wheel in (50, 90, 270, 310):
            board.disc(x + wheel, 668, 13, "#0d1433")
    board.polygon([(926, 664), (926, 566), (1130, 566), (1190, 616), (1204, 664)], "#a63a35")
    board.rect(926, 566, 206, 14, "#dbe4fa", 4)
    board.rect(926, 636, 272, 9, "#f0c75e")
    board.polygon([(1108, 582), (1138, 582), (1170, 612), (1108, 612)], "#ffe2a0")
    for wheel in (970, 1014, 1110, 1154):
        board.disc(wheel, 668, 14, "#0d1433")
    for glow_at in range(-168, 900, 94):
        board.glow(glow_at, 690, 70, "#ffca78", 0.3)
    board.glow(1196, 640, 190, "#fff0bf", 0.9)
    board.ridge(720, 12, "#dde5f7", 0.8)
    board.ridge(790, 18, "#eef3fd", 0.6)
    for _ in range(620):
        board.disc(
            board.chance.uniform(0, 1280),
            board.chance.uniform(0, 853),
            board.chance.choice((0.9, 1.2, 1.7, 2.6)),
            "#f4f7ff",
        )
    return board.finish()


def aurora() -> Image.Image:
    """Northern lights over a lake and a hut."""
    board = Canvas(1280, 853, 32)
    board.sky("#050b22", "#0b2040", "#12405a", "#2b6a70", bottom=640)
    board.stars(420, 560)
    for ribbon, (base, colour, strength) in enumerate(
        ((330, "#58f0a7", 0.6), (250, "#7be8c8", 0.4), (400, "#b07be8", 0.36))
    ):

        def curtain(pencil: ImageDraw.ImageDraw, base: int = base, ribbon: int = ribbon) -> None:
            for x in range(0, 1280, 3):
                low = base + 70 * math.sin(x / 210 + ribbon * 1.7) + 26 * math.sin(x / 67 + ribbon)
                tall = 90 + 110 * abs(math.sin(x / 93 + ribbon * 2)) + board.chance.uniform(0, 55)
                for step in range(8):
                    level = round(230 * (1 - step / 8) ** 1.6)
                    top = low - tall * (step + 1) / 8
                    pencil.line(
                        (x * SCALE, (low - tall * step / 8) * SCALE, x * SCALE, top * SCALE),
                        fill=level,
                        width=5 * SCALE // 2,
                    )

        board.soft(curtain, colour, strength, 5)
    back = board.ridge(560, 30, "#0c1c33", 1.5)
    for _ in range(150):
        x = board.chance.uniform(-20, 1300)
        board.spruce(x, back(x) + 24, board.chance.uniform(50, 130), "#08152a")
    board.water(640, "#08182c", 0.35)
    board.glints(70, 645, 850, "#a8f5d8", 640, 420)
    board.polygon([(0, 760), (240, 742), (420, 770), (520, 860), (0, 860)], "#071021")
    board.rect(96, 662, 150, 92, "#10182b")
    board.polygon([(80, 664), (170, 600), (262, 664)], "#0a1122")
    board.rect(118, 690, 34, 34, "#ffcf7d", 2)
    board.rect(188, 690, 34, 34, "#ffcf7d", 2)
    board.glow(170, 712, 130, "#ffb85c", 0.5)
    for smoke in range(14):
        board.glow(216 + smoke * 5 + 8 * math.sin(smoke), 604 - smoke * 17, 12 + smoke * 2.4, "#4f6a80", 0.35)
    return board.finish()


def birches() -> Image.Image:
    """A birch wood in October, upright."""
    board = Canvas(960, 1200, 33)
    board.sky("#f7e3b0", "#f3c877", "#d98f45", "#8a5a34")
    board.glow(520, 330, 520, "#fff3c8", 0.8)
    for layer in range(4):
        share = layer / 3
        for _ in range(13 - layer * 2):
            x = board.chance.uniform(-20, 980)
            wide = 7 + 17 * share + board.chance.uniform(0, 5)
            bark = mix(rgb("#e9c78d"), rgb("#fbf8f0"), share)
            lean = board.chance.uniform(-26, 26)
            foot = 930 + 170 * share
            board.polygon(
                [(x, foot), (x + wide, foot), (x + wide * 0.8 + lean, -10), (x + wide * 0.2 + lean, -10)], bark
            )
            board.polygon(
                [
                    (x + wide * 0.72, foot),
                    (x + wide, foot),
                    (x + wide * 0.8 + lean, -10),
                    (x + wide * 0.62 + lean, -10),
                ],
                mix(bark, rgb("#8c8578"), 0.35),
            )
            for _ in range(24):
                y = board.chance.uniform(0, foot)
                shift = lean * (1 - y / foot)
                start = x + shift + (0 if board.chance.random() < 0.6 else wide * 0.4)
                board.line(
                    [(start + 1, y), (start + wide * board.chance.uniform(0.25, 0.6), y + 2)],
                    mix(bark, rgb("#2c2622"), 0.4 + 0.5 * share),
                    1 + 2.4 * share,
                )
        for _ in range(420):
            x, y = board.chance.uniform(0, 960), abs(board.chance.gauss(0, 260))
            size = board.chance.uniform(3, 6 + 5 * share)
            board.ellipse(
                x,
                y,
                size,
                size * 0.7,
                mix(
                    rgb(board.chance.choice(("#f2b632", "#e08a24", "#f7d35c", "#c9622a"))),
                    rgb("#f7dfa5"),
                    0.5 * (1 - share),
                ),
            )
    floor = board.ridge(1010, 24, "#9c5a2a", 1)
    for _ in range(1500):
        x = board.chance.uniform(0, 960)
        y = floor(x) + abs(board.chance.gauss(0, 90))
        board.ellipse(
            x,
            y,
            board.chance.uniform(4, 10),
            board.chance.uniform(2, 4),
            board.chance.choice(("#e8a33a", "#c96a2b", "#f4c95a", "#8a4422", "#dd8430")),
        )
    return board.finish()


def podstakannik() -> Image.Image:
    """Tea in its metal holder at the window of the duty room."""
    board = Canvas(1000, 1100, 34)
    board.sky("#2d3f63", "#5a6f93", "#aab8c9", bottom=620)
    for row in range(3):
        height = board.ridge(430 + row * 60, 30, ("#7f93b3", "#5c7399", "#40577d")[row], 1.4)
        for _ in range(40):
            x = board.chance.uniform(0, 1000)
            board.spruce(x, height(x) + 15, 40 + row * 34, ("#6a80a4", "#475f87", "#2c4269")[row])
    for flake in range(200):
        x, y = board.chance.uniform(0, 1000), board.chance.uniform(0, 640)
        board.line([(x, y), (x + 12 + flake % 9, y + 2)], "#e9eef8", 1.3)
    board.rect(0, 640, 1000, 40, "#7b5236")
    board.sky("#a26f49", "#6d4429", top=680)
    for row in range(16):
        y = 690 + row * 27
        board.line(
            [(0, y), (330, y + board.chance.uniform(-5, 5)), (1000, y + board.chance.uniform(-6, 6))], "#8a5a39", 1.4
        )
    board.rect(0, 0, 42, 680, "#5d3e2b")
    board.rect(958, 0, 42, 680, "#5d3e2b")
    board.ellipse(530, 1004, 220, 26, "#4a2d1b")
    board.sky("#e8a04a", "#b4541c", "#7c2f10", top=500, bottom=960, left=380, right=680)
    board.rect(380, 440, 300, 62, "#c3c9d2")
    board.ellipse(530, 500, 150, 20, "#d98a3c")
    board.ellipse(530, 440, 150, 22, "#dfe4ea")
    board.ellipse(530, 442, 142, 18, "#b7bfca")
    board.disc(600, 486, 54, "#f3d54e")
    board.disc(600, 486, 46, "#fbe88a")
    for spoke in range(8):
        turn = spoke * math.tau / 8
        board.line([(600, 486), (600 + 44 * math.cos(turn), 486 + 44 * math.sin(turn))], "#f3d54e", 3)
    board.rect(380, 520, 300, 60, "#c77428")
    board.rect(398, 446, 14, 500, "#f4d3a0", 7)
    board.rect(366, 660, 328, 316, "#9aa1ab", 14)
    for strip in range(30):
        x = 366 + strip * 328 / 30
        shade = abs(math.sin(strip / 30 * math.pi * 2.1 + 0.6))
        board.rect(x, 676, 12, 286, mix(rgb("#5f6670"), rgb("#eef1f5"), shade))
    for ornament in range(5):
        x = 402 + ornament * 64
        for ring in (24, 15, 6):
            board.ring(x, 820, ring, "#4c525b", 2)
        board.line(curve((x - 26, 760), (x, 720), (x + 26, 760)), "#4c525b", 2.4)
        board.line(curve((x - 26, 880), (x, 920), (x + 26, 880)), "#4c525b", 2.4)
    board.rect(356, 660, 348, 20, "#c9ced6", 8)
    board.rect(356, 958, 348, 30, "#c9ced6", 10)
    handle = curve((700, 700), (850, 700), (838, 830), 20) + curve((838, 830), (830, 940), (700, 936), 20)
    board.line(handle, "#6a717b", 30)
    board.line(handle, "#c9ced6", 20)
    board.line([(x - 3, y - 3) for x, y in handle], "#f3f5f8", 5)
    board.rect(120, 900, 150, 66, "#fbf8f0", 8)
    board.rect(176, 862, 140, 62, "#ffffff", 8)
    for wisp in range(3):
        x = 470 + wisp * 60
        trail = curve((x, 420), (x - 60, 330), (x + 10, 250), 20) + curve(
            (x + 10, 250), (x + 80, 170), (x + 20, 90), 20
        )

        def steam(pencil: ImageDraw.ImageDraw, trail: list[tuple[float, float]] = trail) -> None:
            pencil.line([(a * SCALE, b * SCALE) for a, b in trail], fill=255, width=26 * SCALE)

        board.soft(steam, "#f4f6fa", 0.4, 12)
    return board.finish()


def frost() -> Image.Image:
    """Ice flowers on a window at dawn."""
    board = Canvas(1280, 853, 35)
    board.sky("#20304f", "#4a6a94", "#e2a878", "#f6d3a0")
    board.glow(900, 620, 400, "#ffdca6", 0.8)

    def branch(x: float, y: float, turn: float, long: float, depth: int) -> None:
        end = x + math.cos(turn) * long, y + math.sin(turn) * long
        bent = x + math.cos(turn + 0.12) * long * 0.5, y + math.sin(turn + 0.12) * long * 0.5
        tone = mix(board.pixel(*end), rgb("#f7fbff"), 0.55 + 0.1 * depth)
        board.line(curve((x, y), bent, end), tone, 0.5 + depth * 0.75)
        if not depth:
            return
        for step in range(1, 8):
            share = step / 8
            place = x + (end[0] - x) * share, y + (end[1] - y) * share
            for side in (-1, 1):
                branch(*place, turn + side * board.chance.uniform(0.7, 1.0), long * (1 - share) * 0.5, depth - 1)
        branch(*end, turn + board.chance.uniform(-0.25, 0.25), long * 0.5, depth - 1)

    for start in range(17):
        x = -10 + start * 81 + board.chance.uniform(-16, 16)
        branch(
            x,
            860,
            -math.pi / 2 + board.chance.uniform(-0.5, 0.5),
            board.chance.uniform(150, 330) * (1.5 - abs(x - 640) / -900),
            2,
        )
    for y in (120, 420, 700):
        branch(-6, y, board.chance.uniform(-0.5, 0.3), board.chance.uniform(150, 230), 2)
        branch(1286, y, math.pi + board.chance.uniform(-0.3, 0.5), board.chance.uniform(150, 230), 2)
    board.rect(0, 0, 1280, 26, "#f2efe8")
    board.rect(0, 827, 1280, 26, "#f2efe8")
    board.rect(0, 0, 26, 853, "#ece8df")
    board.rect(1254, 0, 26, 853, "#ece8df")
    board.rect(628, 0, 24, 853, "#ece8df")
    return board.finish()


def mushrooms() -> Image.Image:
    """Five ceps in a wood."""
    board = Canvas(1280, 853, 36)
    board.sky("#24422f", "#4d7a48", "#a9b45f", "#5b6b36")
    board.glow(900, 180, 420, "#f2f0a8", 0.7)
    for _ in range(22):
        x, wide = board.chance.uniform(-30, 1300), board.chance.uniform(14, 46)
        board.rect(x, -10, wide, 640, mix(rgb("#2a3b28"), rgb("#6d7a45"), board.chance.random()))

    def haze(pencil: ImageDraw.ImageDraw) -> None:
        for _ in range(5):
            x = board.chance.uniform(300, 1200)
            pencil.polygon(
                [(x * SCALE, 0), ((x + 60) * SCALE, 0), ((x - 190) * SCALE, 1300), ((x - 330) * SCALE, 1300)], fill=150
            )

    board.soft(haze, "#f6f3b8", 0.35, 16)
    floor = board.ridge(610, 16, "#4b6a30", 1)
    board.grass(500, floor, 46, ("#6f9140", "#88a852", "#3f5c2b"))
    for x, foot, size in ((420, 760, 1.0), (640, 790, 1.6), (900, 750, 0.8), (1010, 790, 1.1), (240, 800, 0.7)):
        board.ellipse(x, foot + 8 * size, 120 * size, 16 * size, "#2c3f1f")
        stem = [
            *curve(
                (x - 34 * size, foot + 6 * size), (x - 50 * size, foot - 60 * size), (x - 26 * size, foot - 130 * size)
            ),
            *curve(
                (x + 26 * size, foot - 130 * size), (x + 50 * size, foot - 60 * size), (x + 34 * size, foot + 6 * size)
            ),
        ]
        board.polygon(stem, "#e9dcc0")
        board.polygon([(a if a > x else x + (a - x) * 0.2, b) for a, b in stem], "#d3c19c")
        cap = curve(
            (x - 112 * size, foot - 118 * size), (x - 96 * size, foot - 240 * size), (x, foot - 238 * size)
        ) + curve((x, foot - 238 * size), (x + 96 * size, foot - 240 * size), (x + 112 * size, foot - 118 * size))
        board.polygon(
            [
                *cap,
                *curve((x + 112 * size, foot - 118 * size), (x, foot - 88 * size), (x - 112 * size, foot - 118 * size)),
            ],
            "#8a4a24",
        )
        board.polygon([(x + (a - x) * 0.74 - 12 * size, b + 8 * size) for a, b in cap], "#a8612f")
        board.ellipse(x - 42 * size, foot - 206 * size, 24 * size, 11 * size, "#d09a62")
        board.polygon(
            [
                *curve((x - 108 * size, foot - 116 * size), (x, foot - 84 * size), (x + 108 * size, foot - 116 * size)),
                *curve(
                    (x + 108 * size, foot - 116 * size), (x, foot - 104 * size), (x - 108 * size, foot - 116 * size)
                ),
            ],
            "#f0deb4",
        )
    front = board.ridge(800, 12, "#3d5a28", 1)
    board.grass(700, front, 62, ("#5f8238", "#7b9c48", "#32491f", "#93a953"))
    for _ in range(60):
        x = board.chance.uniform(0, 1280)
        board.ellipse(
            x, front(x) + board.chance.uniform(-16, 40), 9, 4, board.chance.choice(("#d9962f", "#c2632a", "#e8bd55"))
        )
    return board.finish()


def timetable() -> Image.Image:
    """The winter timetable, stamped by the cat."""
    board = Canvas(960, 640, 37, "#f4eedd")
    board.rect(0, 0, 960, 104, "#27406f")
    board.rect(0, 104, 960, 8, "#d9a441")
    board.text(480, 52, "СТАНЦИЯ ЯСНАЯ · ЗИМА 2026–27", 38, "#fbf8f0", "Bold")
    columns = (110, 330, 530, 690)
    rows = (
        ("№", "откуда", "приб.", "отпр."),
        ("612", "Заозерье", "06:48", "06:50"),
        ("7", "Москва", "19:00", "19:04"),
        ("611", "Полярный", "21:31", "21:33"),
    )
    for number, row in enumerate(rows):
        y = 176 + number * 84
        if number % 2:
            board.rect(40, y - 40, 880, 80, "#e9dfc6", 8)
        for x, words in zip(columns, row, strict=True):
            board.text(
                x,
                y,
                words,
                24 if number == 0 else 36,
                "#7a6a52" if number == 0 else "#26324a",
                "Italic" if number == 0 else "Bold",
            )
    board.line([(40, 214), (920, 214)], "#27406f", 2)
    board.text(360, 560, "Поезд № 7 опаздывает красиво. Чай — в буфете.", 25, "#7a6a52")
    for dx, dy, wide, high in (
        (0, 0, 44, 36),
        (-52, -44, 18, 24),
        (-20, -66, 18, 25),
        (20, -66, 18, 25),
        (52, -44, 18, 24),
    ):
        board.ellipse(846 + dx, 420 + dy, wide, high, "#a63a35")
    board.arc(846, 400, 92, 0, 360, "#a63a35", 5)
    board.text(846, 522, "утверждено", 22, "#a63a35")
    return board.finish(grain=0)
