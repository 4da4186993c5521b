"""help.*: the configuration, above all where the data centers are."""

from __future__ import annotations

import time

from pyrogram import raw

from tgserver.rpc.context import Call
from tgserver.tl import TL
from tgserver.transport import HOST

_EXPIRES = 3600


def get_config(call: Call, _: raw.functions.help.GetConfig) -> TL:
    """The configuration, with this server's ports in `dc_options`."""
    now = int(time.time())
    return raw.types.Config(
        date=now,
        expires=now + _EXPIRES,
        test_mode=False,
        this_dc=call.dc.id,
        dc_options=[
            raw.types.DcOption(id=dc.id, ip_address=HOST, port=dc.port(media), media_only=media, this_port_only=True)
            for dc in call.backend.dcs.values()
            if not dc.cdn
            for media in (False, True)
        ]
        + [
            raw.types.DcOption(id=dc.id, ip_address=HOST, port=dc.port(), cdn=True, this_port_only=True)
            for dc in call.backend.dcs.values()
            if dc.cdn
        ],
        dc_txt_domain_name="",
        chat_size_max=200,
        megagroup_size_max=200_000,
        forwarded_count_max=100,
        online_update_period_ms=210_000,
        offline_blur_timeout_ms=5_000,
        offline_idle_timeout_ms=30_000,
        online_cloud_timeout_ms=300_000,
        notify_cloud_delay_ms=30_000,
        notify_default_delay_ms=1_500,
        push_chat_period_ms=60_000,
        push_chat_limit=2,
        edit_time_limit=172_800,
        revoke_time_limit=2**31 - 1,
        revoke_pm_time_limit=2**31 - 1,
        rating_e_decay=2_419_200,
        stickers_recent_limit=200,
        channels_read_media_period=604_800,
        call_receive_timeout_ms=20_000,
        call_ring_timeout_ms=90_000,
        call_connect_timeout_ms=30_000,
        call_packet_timeout_ms=10_000,
        me_url_prefix="https://t.me/",
        caption_length_max=1024,
        message_length_max=4096,
        webfile_dc_id=call.dc.id,
    )


def get_cdn_config(call: Call, _: raw.functions.help.GetCdnConfig) -> TL:
    """The keys of the delivery network, if there is one."""
    return call.backend.cdn.config() if call.backend.cdn is not None else raw.types.CdnConfig(public_keys=[])


def get_nearest_dc(call: Call, _: raw.functions.help.GetNearestDc) -> TL:
    """The data center that was asked is the nearest."""
    return raw.types.NearestDc(country="ZZ", this_dc=call.dc.id, nearest_dc=call.dc.id)
