"""`python -m seamstream_torch`, as torchrun starts it."""

import os
import sys

from seamstream_torch.main import main

status = main()
# What the job made is on the disk. While the interpreter is taken down, a thread of gloo that still holds a tensor can
# abort the process (pytorch/pytorch, pull request 179291), and a finished job would count as failed.
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
