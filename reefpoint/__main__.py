"""`python -m reefpoint`, and what the installed command runs."""

from __future__ import annotations

import sys

from main import command

if __name__ == "__main__":
    sys.exit(command())
