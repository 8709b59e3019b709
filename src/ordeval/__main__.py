"""Run the command line as `python -m ordeval`."""

import sys

from .cli import main

sys.exit(main())
