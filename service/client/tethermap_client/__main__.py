"""`python -m tethermap_client`: the command, where it is not on the path."""

import sys

from tethermap_client.cli import main

if __name__ == "__main__":
    sys.exit(main())
