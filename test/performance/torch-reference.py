"""Both sides of torch.bench.mjs in one process: engines/torch, and the loop that one writes by hand with peft.

A JSON line per job in, a JSON line per result out: {"folder"} -> milliseconds and losses of each side.
"""
import json
import os
import sys
import time
from pathlib import Path

import torch
import transformers
from peft import LoraConfig, get_peft_model
from seamstream_torch.compute import Compute
from seamstream_torch.contract import open_job, read_steps
from seamstream_torch.model import contract_name, load_model
from seamstream_torch.processes import processes
from seamstream_torch.results import identity
from seamstream_torch.training import train
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

torch.set_num_threads(int(os.environ.get("THREADS", "2")))
transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


class ByHand:
    """Batches are padded, transformers computes the loss, peft has the factors."""

    def __init__(self, model: Path, job_folder: Path, job) -> None:
        settings = job.trainable
        base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
        lora = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=settings.targetModules)
        self.model = get_peft_model(base, lora).train()
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        start = load_file(job_folder / job.start.path)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if parameter.requires_grad:
                    parameter.copy_(start[contract_name(name)])

    def train(self, job, batches) -> list[float]:
        """A job begins without moments, as the engine's do."""
        optimizer = job.optimizer
        self.clip = optimizer.clipNorm
        self.optimizer = torch.optim.AdamW(
            self.trained,
            lr=job.learningRates[0],
            betas=(optimizer.beta1, optimizer.beta2),
            eps=optimizer.epsilon,
            weight_decay=optimizer.weightDecay,
        )
        return [self.step(sequences) for sequences in batches]

    def step(self, sequences) -> float:
        longest = max(len(each.tokenIds) for each in sequences)
        tokens = torch.zeros(len(sequences), longest, dtype=torch.long)
        mask = torch.zeros_like(tokens)
        labels = torch.full_like(tokens, -100)
        for row, each in enumerate(sequences):
            ids, first = torch.tensor(each.tokenIds), each.targets[0]
            tokens[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
            labels[row, first : len(ids)] = ids[first:]
        # As everyone leaves it out who has nothing to pad: attention is then causal and nothing else.
        padding = {} if bool(mask.all()) else {"attention_mask": mask}
        loss = self.model(tokens, labels=labels, use_cache=False, **padding).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, self.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()


def measured(work) -> dict:
    begun, used = time.perf_counter(), time.process_time()
    losses = work()
    ms, cpu_ms = (time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000
    return {"ms": ms, "cpuMs": cpu_ms, "losses": losses}


model_folder = Path(sys.argv[1])
versions = {"torch": torch.__version__, "transformers": transformers.__version__}
print(json.dumps(versions), flush=True)
with processes() as alone:
    compute = Compute()
    ours = by_hand = None
    for line in sys.stdin:
        folder = Path(json.loads(line)["folder"])
        job = open_job(folder, model_folder)
        ours = ours or load_model(model_folder, folder, job, compute, alone)
        by_hand = by_hand or ByHand(model_folder, folder, job)
        batches = list(read_steps(folder, job, first=0))

        def train_by_engine() -> list[float]:
            return [figures["loss"] for figures in train(folder, job, compute, identity(compute, alone), ours, alone)]

        def train_by_hand() -> list[float]:
            return by_hand.train(job, batches)

        # By turns: who is second finds warm caches.
        sides = [("ours", train_by_engine), ("theirs", train_by_hand)]
        results = {name: measured(work) for name, work in (sides if job.runId.endswith("even") else sides[::-1])}
        print(json.dumps(results), flush=True)
