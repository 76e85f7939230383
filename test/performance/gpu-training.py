"""A training step on a graphics processor: milliseconds, tokens per second and memory, of three sides.

    python3 test/performance/gpu-training.py --tokenizer FOLDER [--shape NAME] [--objective NAME] [--steps 8]
        [--sides engine,TRL] [--gib 24] [--out FILE]

The sides: engines/torch with several of its options, which chooses how many tokens are computed at once where the name
says no number; the loop that one writes by hand with transformers and peft, on padded batches; TRL's SFTTrainer and
GRPOTrainer, the latter on the same recorded completions. All train the same LoRA factors of the same model on the same
sequences, frozen weights in bfloat16. Weights are random in the published shapes: they do not change how long a step
takes. FOLDER: of any Hugging Face tokenizer, which TRL asks for. --gib: PyTorch gets no more memory of the processor
than that, as on a smaller one. Packages: those of engines/torch, and trl; PYTHONPATH=engines/torch/src where the
engine is not installed.
"""

import argparse
import gc
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import pyarrow
import torch
import transformers
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from seamstream_torch import training
from seamstream_torch.compute import Compute
from seamstream_torch.contract import JOB, file_ref, open_job
from seamstream_torch.model import contract_name, load_model
from seamstream_torch.processes import Processes, processes
from seamstream_torch.results import identity
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerBase,
    TrainerCallback,
)
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

SHAPES = {
    # Tries the program where there is no graphics processor.
    "tiny": dict(
        model_type="llama",
        vocab_size=49152,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
    ),
    # HuggingFaceTB/SmolLM2-135M-Instruct
    "smollm2-135m": dict(
        model_type="llama",
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
    ),
    # Qwen/Qwen2.5-1.5B-Instruct
    "qwen2.5-1.5b": dict(
        model_type="qwen2",
        vocab_size=151936,
        hidden_size=1536,
        intermediate_size=8960,
        num_hidden_layers=28,
        num_attention_heads=12,
        num_key_value_heads=2,
        max_position_embeddings=32768,
        tie_word_embeddings=True,
    ),
}
MODULES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
RANK, ALPHA, RATE, SEED = 16, 32, 1e-4, 7
GROUP = 8
BY_HAND_AT_ONCE = 16
LENGTHS = [32, 64, 96, 128, 160, 192, 256, 352]
OPTIMIZER = dict(beta1=0.9, beta2=0.999, epsilon=1e-8, weightDecay=0.0, clipNorm=1.0)
LIKELIHOOD = {"kind": "negative-log-likelihood"}
POLICY = {
    "kind": "clipped-policy-gradient",
    "clipLow": 0.2,
    "clipHigh": 0.2,
    "klCoefficient": 0.0,
    "entropyCoefficient": 0.0,
}


def lengths_of(name: str) -> list[tuple[int, int]]:
    """Prompt and entry of each of the 64 sequences of a step."""
    if name == "tiny":
        return [(prompt // 8, 8) for prompt in LENGTHS for _ in range(2)]
    return [(prompt, 32 + prompt // 4) for prompt in LENGTHS for _ in range(GROUP)]


def sequences_of(shape: str, vocabulary: int, steps: int) -> list[list[dict]]:
    """Steps of sequences; a group has one prompt. The tokenizer's vocabulary may be smaller than the model's."""
    draw = random.Random(SEED)
    found = []

    def token() -> int:
        return draw.randrange(100, min(vocabulary, 40000))

    for _ in range(steps):
        step = []
        for prompt, entry in lengths_of(shape):
            head = [token() for _ in range(prompt)]
            step.append(
                {"tokenIds": head + [token() for _ in range(entry)], "targets": list(range(prompt, prompt + entry))}
            )
        found.append(step)
    return found


def write_model(folder: Path, shape: str, device: torch.device) -> None:
    """Random weights, as a Hugging Face folder in bfloat16."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({**SHAPES[shape], "initializer_range": 0.02}))
    torch.manual_seed(SEED)
    config = AutoConfig.from_pretrained(folder)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    del model


def write_start(path: Path, folder: Path) -> None:
    """LoRA factors by PEFT's rule: A random, B zero."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    generator = torch.Generator().manual_seed(SEED)
    tensors = {}
    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in MODULES:
            tensors[f"{name}.lora_A.weight"] = torch.randn(RANK, module.in_features, generator=generator) * 0.02
            tensors[f"{name}.lora_B.weight"] = torch.zeros(module.out_features, RANK)
    save_file(tensors, path)


@cache
def digests_of(model: Path) -> dict[str, str]:
    """SHA-256 of each file of the model."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in model.iterdir()}


def write_job(folder: Path, model: Path, steps: list[list[dict]], objective: dict, mask: list[int] | None) -> Path:
    """A training job of these steps."""
    (folder / "input").mkdir(parents=True)
    (folder / "checkpoints").mkdir()
    (folder / "output").mkdir()
    lines = []
    for at, step in enumerate(steps):
        count = sum(len(each["targets"]) for each in step)
        for each in step:
            size = len(each["targets"])
            line = {**each, "weights": [1 / count] * size, "step": at}
            if mask is not None:
                line["masks"] = [0] * size
            if objective is POLICY:
                line["policy"] = {
                    "advantages": [0.5 if len(lines) % 2 == 0 else -0.5] * size,
                    "proximalLogProbs": [-10.0] * size,
                    "importanceWeights": [1.0] * size,
                    "referenceLogProbs": [-10.0] * size,
                }
            lines.append(line)
    (folder / "input/sequences.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    masks = [] if mask is None else [{"tokens": "banned", "ids": mask}]
    (folder / "input/masks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in masks))
    write_start(folder / "input/start.safetensors", model)
    job = {
        "format": 1,
        "operation": "train",
        "runId": folder.name,
        "baseModelDigest": "0" * 64,
        "baseModelFiles": digests_of(model),
        "vocabularySize": json.loads((model / "config.json").read_text())["vocab_size"],
        "trainable": {
            "kind": "lora",
            "rank": RANK,
            "alpha": ALPHA,
            "targetModules": MODULES,
            "modulesToSave": [],
            "seed": "speed",
        },
        "objective": objective,
        "optimizer": OPTIMIZER,
        "learningRates": [RATE] * len(steps),
        "checkpointEverySteps": len(steps) + 1,
        "start": file_ref(folder, "input/start.safetensors"),
        "sequences": file_ref(folder, "input/sequences.jsonl"),
        "masks": file_ref(folder, "input/masks.jsonl"),
    }
    (folder / JOB).write_text(json.dumps(job))
    return folder


class Clock:
    """Time and memory of steps; the first two warm up."""

    def __init__(self, device: torch.device) -> None:
        self.is_gpu = device.type == "cuda"
        self.marks: list[float] = []
        gc.collect()
        if self.is_gpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    def mark(self) -> None:
        """A step has ended."""
        if self.is_gpu:
            torch.cuda.synchronize()
        self.marks.append(time.perf_counter())

    def figures(self, tokens: int) -> dict:
        """The median step of so many tokens."""
        spans = [end - begin for begin, end in pairwise(self.marks)][2:]
        seconds = statistics.median(spans)
        peak = torch.cuda.max_memory_allocated() / 2**30 if self.is_gpu else None
        return {
            "ms": round(seconds * 1000, 1),
            "least": round(min(spans) * 1000, 1),
            "most": round(max(spans) * 1000, 1),
            "tokensPerSecond": round(tokens / seconds),
            "peakGiB": round(peak, 2) if peak is not None else None,
        }


Measured = tuple[Clock, list[float]]


def by_engine(compute: Compute, model: Path, folder: Path, alone: Processes) -> Measured:
    """One job; each step is timed from one end of the optimizer's to the next, reading and writing included."""
    job = open_job(folder, model)
    clock = Clock(alone.device)
    loaded = load_model(model, folder, job, compute, alone)
    step = training.take_step

    def timed(*given: object) -> dict:
        figures = step(*given)
        clock.mark()
        return figures

    training.take_step = timed
    try:
        clock.mark()
        metrics = training.train(folder, job, compute, identity(compute, alone), loaded, alone)
    finally:
        training.take_step = step
    return clock, [each["loss"] for each in metrics]


def lora_model(model: Path, folder: Path, device: torch.device) -> PeftModel:
    """As one makes it by hand: transformers in bfloat16, factors by peft."""
    base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.bfloat16, attn_implementation="sdpa")
    lora = LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=MODULES, task_type="CAUSAL_LM")
    adapted = get_peft_model(base, lora).train().to(device)
    start = load_file(folder / "input/start.safetensors")
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if parameter.requires_grad:
                parameter.copy_(start[contract_name(name)])
    return adapted


def by_hand(model: Path, folder: Path, steps: list[list[dict]], device: torch.device) -> Measured:
    """Padded batches of 16, transformers computes the loss (or a gathered log-softmax), gradients are added."""
    clock = Clock(device)
    adapted = lora_model(model, folder, device)
    trained = [p for p in adapted.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=RATE, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
    losses = []
    clock.mark()
    for sequences in steps:
        count = sum(len(each["targets"]) for each in sequences)
        total = 0.0
        ordered = sorted(sequences, key=lambda each: len(each["tokenIds"]))
        for start in range(0, len(ordered), BY_HAND_AT_ONCE):
            part = ordered[start : start + BY_HAND_AT_ONCE]
            longest = max(len(each["tokenIds"]) for each in part)
            tokens = torch.zeros(len(part), longest, dtype=torch.long)
            mask = torch.zeros_like(tokens)
            labels = torch.full_like(tokens, -100)
            for row, each in enumerate(part):
                ids, first = torch.tensor(each["tokenIds"]), each["targets"][0]
                tokens[row, : len(ids)], mask[row, : len(ids)] = ids, 1
                labels[row, first : len(ids)] = ids[first:]
            tokens, mask, labels = (each.to(device, non_blocking=True) for each in (tokens, mask, labels))
            with torch.autocast(device.type, torch.bfloat16):
                loss = adapted(
                    tokens, labels=labels, attention_mask=mask, use_cache=False, num_items_in_batch=count
                ).loss
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(total)
        clock.mark()
    return clock, losses


def by_trl_sft(model: Path, folder: Path, steps: list[list[dict]], tokenizer: Path, device: torch.device) -> Measured:
    """TRL's supervised trainer, on rows that are tokens already."""
    clock = Clock(device)
    rows = [
        {"input_ids": each["tokenIds"], "labels": [-100] * each["targets"][0] + each["tokenIds"][each["targets"][0] :]}
        for step in steps
        for each in step
    ]
    trainer = SFTTrainer(
        model=lora_model(model, folder, device),
        args=SFTConfig(
            **_common(device, len(steps[0]), len(steps)),
            max_length=None,
            dataset_kwargs={"skip_prepare_dataset": True},
            packing=False,
        ),
        train_dataset=_dataset(rows),
        processing_class=_tokenizer(tokenizer),
        callbacks=[_callback(clock)],
    )
    trainer.train()
    return clock, []


def by_trl_grpo(model: Path, folder: Path, steps: list[list[dict]], tokenizer: Path, device: torch.device) -> Measured:
    """TRL's GRPO on completions that were recorded: nothing is generated, so that only its step is measured."""
    clock = Clock(device)
    rows = [
        {"prompt": str(at * 10000 + index)} for at, step in enumerate(steps) for index in range(0, len(step), GROUP)
    ]
    asked = [0]

    def recorded(prompts: list[str], trainer: object) -> dict:
        step = steps[min(asked[0], len(steps) - 1)]
        asked[0] += 1
        own = [step[at % len(step)] for at in range(len(prompts))]
        heads = [each["tokenIds"][: each["targets"][0]] for each in own]
        tails = [each["tokenIds"][each["targets"][0] :] for each in own]
        return {"prompt_ids": heads, "completion_ids": tails, "logprobs": [[-10.0] * len(tail) for tail in tails]}

    def reward(completions: list[str], **_: object) -> list[float]:
        return [float(at % 2) for at in range(len(completions))]

    size = len(steps[0])
    trainer = GRPOTrainer(
        model=lora_model(model, folder, device),
        reward_funcs=reward,
        args=GRPOConfig(
            **_common(device, size, len(steps)),
            num_generations=GROUP,
            max_completion_length=256,
            beta=0.0,
            generation_batch_size=size,
            shuffle_dataset=False,
        ),
        train_dataset=_dataset(rows),
        processing_class=_tokenizer(tokenizer),
        callbacks=[_callback(clock)],
        rollout_func=recorded,
    )
    trainer.train()
    return clock, []


def _dataset(rows: list[dict]) -> Dataset:
    """The name saves hashing the table, which datasets 5.2.0 cannot do with pyarrow 26.0.1."""
    return Dataset(pyarrow.Table.from_pylist(rows), fingerprint="speed")


def _tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    return tokenizer


def _common(device: torch.device, batch: int, steps: int) -> dict:
    return dict(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=BY_HAND_AT_ONCE,
        gradient_accumulation_steps=batch // BY_HAND_AT_ONCE,
        learning_rate=RATE,
        lr_scheduler_type="constant",
        max_steps=steps,
        bf16=True,
        use_cpu=device.type == "cpu",
        activation_checkpointing=False,
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        seed=SEED,
        dataloader_num_workers=0,
    )


def _callback(clock: Clock) -> TrainerCallback:
    class Marks(TrainerCallback):
        def on_train_begin(self, *_: object, **__: object) -> None:
            clock.mark()

        def on_step_end(self, *_: object, **__: object) -> None:
            clock.mark()

    return Marks()


ENGINE = {
    "engine float32": Compute(),
    "engine float32 at 4096": Compute(micro_batch_tokens=4096),
    "engine bfloat16 sdpa": Compute(precision="bfloat16", attention="sdpa"),
    "engine bfloat16 sdpa at 4096": Compute(precision="bfloat16", attention="sdpa", micro_batch_tokens=4096),
    "engine bfloat16": Compute(precision="bfloat16"),
    "engine bfloat16 at 4096": Compute(precision="bfloat16", micro_batch_tokens=4096),
    "engine bfloat16 checkpointing": Compute(precision="bfloat16", gradient_checkpointing=True),
    "engine bfloat16 checkpointing at 4096": Compute(
        precision="bfloat16", gradient_checkpointing=True, micro_batch_tokens=4096
    ),
}


def main() -> None:
    """Measures the sides one after the other, and says each when it is done."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--shape", choices=SHAPES, default="smollm2-135m")
    parser.add_argument("--objective", choices=["likelihood", "policy", "masked-policy"], default="likelihood")
    parser.add_argument("--sides", default="", help="beginnings of their names, with commas between")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--gib", type=float, help="memory that PyTorch may take of the graphics processor")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with processes() as alone, tempfile.TemporaryDirectory() as folder:
        if given.gib:
            whole = torch.cuda.get_device_properties(alone.device).total_memory
            torch.cuda.set_per_process_memory_fraction(given.gib * 2**30 / whole)
        report = measured(given, Path(folder), alone)
    if given.out:
        given.out.write_text(json.dumps(report, indent=2))


def measured(given: argparse.Namespace, folder: Path, alone: Processes) -> dict:
    """The report. A side that cannot is a finding of its own, and the others still run."""
    device = alone.device
    model = folder / "model"
    write_model(model, given.shape, device)
    steps = sequences_of(given.shape, SHAPES[given.shape]["vocab_size"], given.steps)
    tokens = sum(len(each["tokenIds"]) for each in steps[0])
    found: dict[str, dict] = {}
    for name, side in sides_of(given, folder, model, steps, alone).items():
        if given.sides and not any(name.startswith(each) for each in given.sides.split(",")):
            continue
        try:
            clock, losses = side()
            found[name] = {**clock.figures(tokens), "losses": [losses[0], losses[-1]] if losses else None}
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
        clock = None
        gc.collect()
        print(f"{given.shape} {given.objective}: {name}: {json.dumps(found[name])}", flush=True)
    return {
        "shape": given.shape,
        "objective": given.objective,
        "tokens": tokens,
        "steps": given.steps,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "gib": given.gib,
        "sides": found,
    }


def sides_of(
    given: argparse.Namespace, folder: Path, model: Path, steps: list[list[dict]], alone: Processes
) -> dict[str, Callable[[], Measured]]:
    """Those that can compute the objective. TRL knows no masks."""
    is_likelihood = given.objective == "likelihood"
    objective = LIKELIHOOD if is_likelihood else POLICY
    banned = [0, 1, 2] if given.objective == "masked-policy" else None

    def job(name: str) -> Path:
        return write_job(folder / name.replace(" ", "-"), model, steps, objective, banned)

    sides: dict[str, Callable[[], Measured]] = {
        name: partial(lambda name, compute: by_engine(compute, model, job(name), alone), name, compute)
        for name, compute in ENGINE.items()
    }
    if is_likelihood:
        sides["by hand"] = lambda: by_hand(model, job("by hand"), steps, alone.device)
        sides["TRL SFTTrainer"] = lambda: by_trl_sft(model, job("sft"), steps, given.tokenizer, alone.device)
    elif banned is None:
        sides["TRL GRPOTrainer"] = lambda: by_trl_grpo(model, job("grpo"), steps, given.tokenizer, alone.device)
    return sides


if __name__ == "__main__":
    main()
