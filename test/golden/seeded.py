"""Weights and token ids that both sides of a golden test compute instead of storing them; see golden-model.fake.ts."""
import base64, math
import numpy, torch


def hashes(name, count):
    """32 bits for each index of a named sequence: FNV-1a of the name, a Weyl step per index, murmur3's finalizer."""
    start = 2166136261
    for byte in name.encode():
        start = (start ^ byte) * 16777619 & 0xFFFFFFFF
    x = (numpy.arange(count, dtype=numpy.uint64) * 0x9E3779B9 + start) & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = ((x ^ (x >> shift)) * factor) & 0xFFFFFFFF
    return (x ^ (x >> 16)).astype(numpy.int64)


def seeded(name, shape):
    """Multiples of a power of two with seven bits: around 1 for norms, uniform with the usual spread elsewhere."""
    steps = (hashes(name, math.prod(shape)) >> 25) - 64  # -64 ... 63
    if "norm" in name:
        values = 1 + steps / 128
    elif "embed_tokens" in name or "lm_head" in name:
        values = steps / 64
    else:
        values = steps / (256 if "bias" in name else 128)
    return torch.tensor(values, dtype=torch.float32).reshape(shape)


def tokens(name, count, vocabulary):
    return [int(value) for value in hashes(name, count) % vocabulary]


def pack(tensor):
    return base64.b64encode(tensor.detach().contiguous().numpy().astype("<f4").tobytes()).decode()
