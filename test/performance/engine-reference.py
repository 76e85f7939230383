"""The yardstick of engine.bench.mjs: the same model, weights, batch and optimizer in PyTorch.

Reads commands from stdin, one JSON per line, and answers each with one JSON line:
{"folder", "task": "train" | "sample", "tokens": [[...]], "newTokens"} -> {"ms"}.
Written as a user of PyTorch who cares for speed would: scaled_dot_product_attention, fused AdamW, a preallocated KV cache.
"""
import json, os, struct, sys, time
import torch, torch.nn.functional as F

torch.set_num_threads(int(os.environ.get("THREADS", "2")))


def read_safetensors(path):
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    header.pop("__metadata__", None)
    return {k: torch.frombuffer(bytearray(raw[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]]), dtype=torch.float32).view(v["shape"]).clone()
            for k, v in header.items()}


class Model:
    def __init__(self, folder):
        self.c = json.load(open(f"{folder}/config.json"))
        self.w = {k: v.requires_grad_() for k, v in read_safetensors(f"{folder}/model.safetensors").items()}
        hd, n = self.c["head_dim"], self.c["max_position_embeddings"]
        angles = torch.outer(torch.arange(n).float(), 1.0 / self.c.get("rope_theta", 10000.0) ** (torch.arange(0, hd, 2).float() / hd))
        self.cos, self.sin = torch.cat([angles, angles], -1).cos(), torch.cat([angles, angles], -1).sin()
        matrices = [p for p in self.w.values() if p.dim() > 1]
        vectors = [p for p in self.w.values() if p.dim() == 1]
        self.optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}], lr=1e-4, betas=(0.9, 0.95), fused=True)

    def hidden(self, tokens, start=0, cache=None):
        c, w = self.c, self.w
        B, T = tokens.shape
        H, K, hd, eps = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"], c["rms_norm_eps"]
        cos, sin = self.cos[start:start + T], self.sin[start:start + T]
        rotate = lambda x: x * cos + torch.cat([-x[..., hd // 2:], x[..., :hd // 2]], -1) * sin
        x = F.embedding(tokens, w["model.embed_tokens.weight"])
        for i in range(c["num_hidden_layers"]):
            at = f"model.layers.{i}."
            y = F.rms_norm(x, x.shape[-1:], w[at + "input_layernorm.weight"], eps)
            q, k, v = (F.linear(y, w[f"{at}self_attn.{n}_proj.weight"]).view(B, T, h, hd).transpose(1, 2) for n, h in (("q", H), ("k", K), ("v", K)))
            q, k = rotate(q), rotate(k)
            if cache is not None:
                cache[i][0][:, :, start:start + T], cache[i][1][:, :, start:start + T] = k, v
                k, v = cache[i][0][:, :, :start + T], cache[i][1][:, :, :start + T]
            o = F.scaled_dot_product_attention(q, k, v, is_causal=T > 1, enable_gqa=H != K)
            x = x + F.linear(o.transpose(1, 2).reshape(B, T, H * hd), w[at + "self_attn.o_proj.weight"])
            y = F.rms_norm(x, x.shape[-1:], w[at + "post_attention_layernorm.weight"], eps)
            x = x + F.linear(F.silu(F.linear(y, w[at + "mlp.gate_proj.weight"])) * F.linear(y, w[at + "mlp.up_proj.weight"]), w[at + "mlp.down_proj.weight"])
        return F.rms_norm(x, x.shape[-1:], w["model.norm.weight"], eps)

    def train(self, tokens):
        logits = F.linear(self.hidden(tokens)[:, :-1], self.w["model.embed_tokens.weight"])
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.w.values(), 1.0)
        self.optimizer.step()
        return loss.item()

    @torch.inference_mode()
    def sample(self, tokens, new):
        c = self.c
        B, T = tokens.shape
        shape = (B, c["num_key_value_heads"], T + new, c["head_dim"])
        cache = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(c["num_hidden_layers"])]
        x, start, out, scores = tokens, 0, [], []
        for _ in range(new):
            logp = torch.log_softmax(F.linear(self.hidden(x, start, cache)[:, -1], self.w["model.embed_tokens.weight"]), -1)
            start += x.shape[1]
            x = torch.multinomial(logp.exp(), 1)
            out.append(x)
            scores.append(logp.gather(1, x))
        return torch.cat(out, 1).tolist(), torch.cat(scores, 1).tolist()


models = {}
print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    if job["folder"] not in models:
        models = {job["folder"]: Model(job["folder"])}
    model, tokens, answer = models[job["folder"]], torch.tensor(job["tokens"]), {}
    begun = time.perf_counter()
    if job["task"] == "train":
        answer["loss"] = model.train(tokens)
    else:
        model.sample(tokens, job["newTokens"])
    answer["ms"] = (time.perf_counter() - begun) * 1000
    print(json.dumps(answer), flush=True)
