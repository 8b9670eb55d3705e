"""The program: python -m isingmap, and the command that is installed."""

import signal
import sys


def run() -> None:
    """Run the command line and leave; Ctrl-C counts from the first import to the last line."""
    try:
        from isingmap.cli.main import main

        code = main()
    except KeyboardInterrupt:
        code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is written, and Python is about to leave
    sys.exit(code)


if __name__ == "__main__":
    run()
