"""Saltmere: the lighthouse by day and night, its sea and its birds."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from demo.make.canvas import SCALE, Canvas, curve, mix, rgb


def tower(board: Canvas, x: float, foot: float, tall: float, lit: bool, light: str = "#ffe9a8") -> tuple[float, float]:
    """A white tower with two red bands; gives back where its lamp is."""
    top = foot - tall
    half_low, half_high = tall * 0.115, tall * 0.07

    def half(share: float) -> float:
        return half_low + (half_high - half_low) * share

    for strip in range(24):
        # A round tower: each upright strip is lit from the left.
        left, right = -1 + strip / 12, -1 + (strip + 1) / 12
        shade = max(0.0, math.sin((strip + 3) / 27 * math.pi)) ** 0.8
        for low, high, colour in (
            (0, 0.22, "#f4efe4"),
            (0.22, 0.42, "#c2453c"),
            (0.42, 0.62, "#f4efe4"),
            (0.62, 0.82, "#c2453c"),
            (0.82, 1.0, "#f4efe4"),
        ):
            tone = mix(rgb("#33405c"), rgb(colour), 0.35 + 0.65 * shade)
            y_low, y_high = foot - tall * 0.82 * low, foot - tall * 0.82 * high
            board.polygon(
                [
                    (x + left * half(low), y_low),
                    (x + right * half(low) + 0.6, y_low),
                    (x + right * half(high) + 0.6, y_high),
                    (x + left * half(high), y_high),
                ],
                tone,
            )
    deck = foot - tall * 0.82
    board.rect(x - half_high * 1.45, deck - tall * 0.012, half_high * 2.9, tall * 0.024, "#2c3448", 2)
    for post in range(9):
        place = x - half_high * 1.4 + half_high * 2.8 * post / 8
        board.line([(place, deck), (place, deck - tall * 0.045)], "#2c3448", 1)
    board.line([(x - half_high * 1.4, deck - tall * 0.045), (x + half_high * 1.4, deck - tall * 0.045)], "#2c3448", 1.2)
    board.rect(x - half_high * 0.8, deck - tall * 0.11, half_high * 1.6, tall * 0.1, light if lit else "#9fb8c9")
    for bar in (-0.8, -0.27, 0.27, 0.8):
        board.line([(x + half_high * bar, deck), (x + half_high * bar, deck - tall * 0.11)], "#2c3448", 1.4)
    board.polygon(
        [(x - half_high * 1.05, deck - tall * 0.108), (x, top), (x + half_high * 1.05, deck - tall * 0.108)], "#a4352f"
    )
    board.line([(x, top + 3), (x, top - tall * 0.035)], "#2c3448", 1.6)
    board.rect(x - tall * 0.02, foot - tall * 0.09, tall * 0.04, tall * 0.09, "#4a3a36", 4)
    for share in (0.3, 0.52, 0.72):
        board.rect(
            x - tall * 0.012,
            foot - tall * 0.82 * share - tall * 0.02,
            tall * 0.024,
            tall * 0.035,
            "#ffd98a" if lit else "#3b4a63",
            2,
        )
    return x, deck - tall * 0.055


def cottage(board: Canvas, x: float, foot: float, wide: float, wall: str, roof: str, lit: bool = True) -> None:
    """A keeper's house: wall, roof, chimney, two windows."""
    high = wide * 0.42
    board.rect(x, foot - high, wide, high, wall)
    board.polygon(
        [
            (x - wide * 0.06, foot - high),
            (x + wide * 0.16, foot - high - wide * 0.3),
            (x + wide * 0.84, foot - high - wide * 0.3),
            (x + wide * 1.06, foot - high),
        ],
        roof,
    )
    board.rect(x + wide * 0.66, foot - high - wide * 0.42, wide * 0.09, wide * 0.22, roof)
    for place in (0.18, 0.62):
        board.rect(x + wide * place, foot - high * 0.72, wide * 0.16, high * 0.36, "#ffd27a" if lit else "#4f6379", 1)
    board.rect(x + wide * 0.42, foot - high * 0.62, wide * 0.11, high * 0.62, "#5a3d33", 1)


def lighthouse_dawn() -> Image.Image:
    """The headland at sunrise, the lamp still lit."""
    board = Canvas(1280, 853, 11)
    board.sky("#27345c", "#6d5f8f", "#d98a8a", "#f7c18a", "#ffe3ad", bottom=560)
    board.glow(880, 545, 420, "#ffcf8a", 0.9)
    board.disc(880, 530, 44, "#fff2cf")
    board.clouds(9, 120, 430, "#ffd3b8", 0.45)
    board.clouds(6, 60, 260, "#6a5b86", 0.35)
    board.ridge(545, 12, "#a97f8e", 2)
    board.water(560, "#3c4a70", 0.25)
    board.glints(210, 566, 800, "#fff0c4", 880, 70)
    cliff = board.ridge(700, 20, "#2a2f45")
    rock = [(0, 560), (90, 548), (210, 545), (330, 552), (420, 590), (480, 640), (560, 690), (640, 760), (0, 860)]
    board.polygon(rock, "#2f344b")
    board.polygon([(0, 600), (150, 580), (330, 600), (430, 660), (520, 740), (0, 860)], "#262b40")
    cottage(board, 62, 556, 130, "#d9c7b2", "#6b4742")
    x, y = tower(board, 280, 552, 400, lit=True)
    board.glow(x, y, 170, "#fff0b0", 0.9)
    board.grass(260, cliff, 44, ("#1d2236", "#343a50", "#4a4a5c"))
    for place in ((560, 250), (600, 270), (640, 240), (700, 300), (1010, 210), (1050, 228)):
        board.bird(*place, 15, "#3c3557")
    return board.finish()


def frosty_morning() -> Image.Image:
    """The headland in snow under the morning star."""
    board = Canvas(1280, 853, 20)
    board.sky("#31456f", "#6f82ab", "#c3b4c4", "#f3d3c0", "#fbe8d6", bottom=590)
    board.disc(340, 190, 3.4, "#ffffff")
    board.glow(340, 190, 46, "#ffffff", 0.9)
    board.disc(220, 300, 1.4, "#ffffff")
    board.clouds(7, 330, 500, "#f7dcd6", 0.5)
    board.ridge(575, 14, "#a9aec6", 2)
    board.water(590, "#5d6f96", 0.3)
    board.glints(140, 596, 830, "#fff3e6", 420, 260)
    board.polygon(
        [*curve((520, 853), (700, 640), (860, 604)), *curve((860, 604), (1080, 570), (1290, 590)), (1290, 853)],
        "#dfe4ef",
    )
    board.polygon(
        [*curve((640, 853), (800, 690), (960, 650)), *curve((960, 650), (1120, 620), (1290, 660)), (1290, 853)],
        "#f1f4fa",
    )
    for stone in range(40):
        x = board.chance.uniform(520, 780)
        y = 853 - (x - 500) * 0.72 + board.chance.uniform(0, 40)
        board.ellipse(x, y, 20 - stone % 9, 12 - stone % 5, ("#5b6580", "#6d7690", "#49526b")[stone % 3])
        board.ellipse(x, y - 6, 14 - stone % 7, 4, "#f6f8fc")
    cottage(board, 1108, 598, 132, "#d5c4b4", "#eef1f8")
    x, y = tower(board, 985, 606, 410, lit=True)
    board.glow(x, y, 150, "#fff0b8", 0.9)
    for puff in range(12):
        board.glow(1200 + puff * 6, 520 - puff * 15, 10 + puff * 2.5, "#8d8fa6", 0.35)
    board.grass(120, lambda place: 870 - max(0.0, place - 500) * 0.05, 60, ("#c9cfdf", "#9aa4bd", "#e6eaf2"))
    for place in ((140, 420), (182, 436), (226, 418), (270, 440)):
        board.bird(*place, 14, "#4b5678")
    return board.finish()


def lighthouse_night() -> Image.Image:
    """The beam and the Milky Way, upright."""
    board = Canvas(900, 1200, 12)
    board.sky("#050a1e", "#0d1838", "#1d2f5c", "#3a4f7d", bottom=860)
    board.stars(520, 780)

    def milky(pencil: ImageDraw.ImageDraw) -> None:
        for _ in range(260):
            along = board.chance.random()
            x, y = 120 + along * 820 + board.chance.gauss(0, 55), -40 + along * 640 + board.chance.gauss(0, 55)
            size = board.chance.uniform(8, 40)
            pencil.ellipse(((x - size) * SCALE, (y - size) * SCALE, (x + size) * SCALE, (y + size) * SCALE), fill=150)

    board.soft(milky, "#b9c7f0", 0.28, 26)
    lamp = (300.0, 497.0)

    def beam(pencil: ImageDraw.ImageDraw) -> None:
        for reach in ((900, 330, 470), (-400, 430, 540)):
            far, high, low = reach
            pencil.polygon(
                [(lamp[0] * SCALE, lamp[1] * SCALE), (far * SCALE, high * SCALE), (far * SCALE, low * SCALE)], fill=255
            )

    board.soft(beam, "#fff2c0", 0.42, 9)
    board.water(860, "#0a1330", 0.4)
    board.glints(90, 865, 1150, "#ffe9b0", 330, 60)
    board.polygon(
        [(0, 860), (120, 830), (300, 818), (470, 838), (600, 900), (680, 980), (760, 1210), (0, 1210)], "#0a0f22"
    )
    cottage(board, 90, 836, 110, "#3a3f58", "#20243a")
    x, y = tower(board, 300, 824, 400, lit=True)
    board.glow(x, y, 210, "#fff0b0", 1.0)
    return board.finish()


def storm() -> Image.Image:
    """Force nine, spray over the mole."""
    board = Canvas(1280, 800, 13)
    board.sky("#1b2430", "#39495a", "#7b8d96", "#c9c7b4", bottom=430)
    board.clouds(26, 0, 300, "#1a222d", 0.7)
    board.clouds(9, 180, 360, "#a9b4b5", 0.4)
    board.rect(0, 424, 1280, 376, "#7f979c")
    tower(board, 1020, 452, 260, lit=True)
    board.glow(1020, 308, 150, "#ffe9a8", 0.8)
    board.polygon([(880, 470), (950, 446), (1090, 446), (1180, 480), (1240, 520), (860, 520)], "#222a33")
    for row in range(9):
        base = 440 + row * 44
        tone = mix(rgb("#5d7f88"), rgb("#10242f"), row / 8)
        swing = 10 + row * 7
        phase = board.chance.uniform(0, 6)
        crest = []
        for x in range(-10, 1300, 6):
            wave = math.sin(x / (90 + row * 26) + phase)
            crest.append((x, base - swing * (abs(wave) ** 0.7 * 1.6 - 0.6)))
        board.polygon([*crest, (1300, 810), (-10, 810)], tone)
        for place in range(3, len(crest) - 3):
            x, y = crest[place]
            if crest[place - 3][1] > y < crest[place + 3][1] + swing * 0.3:
                for _ in range(2 + row):
                    dx, dy = board.chance.gauss(0, 8 + row * 2), abs(board.chance.gauss(0, 3 + row))
                    board.disc(
                        x + dx,
                        y + dy,
                        board.chance.uniform(0.8, 1.6 + row * 0.34),
                        mix(tone, rgb("#f2f6f2"), board.chance.uniform(0.5, 0.95)),
                    )

    def spray(pencil: ImageDraw.ImageDraw) -> None:
        for _ in range(170):
            x, y = board.chance.gauss(905, 44), 500 - abs(board.chance.gauss(0, 55))
            size = board.chance.uniform(2, 9)
            pencil.ellipse(((x - size) * SCALE, (y - size) * SCALE, (x + size) * SCALE, (y + size) * SCALE), fill=220)

    board.soft(spray, "#eef4f2", 0.8, 3)
    for _ in range(5):
        board.bird(board.chance.uniform(200, 760), board.chance.uniform(150, 330), 14, "#e8ecea")
    return board.finish()


def starlings() -> Image.Image:
    """A murmuration over the reeds at sunset."""
    board = Canvas(1280, 853, 15)
    board.sky("#3b2f5b", "#8b4f76", "#e27b63", "#f9b26a", "#ffe0a3", bottom=640)
    board.glow(420, 640, 460, "#ffcb7a", 0.9)
    board.clouds(7, 380, 560, "#8d4a68", 0.45)
    for _ in range(2600):
        turn = board.chance.uniform(0, math.tau)
        ring = board.chance.gauss(1, 0.28)
        x = 700 + math.cos(turn) * 330 * ring + 130 * math.sin(2 * turn)
        y = 280 + math.sin(turn) * 105 * ring + 70 * math.cos(3 * turn)
        board.bird(x, y, board.chance.uniform(1.8, 4.6), "#241a36")
    board.ridge(640, 10, "#5b3b57", 2)
    board.water(655, "#43264a", 0.3)
    board.glints(120, 660, 840, "#ffd694", 420, 60)
    for _ in range(330):
        x, tall = board.chance.uniform(0, 1280), board.chance.uniform(60, 190)
        if 330 < x < 900 and board.chance.random() < 0.8:
            continue
        lean = board.chance.uniform(4, 30)
        stem = curve((x, 860), (x, 860 - tall * 0.7), (x + lean, 860 - tall))
        board.line(stem, "#1f1430", 1.6)
        if board.chance.random() < 0.4:
            board.line(stem[-3:], "#1f1430", 5)
    return board.finish()


def lens() -> Image.Image:
    """The great lens from in front."""
    board = Canvas(1000, 1000, 18)
    board.sky("#13203a", "#1f3a55", "#2b5163")
    for ring in range(26, 0, -1):
        radius = ring * 17
        share = ring / 26
        board.disc(500, 500, radius + 3, mix(rgb("#fff3c4"), rgb("#2f6f86"), min(1.0, share * 1.1)))
        board.disc(500, 500, radius, mix(rgb("#ffe7a0"), rgb("#1d4a63"), min(1.0, share * 1.05)))
        board.arc(500, 500, radius - 3, 195, 255, mix(rgb("#ffffff"), rgb("#7fc0c9"), share), 3)
        board.arc(500, 500, radius - 3, 20, 65, mix(rgb("#fff7dd"), rgb("#4b93a3"), share), 2)
    board.glow(500, 500, 420, "#fff0b8", 0.9)
    board.disc(500, 500, 26, "#fffbe9")
    for spoke in range(8):
        turn = spoke * math.tau / 8 + 0.2
        board.line(
            [
                (500 + math.cos(turn) * 215, 500 + math.sin(turn) * 215),
                (500 + math.cos(turn) * 448, 500 + math.sin(turn) * 448),
            ],
            "#b58a4a",
            7,
        )
        board.line(
            [
                (500 + math.cos(turn) * 215, 500 + math.sin(turn) * 215),
                (500 + math.cos(turn) * 448, 500 + math.sin(turn) * 448),
            ],
            "#e8c987",
            2,
        )
    board.ring(500, 500, 452, "#b58a4a", 16)
    board.ring(500, 500, 450, "#efd69b", 3)
    board.ring(500, 500, 216, "#b58a4a", 9)
    return board.finish()
