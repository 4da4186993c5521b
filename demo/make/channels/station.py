"""Станция Ясная (Russian): notes of a stationmaster in the north."""

from __future__ import annotations

from pathlib import Path

from demo.make import ffmpeg, papers, sounds, stickers
from demo.make.channels.people import ADA, LIGHTHOUSE, NIKOLAI, OBSERVATORY, STATION, chats, users
from demo.make.export import Export, unix
from demo.make.markup import bold, code, italic, link, piece, plain, pre, quote, span, spoiler, strike, underline
from demo.make.media import detail, document, jpeg, keys_only, photo, poll, preview
from demo.make.scenes import coast, north

_TIMETABLE = """№     откуда       приб.   отпр.   примечание
612   Заозерье     06:48   06:50   тихий, возит почту
7     Москва       19:00   19:04   почти всегда
611   Полярный     21:31   21:33   остановка по просьбе кота"""

_JAM = """Варенье из рябины с яблоком (по рецепту Анны Ильиничны, буфет)

Рябина после первых морозов — 1 кг
Яблоки антоновские — 600 г
Сахар — 1,2 кг
Вода — два гранёных стакана

Рябину перебрать, залить кипятком на пять минут и откинуть на решето. Сварить сироп.
Опустить ягоды, через час — яблоки дольками.
Варить в три приёма: пока идёт утренний, пока стоит семичасовой, и назавтра, пока не надоест.
Снимать пену и отдавать детям.
Готово, когда капля на блюдце не бежит за поездом.
"""


def build(folder: Path) -> None:
    """Write the channel's export."""
    channel = Export(
        folder,
        "Станция Ясная",
        "public_channel",
        STATION,
        username="demo_station",
        about="Записки начальника маленькой северной станции: поезда, чай, снег и кот Семафор. Демонстрационный канал.",
        photo="avatar.jpg",
        users=users(NIKOLAI, ADA),
        chats=chats(LIGHTHOUSE, OBSERVATORY),
    )
    channel.put("avatar.jpg", jpeg(north.night_train().crop((560, 330, 1080, 850)).resize((480, 480))))
    _autumn(channel)
    _first_snow(channel)
    _winter(channel)
    channel.write()


def _autumn(channel: Export) -> None:
    channel.service("2026-10-14 05:00", "create_channel", title="Станция Ясная")
    channel.message(
        "2026-10-14 05:10",
        bold("Здравствуйте, это станция Ясная."),
        "\n\nДва пути, одна платформа, водокачка 1903 года, буфет и я. Поезда у нас стоят ",
        underline("две минуты"),
        ", но если попросить — ",
        italic("две с половиной"),
        ". Буду писать сюда, что видно из окна дежурной. Вопросы — на "
        "nachalnik@yasnaya.example, жалобы — коту.\n\n"
        "#знакомство",
        author=NIKOLAI[0],
        views=1840,
        forwards=22,
        reactions={"❤": 131, "👍": 40},
    )
    channel.message(
        "2026-10-16 13:20",
        "Берёзы за вторым путём. Завтра ветер, поэтому снял сегодня.",
        media=photo(north.birches),
        author=NIKOLAI[0],
        views=1733,
        reactions={"❤": 150, "🔥": 12},
    )
    channel.message(
        "2026-10-18 07:00",
        bold("РАСПИСАНИЕ НА ЗИМУ"),
        "\n\n",
        pre(_TIMETABLE),
        "\n\nНомер седьмой опаздывает ",
        strike("редко"),
        " красиво.",
        views=1902,
        forwards=61,
        reactions={"👍": 52},
        gap=1,
    )
    channel.message(
        "2026-10-20 16:40",
        "Ходил по грибы вдоль старой ветки. Белые стоят так, будто ждут отправления.",
        media=photo(north.mushrooms),
        author=NIKOLAI[0],
        views=1610,
        reactions={"😍": 90},
    )
    channel.message(
        "2026-10-22 18:00",
        media=poll(
            "С чем пить чай на дежурстве?",
            [("С лимоном", 212), ("С рябиновым вареньем", 301), ("С баранками и без разговоров", 177)],
        ),
        views=1544,
    )
    channel.message(
        "2026-10-24 09:30",
        "Рецепт, который просили после опроса. Записано под диктовку буфета, имя файла — её же.",
        media=document(
            "files/Варенье 🍎 рябина.txt", lambda: _JAM.encode(), "text/plain", file_name="Варенье 🍎 рябина.txt"
        ),
        views=1490,
        forwards=88,
        reactions={"❤": 77},
    )
    channel.message(
        "2026-10-25 12:00",
        media=document(
            "stickers/sticker.webp",
            stickers.samovar_webp,
            "image/webp",
            file_name="sticker.webp",
            size=(512, 512),
            media_type="sticker",
            sticker_emoji="🫖",
        ),
        views=1333,
        reactions={"😁": 44},
    )
    channel.message(
        "2026-10-27 20:15",
        quote("Поезд ушёл, а разговор остался.\nВот и вся железная дорога."),
        views=1620,
        reactions={"❤": 164},
    )


def _first_snow(channel: Export) -> None:
    channel.message(
        "2026-10-30 06:20",
        "❄️ Первый снег. ",
        bold("06:14"),
        ", с северо-запада, тихо, без объявления по громкой связи.",
        media=photo(north.frost),
        author=NIKOLAI[0],
        views=1950,
        forwards=34,
        reactions={"❄": 210, "❤": 60},
    )
    channel.message(
        "2026-11-01 17:45",
        "Вечером слышно так. Три удара — это не мне, это семичасовому. А свищу уже я.",
        media=document(
            "voice_messages/audio_1@{at}.ogg",
            lambda: ffmpeg.ogg(sounds.station_bell()),
            "audio/ogg",
            media_type="voice_message",
            duration_seconds=7,
        ),
        views=1477,
        reactions={"❤": 83},
    )
    words = "Пассажирам, забывшим вчера в четвёртом вагоне зонт, скрипку и дедушку: всё цело, дедушка играет."
    channel.message(
        "2026-11-03 08:00",
        plain(words),
        views=2210,
        forwards=140,
        reactions={"😁": 330},
        bridge={
            "entities": [
                span(words, "зонт, скрипку и дедушку", "Bold"),
                span(words, "скрипку и дедушку: всё цело", "Italic"),
                span(words, "дедушка играет", "Spoiler"),
                span(words, "четвёртом вагоне", "Underline"),
            ]
        },
    )
    channel.message(
        "2026-11-05 10:10",
        "Стрим с водокачки отменяется: обледенели ступени и ведущий. Перенесли на "
        "субботу, онлайн-лекция «Почему рельсы поют» — в 18:00.",
        views=1380,
    )
    channel.message(
        "2026-11-06 21:00",
        views=1702,
        media=photo(coast.lighthouse_night),
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
        bridge={
            "forward": {
                "channel_id": LIGHTHOUSE,
                "channel_post": 31,
                "post_author": ADA[0],
                "date": unix("2026-11-04 17:30"),
            }
        },
    )
    channel.message(
        "2026-11-06 21:02",
        "С маяка прислали открытку. Мы её повесили у окна, так что теперь на станции две сигнальные лампы.",
        views=1740,
        reactions={"❤": 120},
    )
    channel.message(
        "2026-11-08 11:00",
        "Читаем вслух в зале ожидания: о том, как устроены часы на вокзалах и "
        "почему минутная стрелка прыгает. https://example.org/vokzalnye-chasy",
        views=1290,
        media=preview(
            "https://example.org/vokzalnye-chasy",
            "Минута, которая ждёт",
            site_name="Часовой журнал",
            description="Вторичные часы, ведущая линия и полторы секунды тишины перед скачком.",
            scene=north.podstakannik,
            large=True,
        ),
    )
    channel.message(
        "2026-11-10 22:40",
        "Над озером стояло вот это. Семичасовой остановили на восемь минут, машинист сам попросил.",
        media=photo(north.aurora),
        author=NIKOLAI[0],
        views=3120,
        forwards=188,
        reactions={"❤": 520, "🤩": 140, "🔥": 90},
    )
    photo_post = channel.message(
        "2026-11-13 15:30",
        "Дежурство. За окном метёт, в стакане — Цейлон, в подстаканнике — 1961 год, Гагарин и две ракеты.",
        media=photo(north.podstakannik),
        author=NIKOLAI[0],
        views=2033,
        reactions={"❤": 198},
    )
    channel.message(
        "2026-11-13 16:05",
        "Пишут, что ракета одна. Пересчитал. Две. Вторая — за ручкой.",
        reply_to=photo_post,
        author=NIKOLAI[0],
        views=1588,
        reactions={"😁": 102},
        bridge=channel.quoting(photo_post, "Гагарин и две ракеты"),
    )


def _winter(channel: Export) -> None:
    channel.message(
        "2026-11-15 08:00",
        "Для тех, кто пишет программы: схема переезда у нас описана так, и она ни разу не подвела —\n\n",
        pre("std::vector<Поезд> пути;\nwhile (true) {\n    if (a < b && кот->спит()) шлагбаум.открыть();\n}", "cpp"),
        "\n\nА вот ",
        code("<b>"),
        " и ",
        code("&amp;"),
        " в журнал не заносим.",
        views=1190,
        reactions={"🤓": 58},
    )
    channel.message(
        "2026-11-17 12:00",
        "🙏 Собираем на новую печь в зале ожидания. Донаты принимает буфет (монетами) и кружка у кассы. Кто далеко — ",
        link("вот кружка", "https://example.org/kruzhka"),
        ". Отчёт вывешу на дверь.",
        views=1444,
        reactions={"❤": 66},
    )
    channel.message(
        "2026-11-18 12:00",
        "#реклама\nМастерская «Валенок и сын». Подшивка, пока стоит поезд. По "
        "промокоду СЕМАФОР — вторая подошва даром. О рекламодателе: Валенок П. С., "
        "пос. Ясный.",
        views=980,
    )
    channel.message(
        "2026-11-19 06:30",
        "Говорят, мы живём далеко. Далеко — это от чего? 🚂💨👨‍👩‍👧 ",
        bold("Отсюда до всего — один билет."),
        views=1888,
        forwards=95,
        reactions={"❤": 240},
    )
    channel.message(
        "2026-11-21 09:00",
        "Если ищете станцию: вот она. Если не нашли — значит, метёт, переждите у нас.",
        media=keys_only(
            place_name="Станция Ясная",
            address="1207-й километр, Северный ход",
            location_information={"latitude": 64.5617, "longitude": 39.8302},
        ),
        views=1320,
    )
    channel.message(
        "2026-11-22 09:00",
        "Буфет. Звонить долго: Анна Ильинична идёт от плиты.",
        media=keys_only(
            contact_information={
                "first_name": "Анна Ильинична",
                "last_name": "(буфет)",
                "phone_number": "+7 000 000-12-07",
            }
        ),
        views=1104,
    )
    channel.message(
        "2026-11-24 19:04",
        "Семичасовой. Опоздал на четыре минуты и на одну луну.",
        media=photo(north.night_train),
        author=NIKOLAI[0],
        views=2490,
        forwards=71,
        reactions={"❤": 301, "🔥": 55},
    )
    channel.album(
        "2026-11-26 14:00",
        [
            photo(detail(north.frost, 640, 300, 1280, 853)),
            photo(detail(north.birches, 120, 200, 840, 820)),
            photo(detail(north.aurora, 0, 300, 760, 853)),
        ],
        "Три окна: то, которое в дежурке; то, которое было в октябре; и то, у которого нет рамы.",
        views=1702,
        reactions={"❤": 111},
    )
    channel.message(
        "2026-11-27 18:00",
        "Расписание, как просили, файлом. С печатью, то есть с отпечатком лапы.",
        views=1011,
        reactions={"🐾": 30} | {"❤": 64},
        media=document(
            "files/Расписание 2026–27.png",
            lambda: papers.png(north.timetable()),
            "image/png",
            file_name="Расписание 2026–27.png",
            thumb=north.timetable,
            size=(960, 640),
        ),
    )
    channel.message(
        "2026-11-29 07:10",
        "Минус двадцать один. Дым столбом, рельсы поют на ля. ",
        spoiler("Кот Семафор впервые в жизни попросился домой."),
        edited="2026-11-29 07:15",
        author=NIKOLAI[0],
        views=1240,
        reactions={"❤": 205, "😁": 80},
    )
    channel.message(
        "2026-11-30 19:05",
        "Вопрос из почты: «А если никто не выйдет и никто не сядет, зачем поезду "
        "останавливаться?»\n\nЧтобы мы знали, что он помнит дорогу. Чтобы он знал, "
        "что мы зажгли свет. ",
        piece("hashtag", "#ясная"),
        author=NIKOLAI[0],
        views=640,
        forwards=40,
        reactions={"❤": 188},
    )
