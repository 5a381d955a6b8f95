"""``python -m narrowcast``."""

import sys

from narrowcast.cli import main

sys.exit(main())
