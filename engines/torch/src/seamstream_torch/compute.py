"""How a job is computed, not what: results of two choices agree within a tolerance."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass


@dataclass(frozen=True)
class Compute:
    """The options of the command."""

    precision: str = "float32"
    gradient_checkpointing: bool = False
    micro_batch_tokens: int = 4096
    attention: str = "auto"


def add_options(parser: ArgumentParser) -> None:
    """The options with their defaults."""
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default=Compute.precision)
    parser.add_argument("--gradient-checkpointing", action="store_true", help="compute activations again")
    parser.add_argument(
        "--micro-batch-tokens",
        type=_positive,
        default=Compute.micro_batch_tokens,
        help="tokens of packed sequences computed at once",
    )
    parser.add_argument("--attention", choices=["auto", "eager", "sdpa", "flash"], default=Compute.attention)


def compute_of(given: Namespace) -> Compute:
    """What the options say."""
    return Compute(given.precision, given.gradient_checkpointing, given.micro_batch_tokens, given.attention)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(f"expected a number above 0, got {text}")
    return value
