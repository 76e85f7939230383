"""What transformers and peft compute on small checkpoints of every family that the engine reads, in float32 on the CPU.

Writes agreement.json beside this file. Per case: config.json as published (rotary parameters in the old or the new
spelling), logits after two prompts, 256 greedy tokens, and loss, gradients (those of the first layer,
which the whole model takes part in) and logits under a LoRA adapter. Weights are not
stored: both sides compute them by `seeded`, which yields values that float32, float16 and bfloat16 hold exactly, so
one set of expectations serves all three dtypes. Also: rotary frequencies of published configurations at full size.

    python3 -m venv venv && venv/bin/pip install torch transformers peft && venv/bin/python test/golden/make-agreement.py [CASE…]
"""
import itertools, json, pathlib, sys, tempfile
import numpy, peft, torch, transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from seeded import pack, seeded, tokens
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

HERE = pathlib.Path(__file__).parent
SIZES = dict(vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=512, hidden_act="silu")
LLAMA = dict(SIZES, model_type="llama", architectures=["LlamaForCausalLM"], rms_norm_eps=1e-5)
QWEN2 = dict(SIZES, model_type="qwen2", architectures=["Qwen2ForCausalLM"], rms_norm_eps=1e-6, use_sliding_window=False,
             sliding_window=128, max_window_layers=1)
QWEN3 = dict(SIZES, model_type="qwen3", architectures=["Qwen3ForCausalLM"], rms_norm_eps=1e-6, head_dim=16, attention_bias=False)
MISTRAL = dict(SIZES, model_type="mistral", architectures=["MistralForCausalLM"], rms_norm_eps=1e-5, head_dim=16)
SMOLLM3 = dict(SIZES, model_type="smollm3", architectures=["SmolLM3ForCausalLM"], rms_norm_eps=1e-6, num_hidden_layers=4, use_sliding_window=False,
               sliding_window=None, attention_bias=False, mlp_bias=False, rope_scaling=None)
PHI3 = dict(SIZES, model_type="phi3", architectures=["Phi3ForCausalLM"], rms_norm_eps=1e-5, attention_bias=False, embd_pdrop=0.0, resid_pdrop=0.0)
GEMMA = dict(SIZES, rms_norm_eps=1e-6, head_dim=16, hidden_activation="gelu_pytorch_tanh", attention_bias=False, use_cache=True)
GEMMA2 = dict(GEMMA, model_type="gemma2", architectures=["Gemma2ForCausalLM"], query_pre_attn_scalar=24, sliding_window=300, cache_implementation="hybrid")
GEMMA3 = dict(GEMMA, model_type="gemma3_text", architectures=["Gemma3ForCausalLM"], query_pre_attn_scalar=16, sliding_window=300,
              rope_theta=1000000.0, rope_local_base_freq=10000.0, attn_logit_softcapping=None, final_logit_softcapping=None)
TIED, UNTIED = dict(tie_word_embeddings=True), dict(tie_word_embeddings=False)
# Scalings begin early enough that the prompts of 200 and 272 tokens feel them.
CASES = {
    "llama": dict(LLAMA, **TIED, rope_theta=10000.0),
    "llama, untied, attention_bias": dict(LLAMA, **UNTIED, rope_theta=10000.0, attention_bias=True),
    "llama, linear": dict(LLAMA, **UNTIED, rope_theta=10000.0, rope_scaling={"type": "linear", "factor": 4.0}),
    "llama, dynamic": dict(LLAMA, **TIED, rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}),
    "llama, llama3": dict(LLAMA, **TIED, rope_theta=500000.0, rope_scaling={
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}),
    "llama, yarn": dict(LLAMA, **UNTIED, rope_parameters={
        "rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "original_max_position_embeddings": 64, "attention_factor": 1.25,
        "beta_fast": 16.0, "beta_slow": 2.0}),
    "qwen2": dict(QWEN2, **TIED, rope_theta=1000000.0),
    "qwen2, untied, yarn": dict(QWEN2, **UNTIED, rope_theta=1000000.0, max_position_embeddings=128, rope_scaling={
        "factor": 4.0, "original_max_position_embeddings": 128, "type": "yarn"}),
    "qwen3": dict(QWEN3, **TIED, rope_theta=1000000.0),
    "qwen3, untied, attention_bias": dict(QWEN3, **dict(UNTIED, attention_bias=True), rope_parameters={
        "rope_type": "default", "rope_theta": 1000000.0}),
    "mistral": dict(MISTRAL, **UNTIED, rope_theta=1000000.0, sliding_window=None),
    # A sequence that is no longer than the window: 200 tokens, and 16 with 256 behind them.
    "mistral, tied, window": dict(MISTRAL, **TIED, rope_theta=10000.0, sliding_window=300),
    "smollm3": dict(SMOLLM3, **TIED, rope_theta=2000000.0, no_rope_layer_interval=4, no_rope_layers=[1, 1, 1, 0]),
    "smollm3, untied, other layers": dict(SMOLLM3, **UNTIED, rope_theta=5000000.0, no_rope_layers=[0, 1, 0, 1]),
    "phi3, window": dict(PHI3, **UNTIED, rope_theta=10000.0, rope_scaling=None, sliding_window=300, original_max_position_embeddings=512),
    "phi3, tied, longrope of a part of each head": dict(PHI3, **TIED, rope_theta=10000.0, partial_rotary_factor=0.75, sliding_window=262144,
        original_max_position_embeddings=320, rope_scaling={"type": "longrope", "short_factor": [1.0, 1.25, 1.5], "long_factor": [1.0, 4.0, 16.0]}),
    "gemma2": dict(GEMMA2, **UNTIED, rope_theta=10000.0, attn_logit_softcapping=5.0, final_logit_softcapping=20.0),
    "gemma3": dict(GEMMA3, **UNTIED, num_hidden_layers=4, sliding_window_pattern=3),
    "gemma3, linear, layer_types": dict(GEMMA3, **TIED, rope_scaling={"factor": 8.0, "rope_type": "linear"}, layer_types=["full_attention", "sliding_attention"]),
}
LORA = dict(r=2, lora_alpha=6, target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])
# Where q, k and v are stored in one matrix, and gate and up.
FUSED = dict(LORA, target_modules=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"])
NEW_TOKENS = 256
# Where the two best logits of a step are nearer than this, the rounding of sums could choose: another prompt is taken.
LEAST_GAP = 2e-3
# Published configurations whose angles are compared at full size.
ROTARY = {
    "Llama-3.1-8B": dict(hidden_size=4096, num_attention_heads=32, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling={
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}),
    "Llama-3.2-1B": dict(hidden_size=2048, num_attention_heads=32, head_dim=64, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling={
        "factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}),
    "llama3 with other bounds": dict(hidden_size=512, num_attention_heads=8, max_position_embeddings=8192, rope_theta=10000.0, rope_scaling={
        "rope_type": "llama3", "factor": 4.0, "low_freq_factor": 2.0, "high_freq_factor": 6.0, "original_max_position_embeddings": 1024}),
    "Qwen2.5-7B-Instruct to 131,072 positions": dict(hidden_size=3584, num_attention_heads=28, max_position_embeddings=32768, rope_theta=1000000.0,
        rope_scaling={"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"}),
    "DeepSeek's yarn fields": dict(hidden_size=1024, num_attention_heads=16, max_position_embeddings=163840, rope_theta=10000.0, rope_scaling={
        "beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 0.8, "original_max_position_embeddings": 4096, "type": "yarn"}),
    "yarn without whole dimensions": dict(hidden_size=512, num_attention_heads=8, max_position_embeddings=8192, rope_theta=10000.0, rope_scaling={
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048, "truncate": False}),
    "vicuna-7b-v1.5-16k": dict(hidden_size=4096, num_attention_heads=32, max_position_embeddings=4096, rope_scaling={"factor": 4.0, "type": "linear"}),
}


def largest(got, expected):
    return float((got.float() - expected).abs().max())


def make(name, raw):
    folder = pathlib.Path(tempfile.mkdtemp())
    raw = {**raw, "bos_token_id": None, "eos_token_id": None}
    if raw["model_type"] not in ("llama", "qwen2", "qwen3"):
        raw["pad_token_id"] = None  # the others' default lies outside of so small a vocabulary
    (folder / "config.json").write_text(json.dumps(raw))
    skeleton = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    state = {k: seeded(k, v.shape) for k, v in skeleton.state_dict().items() if not (raw["tie_word_embeddings"] and k == "lm_head.weight")}
    save_file(state, folder / "model.safetensors", {"format": "pt"})
    load = lambda dtype: AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager").eval()
    model = load(torch.float32)
    draw = lambda title, count: tokens(f"{name}: {title}", count, raw["vocab_size"])
    prompts = [draw("short", 9), draw("long", 200)]
    last = lambda m: torch.stack([m(torch.tensor([ids])).logits[0, -1] for ids in prompts])
    with torch.no_grad():
        logits = last(model)
        for attempt in itertools.count():
            prompt = torch.tensor([draw(f"greedy {attempt}", 16)])
            greedy = model.generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=NEW_TOKENS, return_dict_in_generate=True, output_logits=True)
            top = torch.cat(greedy.logits).topk(2, -1).values
            gap = float((top[:, 0] - top[:, 1]).min())
            if gap >= LEAST_GAP:
                break
        native = {str(d).removeprefix("torch."): largest(last(load(d)), logits) / float(logits.abs().max()) for d in (torch.bfloat16, torch.float16)}
    adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **(FUSED if raw["model_type"] == "phi3" else LORA)))
    plain = lambda k: k.removeprefix("base_model.model.").replace(".default", "")
    factors = {plain(k): p for k, p in adapted.named_parameters() if p.requires_grad}
    with torch.no_grad():
        for k, p in factors.items():
            p.copy_(seeded(k, p.shape) / 4)
    ids = torch.tensor([prompts[1]])
    loss = torch.nn.functional.cross_entropy(adapted(ids).logits[0, :-1], ids[0, 1:])
    loss.backward()
    with torch.no_grad():
        adapted_logits = last(adapted)
    generated = greedy.sequences[0, prompt.shape[1]:].tolist()
    print(f"{name}: {len(set(generated))} different tokens, least gap {gap:.4f}, largest logit {float(logits.abs().max()):.1f}, native {native}")
    return {"config": raw, "prompts": prompts, "logits": [pack(row) for row in logits],
            "greedy": {"prompt": prompt[0].tolist(), "tokens": generated, "leastGap": gap}, "nativeDistance": native,
            "lora": {"loss": loss.item(), "logits": [pack(row) for row in adapted_logits], "gradients": {k: pack(p.grad) for k, p in factors.items() if ".layers.0." in k}}}


def rotary(raw):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "config.json").write_text(json.dumps({**raw, "model_type": "llama"}))
        embedding = LlamaRotaryEmbedding(AutoConfig.from_pretrained(folder))
    return {"config": raw, "frequencies": pack(embedding.inv_freq), "attentionFactor": embedding.attention_scaling}


# Names of cases on the command line: only these are made again.
kept = json.loads((HERE / "agreement.json").read_text())["cases"] if sys.argv[1:] else {}
cases = {name: kept[name] if sys.argv[1:] and name not in sys.argv[1:] else make(name, raw) for name, raw in CASES.items()}
(HERE / "agreement.json").write_text(json.dumps({
    "versions": {m.__name__: m.__version__ for m in (torch, transformers, peft, numpy)},
    "lora": LORA, "cases": cases, "rotary": {name: rotary(raw) for name, raw in ROTARY.items()},
}, separators=(",", ":")) + "\n")
