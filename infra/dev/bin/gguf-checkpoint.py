"""Writes a Hugging Face folder of a Llama checkpoint in GGUF: python3 gguf-checkpoint.py FILE.gguf FOLDER

Weights are widened to float32; tensors and tokenizer are those that transformers 5 makes of the same file (AutoModelForCausalLM
and AutoTokenizer with gguf_file=…), without PyTorch. Packages: gguf, numpy.
"""
import json
import pathlib
import struct
import sys

import gguf
import numpy as np

source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
reader = gguf.GGUFReader(source)


def field(name):
    return reader.fields[name].contents()


assert field("general.architecture") == "llama" and field("tokenizer.ggml.model") == "gpt2", "expected a Llama with byte-level BPE"
heads, kv_heads = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
hidden = field("llama.embedding_length")

# ── Weights ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
OUTER = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight", "output.weight": "lm_head.weight"}


def unpermuted(weights, count):
    """llama.cpp keeps the two halves of each head's rotary pairs interleaved; Hugging Face keeps them behind each other."""
    return weights.reshape(count, weights.shape[0] // count // 2, 2, -1).swapaxes(1, 2).reshape(weights.shape)


def named(tensor):
    if tensor.name in OUTER:
        return OUTER[tensor.name]
    _, layer, part, _ = tensor.name.split(".")
    return f"model.layers.{layer}.{NAMES[part]}.weight"


arrays = {}
for tensor in reader.tensors:
    weights = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
    if ".attn_q." in tensor.name or ".attn_k." in tensor.name:
        weights = unpermuted(weights, heads if ".attn_q." in tensor.name else kv_heads)
    arrays[named(tensor)] = np.ascontiguousarray(weights)

header, at = {"__metadata__": {"format": "pt"}}, 0
for name in sorted(arrays):
    header[name] = {"dtype": "F32", "shape": list(arrays[name].shape), "data_offsets": [at, at + arrays[name].nbytes]}
    at += arrays[name].nbytes
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(target / "model.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text)
    for name in sorted(arrays):
        file.write(arrays[name].tobytes())

# ── Configuration ───────────────────────────────────────────────────────────────────────────────────────────────────────────
bos, eos = field("tokenizer.ggml.bos_token_id"), field("tokenizer.ggml.eos_token_id")
tokens, types = field("tokenizer.ggml.tokens"), field("tokenizer.ggml.token_type")


def write(name, value):
    (target / name).write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


write("config.json", {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "attention_bias": False,
    "mlp_bias": False,
    "bos_token_id": bos,
    "eos_token_id": eos,
    "pad_token_id": field("tokenizer.ggml.padding_token_id"),
    "head_dim": field("llama.rope.dimension_count"),
    "hidden_act": "silu",
    "hidden_size": hidden,
    "intermediate_size": field("llama.feed_forward_length"),
    "max_position_embeddings": field("llama.context_length"),
    "num_attention_heads": heads,
    "num_hidden_layers": field("llama.block_count"),
    "num_key_value_heads": kv_heads,
    "rms_norm_eps": field("llama.attention.layer_norm_rms_epsilon"),
    "rope_theta": field("llama.rope.freq_base"),
    "tie_word_embeddings": "lm_head.weight" not in arrays,
    "torch_dtype": "float32",
    "vocab_size": len(tokens),
})
write("generation_config.json", {"bos_token_id": bos, "eos_token_id": eos})

# ── Tokenizer ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
CONTROL = 3
byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
write("tokenizer.json", {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [
        {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for id, (content, kind) in enumerate(zip(tokens, types))
        if kind == CONTROL
    ],
    "normalizer": None,
    "pre_tokenizer": byte_level,
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {},
    },
    "decoder": {**byte_level, "add_prefix_space": True},
    "model": {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: id for id, token in enumerate(tokens)},
        "merges": [merge.split(" ", 1) for merge in field("tokenizer.ggml.merges")],
    },
})
write("tokenizer_config.json", {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": tokens[bos],
    "eos_token": tokens[eos],
    "pad_token": tokens[field("tokenizer.ggml.padding_token_id")],
    "unk_token": tokens[field("tokenizer.ggml.unknown_token_id")],
    "chat_template": field("tokenizer.chat_template"),
})
