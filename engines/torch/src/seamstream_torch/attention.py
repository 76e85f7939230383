"""Attention within each sequence of a row: what a mask over the whole row would throw away is not computed."""

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PretrainedConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward

BY_SEQUENCE = "sdpa_by_sequence"


def implementation_of(attention: str, config: PretrainedConfig) -> str:
    """The name by which transformers knows the attention that is chosen.

    A layer that attends to a window needs its mask.
    """
    kinds = getattr(config, "layer_types", None)
    has_window = getattr(config, "sliding_window", None) is not None
    is_whole = all(kind == "full_attention" for kind in kinds) if kinds else not has_window
    return BY_SEQUENCE if attention == "sdpa" and is_whole else attention


def _by_sequence(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    sequence_lengths: list[int],
    **options: object,
) -> tuple[Tensor, None]:
    """query [1, H, T, D]; key and value [1, K, T, D]; Σ sequence_lengths = T.

    transformers makes no mask for an attention that it does not know.
    """
    parts = zip(*(tensor.split(sequence_lengths, dim=2) for tensor in (query, key, value)), strict=True)
    return torch.cat([sdpa_attention_forward(module, *part, None, **options)[0] for part in parts], dim=1), None


AttentionInterface.register(BY_SEQUENCE, _by_sequence)
