"""Run the trainer: `python -m worldline.model.train`, with or without torchrun."""

import sys

from worldline.model.train.loop import main

sys.exit(main())
