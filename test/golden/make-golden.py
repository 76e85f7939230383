"""Reference values for the model engine, computed by PyTorch and transformers in float32 on the CPU.

Writes engine-<family>.json beside this file: for a small checkpoint of each family (weights by `seeded`) and two sequences of
different length the logits, the log-likelihood loss with all gradients, one clipped AdamW step, and the clipped policy
objective (training.types.ts) under a legal-token mask with its gradients. Versions are in the files.

    python3 -m venv venv && venv/bin/pip install torch transformers && venv/bin/python test/golden/make-golden.py
"""
import json, pathlib
import numpy, torch, transformers
from seeded import pack, seeded
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config

HERE = pathlib.Path(__file__).parent
SIZES = dict(vocab_size=24, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=32, eos_token_id=0, bos_token_id=0, pad_token_id=None,
             attn_implementation="eager", use_cache=False)
CONFIGS = {
    "llama": LlamaConfig(**SIZES, tie_word_embeddings=True, rms_norm_eps=1e-5, rope_theta=10000.0),
    "qwen2": Qwen2Config(**{**SIZES, "num_key_value_heads": 4}, tie_word_embeddings=True, rms_norm_eps=1e-6, rope_theta=1000000.0),
    "qwen3": Qwen3Config(**SIZES, head_dim=8, tie_word_embeddings=False, rms_norm_eps=1e-6, rope_theta=1000000.0),
}
SEQUENCES = [[3, 17, 5, 9, 22, 1, 14, 8, 20], [7, 2, 19, 11, 4, 13]]
TARGETS = [[3, 5, 6, 8], [1, 4, 5]]
OPTIMIZER = dict(learningRate=1e-2, beta1=0.9, beta2=0.95, epsilon=1e-8, weightDecay=0.1, clipNorm=0.5)
# Of some results, these tensors stand for all.
SAMPLED = ["model.embed_tokens.weight", "model.layers.0.self_attn.k_proj.weight", "model.layers.1.mlp.gate_proj.weight", "model.norm.weight"]
POLICY = dict(kind="clipped-policy-gradient", clipLow=0.2, clipHigh=0.28, klCoefficient=0.05, entropyCoefficient=0.01)


def tensors_of(named):
    return {name: {"shape": list(t.shape), "data": pack(t)} for name, t in named}


def log_softmax_rows(model, legal=None):
    """ln pi of all tokens at the position before each target, one row per target."""
    rows = []
    for ids, targets in zip(SEQUENCES, TARGETS):
        logits = model(torch.tensor([ids])).logits[0]
        rows.append(logits[torch.tensor(targets) - 1])
    logits = torch.cat(rows)
    if legal is not None:
        logits = logits.masked_fill(~legal, -1e9)
    return torch.log_softmax(logits, -1)


def make(family, config):
    torch.manual_seed(7)
    model = AutoModelForCausalLM.from_config(config).float().train()
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(seeded(name, p.shape))
    chosen = torch.tensor([ids[t] for ids, ts in zip(SEQUENCES, TARGETS) for t in ts])
    count = len(chosen)
    start = {k: v.detach().clone() for k, v in model.named_parameters()}
    out = {
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__, "numpy": numpy.__version__},
        "config": json.loads(config.to_json_string()),
        "sequences": SEQUENCES, "targets": TARGETS,
    }
    with torch.no_grad():
        out["lastLogits"] = [model(torch.tensor([ids])).logits[0, -1].tolist() for ids in SEQUENCES]

    # The plain objective and one AdamW step; decay for matrices only.
    weights = torch.linspace(0.05, 0.25, count)
    loss = (weights * -log_softmax_rows(model)[torch.arange(count), chosen]).sum()
    loss.backward()
    gradients = {k: p.grad.clone() for k, p in model.named_parameters()}
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    adamw = torch.optim.AdamW([{"params": matrices, "weight_decay": OPTIMIZER["weightDecay"]}, {"params": vectors, "weight_decay": 0.0}],
                              lr=OPTIMIZER["learningRate"], betas=(OPTIMIZER["beta1"], OPTIMIZER["beta2"]), eps=OPTIMIZER["epsilon"])
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), OPTIMIZER["clipNorm"])
    adamw.step()
    out["likelihood"] = {"weights": weights.tolist(), "loss": loss.item(), "gradients": tensors_of(gradients.items()),
                         "optimizer": OPTIMIZER, "gradientNorm": norm.item(), "afterStep": tensors_of((k, p) for k, p in model.named_parameters() if k in SAMPLED)}

    # The policy objective under a legal-token mask, from the first weights again.
    with torch.no_grad():
        for k, p in model.named_parameters():
            p.copy_(start[k])
            p.grad = None
    legal = torch.rand(count, config.vocab_size) < 0.4
    legal[torch.arange(count), chosen] = True
    with torch.no_grad():
        now = log_softmax_rows(model, legal)[torch.arange(count), chosen]
    policy = {"advantages": torch.randn(count), "proximalLogProbs": now + 0.4 * torch.randn(count),
              "importanceWeights": 0.5 + torch.rand(count), "referenceLogProbs": now + 0.3 * torch.randn(count)}
    rows = log_softmax_rows(model, legal)
    lp = rows[torch.arange(count), chosen]
    ratio = torch.exp(lp - policy["proximalLogProbs"])
    plain, clipped = ratio * policy["advantages"], ratio.clamp(1 - POLICY["clipLow"], 1 + POLICY["clipHigh"]) * policy["advantages"]
    d = policy["referenceLogProbs"] - lp
    k3 = torch.exp(d) - d - 1
    entropy = -(rows.exp() * rows.masked_fill(~legal, 0)).sum(-1)
    loss = (weights * (-policy["importanceWeights"] * torch.minimum(plain, clipped) + POLICY["klCoefficient"] * k3
                       - POLICY["entropyCoefficient"] * entropy)).sum()
    loss.backward()
    mean = lambda x: ((weights * x).sum() / weights.sum()).item()
    out["policy"] = {"objective": POLICY, "weights": weights.tolist(), "legal": legal.int().tolist(), "loss": loss.item(),
                     **{k: v.tolist() for k, v in policy.items()},
                     "klNats": mean(k3), "entropyNats": mean(entropy), "clippedRatio": mean((plain > clipped).float()),
                     "gradients": tensors_of((k, p.grad) for k, p in model.named_parameters() if k in SAMPLED)}
    (HERE / f"engine-{family}.json").write_text(json.dumps(out, indent=None, separators=(",", ":")) + "\n")


for family, config in CONFIGS.items():
    make(family, config)
