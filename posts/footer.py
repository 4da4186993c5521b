"""A post's footer: counters and links, which change without the post changing."""

from __future__ import annotations

from model.message import Message, Reaction
from posts.blocks.sheet import Sheet
from posts.counters import counters_of
from posts.grouping import Group
from posts.identity import app_link, bridge_link, post_link
from posts.plain import escape, one_line
from posts.wording import counted, utc_stamp


def footer(sheet: Sheet, group: Group, flags: tuple[str, ...]) -> str:
    """Reactions; views, forwards, comments and id; dates; links; flags if the options ask for them."""
    lines = []
    if reactions := counters_of(group).reactions:
        lines.append(f'<p class="reactions">{" ".join(map(_reaction, reactions))}</p>')
    lines.append(f'<p class="meta">{" · ".join(_facts(group.main, group))}</p>')
    if dates := _dates(group):
        lines.append(f'<p class="dates">{" · ".join(dates)}</p>')
    if links := _links(sheet, group):
        lines.append(f'<p class="links">{" · ".join(links)}</p>')
    if flags and sheet.options.show_flags:
        lines.append(f'<p class="flags">{escape(" ".join(flags))}</p>')
    return f'<div class="footer">{"".join(lines)}</div>'


def _reaction(reaction: Reaction) -> str:
    # Custom emoji are pictures of their own: what they show is not in the message.
    emoji = "⭐" if reaction.paid else escape(one_line(reaction.emoji)) or "✦"
    return f"<span>{emoji} {reaction.count}</span>"


def _facts(main: Message, group: Group) -> list[str]:
    facts = []
    if main.views is not None:
        facts.append(counted(main.views, "view", "views"))
    if main.forwards:
        facts.append(counted(main.forwards, "forward", "forwards"))
    if (discussed := group.discussed) is not None and discussed.comments:
        facts.append(counted(discussed.comments, "comment", "comments"))
    facts.append(f"#{main.id}")
    return facts


def _dates(group: Group) -> list[str]:
    dates = []
    if written := _time(group.date):
        dates.append(written)
    if edited := _time(group.updated):
        dates.append(f"edited {edited}")
    return dates


def _time(unix: int | None) -> str:
    stamp = utc_stamp(unix)
    return f'<time datetime="{stamp}">{stamp[:10]} {stamp[11:16]} UTC</time>' if stamp else ""


def _links(sheet: Sheet, group: Group) -> list[str]:
    first = group.first.id
    links = []
    if app := app_link(sheet.channel, first):
        links.append(f'<a href="{escape(app)}">Open in Telegram</a>')
        links.append(f'<a href="{escape(post_link(sheet.channel, first, sheet.options))}">Open on the web</a>')
    if sheet.options.show_bridge_link:
        links.append(f'<a href="{escape(bridge_link(sheet.channel, first, sheet.options))}">Open on the bridge</a>')
    return links
