"""The console command, apart from the packages it is made of: it can say that one of them is another distribution's."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process; exit code 2 where ``bench`` is another distribution's package."""
    try:
        run = import_module("bench.cli.app").main
    except (ImportError, AttributeError):
        spec, home = find_spec("bench"), Path(__file__).resolve().parent
        place = Path(next(iter((spec and spec.submodule_search_locations) or ()), "nowhere"))
        init = place / "__init__.py"
        if init.is_file() and b"memfrontier" in init.read_bytes():
            raise
        print(
            f"bench: expected memfrontier's own package in {home}, got another one of that name ({place}); uninstall "
            "that one and reinstall memfrontier, or give memfrontier an environment of its own",
            file=sys.stderr,
        )
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
