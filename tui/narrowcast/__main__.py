"""``python -m narrowcast``."""

import sys

from narrowcast.cli.entry import main

sys.exit(main())
