from __future__ import annotations

import pytest
from pyrogram import raw

from model.channel import PeerName
from model.message import Service
from posts.services import is_noise, sentence

ANN, BOB, EVE = (PeerName(title=name) for name in ("Ann", "Bob", "Eve"))


@pytest.mark.parametrize(
    "kind",
    [
        "pin_message", "chat_edit_photo", "chat_delete_photo", "chat_edit_title", "group_call", "invite_to_group_call",
        "channel_create", "chat_create", "chat_add_user", "chat_delete_user", "chat_joined_by_link",
        "chat_joined_by_request", "chat_migrate_to", "channel_migrate_from", "boost_apply", "history_clear",
        "set_messages_ttl", "set_messages_t_t_l", "set_chat_theme", "set_chat_wall_paper",
    ],
)  # fmt: skip
def test_noise_is_left_out(kind: str) -> None:
    assert is_noise(Service(kind=kind))


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        (Service(kind="change_creator", names=(ANN,)), "Ann became the owner"),
        (Service(kind="change_creator"), "The chat has a new owner"),
        (Service(kind="requested_peer", names=(ANN, BOB, EVE)), "Shared: Ann, Bob and Eve"),
        (Service(kind="gift_stars", amount=50), "Gift: 50 stars"),
        (Service(kind="gift_stars", amount=0), "Gift: 0 stars"),
        (Service(kind="gift_stars"), "Gift: stars"),
        (Service(kind="topic_create", title="Boats\n{names}"), "Topic created: Boats {names}"),
        (Service(kind="group_call_scheduled", date=10**40), "Live stream planned"),
        (Service(kind="custom_action", title="Hello"), "Hello"),
        (Service(kind="payment_sent", title="GBP", amount=450), "Payment of 4.50 GBP received"),
        (Service(kind="payment_sent", amount=450), "Payment received"),
        (Service(kind="payment_refunded", title="XTR", amount=1), "A payment of 1 star was refunded"),
        (Service(kind="suggested_post_approval", title="Engines"), "Suggested post declined: Engines"),
        (Service(kind="suggested_post_approval"), "Decision about a suggested post"),
        (Service(kind="never_heard_of"), "Service message: never heard of"),
    ],
)
def test_other_events_are_sentences(service: Service, expected: str) -> None:
    assert not is_noise(service)
    assert sentence(service) == expected


def test_every_action_of_the_layer_is_known() -> None:
    prefix = "MessageAction"
    actions = [name.removeprefix(prefix) for name in dir(raw.types) if name.startswith(prefix)]
    assert len(actions) > 50
    for name in actions:
        service = Service(kind=name.lower())
        assert is_noise(service) or not sentence(service).startswith("Service message:"), name
