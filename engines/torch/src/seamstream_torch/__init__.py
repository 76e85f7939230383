"""Scores and trains with PyTorch what Seamstream hands over as files. The files are described in contract.py."""

__version__ = "0.1.0"
