"""`python -m seamstream_torch`, as torchrun starts it."""

import sys

from seamstream_torch.main import main

sys.exit(main())
