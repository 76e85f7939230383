"""Safetensors files whose bytes follow from their content."""

import json

from safetensors.torch import save
from torch import Tensor


def tensor_file(tensors: dict[str, Tensor], metadata: dict[str, str]) -> tuple[bytes, memoryview]:
    """A safetensors file in two parts.

    Equal content gives equal bytes: safetensors itself writes metadata in any order.
    """
    written = save(tensors, metadata)
    size = int.from_bytes(written[:8], "little")
    header = json.loads(written[8 : 8 + size])
    ordered = {"__metadata__": dict(sorted(metadata.items())), **{k: header[k] for k in sorted(header) if k in tensors}}
    text = json.dumps(ordered, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    # Not joined: a state of full training would be in memory once more.
    return len(text).to_bytes(8, "little") + text, memoryview(written)[8 + size :]
