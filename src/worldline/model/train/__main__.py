"""`python -m worldline.model.train`: the trainer by itself, under torchrun or not."""

import sys

from worldline.model.train.loop import main

sys.exit(main())
