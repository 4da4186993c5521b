"""`python -m demo [FOLDER ...]`: the bridge against a local Telegram server, no account needed."""

import signal
import sys

if __name__ == "__main__":
    # From the first moment on Ctrl-C ends this without a word; once there is something to stop, the command stops it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from demo.command import main

    sys.exit(main(sys.argv[1:]))
