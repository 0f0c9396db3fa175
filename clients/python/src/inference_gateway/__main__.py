"""``python -m inference_gateway "prompt"``."""

import sys

from inference_gateway._command import main

sys.exit(main())
