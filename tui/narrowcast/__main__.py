"""``python -m narrowcast``."""

import sys

from narrowcast.cli.main import main

sys.exit(main())
