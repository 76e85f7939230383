"""The other side of large-model.bench.mjs: transformers and peft, a JSON line per job in, a JSON line per result out.

    pip install torch transformers peft     (the versions are printed into the report)
"""
import json
import os
import sys
import time

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

torch.set_num_threads(int(os.environ.get("THREADS", "2")))
transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
state = {}


def peak_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def make(folder, shape):
    """A random checkpoint in the shape of Qwen2.5, of 32-bit floats."""
    torch.manual_seed(1)
    config = Qwen2Config(
        vocab_size=151936, tie_word_embeddings=True, max_position_embeddings=32768, rms_norm_eps=1e-6,
        rope_theta=1e6, bos_token_id=151643, eos_token_id=151645, **shape,
    )
    model = Qwen2ForCausalLM(config)
    model.save_pretrained(folder)
    return {"parameters": sum(parameter.numel() for parameter in model.parameters())}


def first_token(folder, prompt):
    # A model without its tokenizer answers nobody: both sides read it.
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(folder, "tokenizer.json"))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    with torch.inference_mode():
        model(torch.tensor([prompt]), logits_to_keep=1, use_cache=True).logits.argmax()
    state.update(model=model, tokenizer=tokenizer)
    return {}


def sample(prompt, candidates, new_tokens):
    with torch.inference_mode():
        out = state["model"].generate(
            torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.long), do_sample=True,
            temperature=1.0, top_k=0, top_p=1.0, num_return_sequences=candidates, max_new_tokens=new_tokens,
            min_new_tokens=new_tokens, pad_token_id=0,
        )
    return {"tokens": (out.shape[1] - len(prompt)) * candidates}


def start_training(folder, rank):
    from peft import LoraConfig, get_peft_model

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    modules = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    model = get_peft_model(model, LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=modules))
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    state.update(model=model, optimizer=torch.optim.AdamW(trained, lr=1e-4), trained=trained)
    return {}


def train(sequences, prompt_length):
    tokens = torch.tensor(sequences)
    labels = tokens.clone()
    labels[:, :prompt_length] = -100
    state["optimizer"].zero_grad(set_to_none=True)
    loss = state["model"](tokens, labels=labels, use_cache=False).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(state["trained"], 1.0)
    state["optimizer"].step()
    return {"loss": loss.item()}


JOBS = {job.__name__: job for job in (make, first_token, sample, start_training, train)}
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    begun, used = time.perf_counter(), time.process_time()
    result = JOBS[request.pop("job")](**request)
    milliseconds = (time.perf_counter() - begun) * 1000
    cpu = (time.process_time() - used) * 1000
    print(json.dumps({**result, "ms": milliseconds, "cpuMs": cpu, "peakKb": peak_kb()}), flush=True)
