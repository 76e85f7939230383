"""An inner update by PyTorch, transformers and peft: python3 inner_update_reference.py JOB.json

JOB: { folder, adapter, settings, planned, batches, threads }: the base model's folder, the folder of the first LoRA weights in PEFT's form
(null: PEFT's own first weights), the settings of libs/inner-update, the steps of the schedule, and of each step its documents as token
ids. All tokens but the first of each document carry loss. Prints JSON: the loss of each step before it was taken, the milliseconds and
processor milliseconds of each step, the peak of resident memory and the versions. Packages: torch, transformers, peft.
"""
import json
import sys
import time

import peft
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, get_constant_schedule, get_linear_schedule_with_warmup

IGNORED = -100


def collated(documents):
    """Documents of one step behind each other, shorter ones before padding that carries no loss."""
    longest = max(len(document) for document in documents)
    rows = [document + [0] * (longest - len(document)) for document in documents]
    seen = [[1] * len(document) + [0] * (longest - len(document)) for document in documents]
    ids, mask = torch.tensor(rows), torch.tensor(seen)
    return {"input_ids": ids, "attention_mask": mask, "labels": ids.masked_fill(mask == 0, IGNORED)}


def lora_of(model, adapter, settings):
    if adapter is not None:
        return PeftModel.from_pretrained(model, adapter, is_trainable=True)
    config = LoraConfig(
        r=settings["rank"], lora_alpha=settings["alpha"], target_modules=settings["targetModules"], lora_dropout=0.0
    )
    return get_peft_model(model, config)


def peak_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    settings = job["settings"]
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(job["threads"])
    base = AutoModelForCausalLM.from_pretrained(job["folder"], dtype=torch.float32)
    model = lora_of(base, job["adapter"], settings)
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(
        trained, lr=settings["learningRate"], betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0
    )
    if settings["schedule"] == "linear":
        schedule = get_linear_schedule_with_warmup(optimizer, 0, job["planned"])
    else:
        schedule = get_constant_schedule(optimizer)
    losses, milliseconds, cpu = [], [], []
    for documents in job["batches"]:
        begun, used = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        loss = model(**collated(documents), use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        milliseconds.append((time.perf_counter() - begun) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    versions = {module.__name__: module.__version__ for module in (torch, transformers, peft)}
    figures = {"losses": losses, "milliseconds": milliseconds, "cpuMilliseconds": cpu, "peakKb": peak_kb()}
    print(json.dumps({**figures, "versions": versions}))


main()
