"""How a job is computed, not what: results of two choices agree within a tolerance."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import dataclass


@dataclass(frozen=True)
class Compute:
    """The options of the command. `micro_batch_tokens` is None where the engine chooses (rows.py)."""

    precision: str = "float32"
    gradient_checkpointing: bool = False
    micro_batch_tokens: int | None = None
    attention: str = "auto"


def add_options(parser: ArgumentParser) -> None:
    """The options with their defaults."""
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default=Compute.precision)
    parser.add_argument("--gradient-checkpointing", action="store_true", help="compute activations again")
    parser.add_argument(
        "--micro-batch-tokens",
        type=_tokens,
        default=Compute.micro_batch_tokens,
        metavar="auto|NUMBER",
        help="tokens of packed sequences computed at once; auto, the default, begins with what suits the processor "
        "and halves it where the memory of a graphics processor runs out",
    )
    parser.add_argument("--attention", choices=["auto", "eager", "sdpa", "flash"], default=Compute.attention)


def compute_of(given: Namespace) -> Compute:
    """What the options say."""
    return Compute(given.precision, given.gradient_checkpointing, given.micro_batch_tokens, given.attention)


def _tokens(text: str) -> int | None:
    if text == "auto":
        return None
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ArgumentTypeError(f"expected auto or a number above 0, got {text}")
    return int(text)
