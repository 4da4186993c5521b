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
                photo, image, video, animation, round, audio, voice, sticker, document
    album       the group of all `media` of a post that has several
    poll        question, options (`ul`), state
    preview     a link's preview, a `blockquote`
    buttons     links below the message, a `ul`
    comments    the link to the discussion
    restricted  Telegram's reason for barring the post
    unsupported what can only be seen in Telegram; also the notice of a post that failed to render
    footer      the footer, with `reactions`, `meta`, `dates`, `links` and `flags` inside

Elements used: a audio b blockquote br code del details div i img ins li p pre progress s small span summary time
u ul video. Attributes: alt aria-hidden class controls datetime dir height href loading loop max poster preload src
value width.
"""
