"""What the program returns to the shell."""

SUCCESS = 0
BUG = 1
USER_ERROR = 2
INTERRUPTED = 130  # as shells report a program ended by Ctrl-C
