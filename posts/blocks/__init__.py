"""A post's HTML, one module a block.

A block takes a `Sheet` (what all blocks of one post share) and a message, and returns balanced HTML with all
text escaped, or "" if the message has nothing for it. Everything reads right without classes, `span`, `details`
and `summary`, which some readers drop.

Classes, for the pages' stylesheet:

    text        a post's own text (a `div dir="auto"`)
    spoiler     hidden text (`span`) or hidden media (`details`)
    command     a bot command in a text
    forward     where a forwarded message comes from
    reply       what the post answers, a `blockquote`
    service     an event in the chat
    media       one photo, video, audio, sticker or file; with a second class for its kind:
                photo, live_photo, image, video, animation, round, audio, voice, sticker, document
    album       the group of all `media` of a post that has several, of bought media, and of a collage
    rich        an article
    pulled      a quote of the article itself, set off, a `blockquote`
    poll        question, options (`ul`), state, and what illustrates them
    dice        a throw: emoji and value
    card        what has no file and no text; with a second class for its kind: contact, location,
                live_location, venue, game, invoice, paid_media, giveaway, giveaway_results, story, checklist
    preview     a link's preview, a `blockquote`
    buttons     links below the message, a `ul`
    comments    the link to the discussion
    restricted  Telegram's reason for barring the post
    unsupported what can only be seen in Telegram; also the notice of a post that failed to render, and of an
                article that goes on
    footer      the footer, with `reactions`, `meta`, `dates`, `links` and `flags` inside

Elements used: a audio b bdi blockquote br code del details div i img ins li p pre progress s small span summary
time u ul video; in articles also caption figcaption figure h3 h4 h5 h6 hr mark ol sub sup table tbody td th tr.
Attributes: alt aria-hidden autoplay class colspan controls datetime dir height href loading loop max muted open
playsinline poster preload reversed rowspan src start type value width.
"""
