"""Which attention computes a row."""

import pytest
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

from seamstream_torch.attention import BY_SEQUENCE, FLASH, OWN, implementation_of
from seamstream_torch.errors import EngineError

CPU, GPU = torch.device("cpu"), torch.device("cuda")
WHOLE = LlamaConfig(hidden_size=128, num_attention_heads=2)
WIDE = LlamaConfig(hidden_size=1024, num_attention_heads=2, head_dim=512)
UNEVEN = LlamaConfig(hidden_size=128, num_attention_heads=2, head_dim=60)
WINDOWED = Qwen2Config(num_hidden_layers=2, use_sliding_window=True, sliding_window=8, max_window_layers=0)


@pytest.mark.parametrize(
    ("attention", "config", "precision", "device", "expected"),
    [
        ("auto", WHOLE, "bfloat16", GPU, FLASH),
        ("flash", WHOLE, "bfloat16", GPU, FLASH),
        ("auto", WHOLE, "float32", GPU, BY_SEQUENCE),
        ("auto", WHOLE, "bfloat16", CPU, BY_SEQUENCE),
        ("auto", WIDE, "bfloat16", GPU, BY_SEQUENCE),
        ("auto", UNEVEN, "bfloat16", GPU, BY_SEQUENCE),
        ("auto", WINDOWED, "bfloat16", GPU, "sdpa"),
        ("sdpa", WHOLE, "bfloat16", GPU, BY_SEQUENCE),
        ("eager", WHOLE, "bfloat16", GPU, "eager"),
    ],
)
def test_the_fastest_attention_that_can_be_is_taken(
    attention: str, config: LlamaConfig, precision: str, device: torch.device, expected: str
) -> None:
    """A layer with a window needs a mask, which only transformers' own attention has."""
    assert implementation_of(attention, config, precision, device) == expected


@pytest.mark.parametrize(
    ("config", "precision", "device", "got"),
    [
        (WHOLE, "bfloat16", CPU, "got cpu, bfloat16, no windows and 64"),
        (WHOLE, "float32", GPU, "got cuda, float32, no windows and 64"),
        (WINDOWED, "bfloat16", GPU, "got cuda, bfloat16, windows and 128"),
        (WIDE, "bfloat16", GPU, "got cuda, bfloat16, no windows and 512"),
        (UNEVEN, "bfloat16", GPU, "got cuda, bfloat16, no windows and 60"),
    ],
)
def test_flash_attention_that_cannot_be_is_refused(
    config: LlamaConfig, precision: str, device: torch.device, got: str
) -> None:
    """With all that it needs and all that is there."""
    with pytest.raises(EngineError, match=got) as refused:
        implementation_of("flash", config, precision, device)
    assert refused.value.code == "INVALID_CONFIGURATION"


@pytest.mark.parametrize("name", OWN)
def test_transformers_makes_a_model_with_it(name: str) -> None:
    """It takes some names for packages of others, which it then looks for, here and on processors without flash."""
    config = LlamaConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, vocab_size=64
    )
    made = AutoModelForCausalLM.from_config(config, attn_implementation=name)
    assert made.config._attn_implementation == name
