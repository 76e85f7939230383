"""Serves a model by llama.cpp's server: OpenAI's chat completions.

serve-checkpoint.py FOLDER_OR_FILE.gguf PORT NAME; who asks has to bring the key in SERVED_KEY

A file in GGUF is served as it is, with its chat template.

A folder is served in single precision. It is one of the family qwen2 with model.safetensors in F32 and a byte-level tokenizer.json, as the tests make them; llama.cpp wants its own format, into which it is converted here. The chat template puts the messages after one another.
"""

import json
import os
import signal
import sys
from pathlib import Path

import gguf
import numpy
import xllamacpp

GGUF_CONTEXT = 4096  # tokens of each of two requests at a time

PER_LAYER = {
    "input_layernorm.weight": "attn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.q_proj.bias": "attn_q.bias",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.k_proj.bias": "attn_k.bias",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.v_proj.bias": "attn_v.bias",
    "self_attn.o_proj.weight": "attn_output.weight",
    "post_attention_layernorm.weight": "ffn_norm.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
}
OVERALL = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}


def tensors_of(path):
    """name -> array, of a safetensors file in F32."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        assert entry["dtype"] == "F32", f"{name} is {entry['dtype']}"
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        yield name, numpy.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])


def name_of(name):
    if name in OVERALL:
        return OVERALL[name]
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{PER_LAYER[rest]}"


def convert(folder, target, name):
    config = json.loads((folder / "config.json").read_text())
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    special = {token["id"] for token in tokenizer["added_tokens"]}
    ids = dict(tokenizer["model"]["vocab"]) | {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    texts = {number: text for text, number in ids.items()}
    tokens = [texts.get(number, f"[unused{number}]") for number in range(config["vocab_size"])]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]

    writer = gguf.GGUFWriter(target, "qwen2")
    writer.add_name(name)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config.get("head_dim", config["hidden_size"] // config["num_attention_heads"]))
    writer.add_value_length(config.get("head_dim", config["hidden_size"] // config["num_attention_heads"]))
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [
            gguf.TokenType.CONTROL if number in special
            else gguf.TokenType.NORMAL if number in texts
            else gguf.TokenType.UNUSED
            for number in range(len(tokens))
        ]
    )
    writer.add_token_merges(merges)
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_add_bos_token(False)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}{% endfor %}")
    for tensor, values in tensors_of(folder / "model.safetensors"):
        writer.add_tensor(name_of(tensor), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return config["max_position_embeddings"]


def main():
    folder, port, name = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    is_whole = folder.suffix == ".gguf"
    target = folder if is_whole else Path("model.gguf")  # in the working folder, which goes with the server
    context = GGUF_CONTEXT if is_whole else convert(folder, target, name)
    params = xllamacpp.CommonParams()
    params.model.path = str(target)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 2 * context
    params.n_parallel = 2
    params.api_keys = [os.environ["SERVED_KEY"]]
    params.cpuparams.n_threads = 1 if is_whole else 2
    if not is_whole:
        params.cache_type_k = xllamacpp.ggml_type.GGML_TYPE_F32
        params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print("serving", server.listening_address, flush=True)
    signal.pause()


main()
