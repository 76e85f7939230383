"""Attention within each sequence of a row: what a mask over the whole row would throw away is not computed."""

import torch
from torch import Tensor, nn
from torch.nn.attention.varlen import varlen_attn
from transformers import AttentionInterface, PretrainedConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from seamstream_torch.errors import EngineError

BY_SEQUENCE = "sdpa_by_sequence"
# Without the word by which transformers knows flash attention of its own: it would look for kernels to install.
FLASH = "varlen_by_sequence"
# Which the two above are: they take sequence_lengths and sequence_starts.
OWN = (BY_SEQUENCE, FLASH)
# Of a head: the kernels of PyTorch's flash attention end there, and take steps of 8.
FLASH_DIMENSION, FLASH_STEP = 256, 8


def implementation_of(attention: str, config: PretrainedConfig, precision: str, device: torch.device) -> str:
    """The name by which transformers knows the attention that is chosen.

    `auto` is flash attention where it can be, else `sdpa`. A layer that attends to a window needs its mask, which
    sdpa of transformers has. Raises INVALID_CONFIGURATION where flash attention is asked for and cannot be.
    """
    kinds = getattr(config, "layer_types", None)
    has_window = getattr(config, "sliding_window", None) is not None
    is_whole = all(kind == "full_attention" for kind in kinds) if kinds else not has_window
    dimension = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    is_on_gpu = device.type == "cuda" and precision == "bfloat16"
    can_flash = is_whole and is_on_gpu and dimension <= FLASH_DIMENSION and dimension % FLASH_STEP == 0
    if attention == "flash" and not can_flash:
        windows = "no windows" if is_whole else "windows"
        raise EngineError(
            "INVALID_CONFIGURATION",
            "Cannot use flash attention: expected a graphics processor, --precision bfloat16, layers without windows "
            f"and heads of at most {FLASH_DIMENSION} in steps of {FLASH_STEP}, "
            f"got {device.type}, {precision}, {windows} and {dimension}. Leave --attention out.",
        )
    if attention == "flash" or (attention == "auto" and can_flash):
        return FLASH
    if attention == "eager":
        return attention
    return BY_SEQUENCE if is_whole else "sdpa"


def _by_sequence(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    sequence_lengths: list[int],
    sequence_starts: Tensor,
    **options: object,
) -> tuple[Tensor, None]:
    """query [1, H, T, D]; key and value [1, K, T, D]; Σ sequence_lengths = T.

    transformers makes no mask for an attention that it does not know.
    """
    parts = zip(*(tensor.split(sequence_lengths, dim=2) for tensor in (query, key, value)), strict=True)
    return torch.cat([sdpa_attention_forward(module, *part, None, **options)[0] for part in parts], dim=1), None


def _flash(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    sequence_lengths: list[int],
    sequence_starts: Tensor,
    scaling: float | None = None,
    **options: object,
) -> tuple[Tensor, None]:
    """As _by_sequence, all sequences by one kernel.

    sequence_starts [S + 1], int32: how many tokens lie before each sequence, and T.
    """
    times = query.shape[1] // key.shape[1]
    rows = [query[0], key[0].repeat_interleave(times, dim=0), value[0].repeat_interleave(times, dim=0)]
    packed = [row.transpose(0, 1).to(torch.bfloat16) for row in rows]
    longest = max(sequence_lengths)
    # A window without an end to the left is causal attention.
    mixed = varlen_attn(*packed, sequence_starts, sequence_starts, longest, longest, scale=scaling, window_size=(-1, 0))
    return mixed.unsqueeze(0), None


AttentionInterface.register(BY_SEQUENCE, _by_sequence)
AttentionInterface.register(FLASH, _flash)
