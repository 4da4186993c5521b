"""The rooms behind `telegram_client`: everything that knows Kurigram and TL objects."""

from telegram.lazy_kurigram import install

# Here, since it has to be done before any module of this package imports Kurigram.
install()
