"""TRL's GRPOTrainer on one job of the study of learning speed: python3 trl_grpo.py JOB.json

JOB: { base, judge, train, held_out, log, seed, entry_tokens, most_calls, evaluate_every, enough, threads, device, settings: { learning_rate, iterations,
prompts, lora } }: the base model's folder, the address that judges entries, problems as [{ problem_id, prompt }] in the order of training
and of the measurement, the file of figures, where to stop (calls, and a success that is enough), cpu or cuda, and what is chosen on
another seed. Each line of the log is one measurement: { step, calls, completions, solved, valid, problems }. Packages: torch, transformers,
trl (trl.lock).

Nothing masks what is sampled: the policy is TRL's plain softmax at temperature 1. A text that is no entry earns nothing and costs no
call. One that is earns FORMAT_WEIGHT, and 1 more where the executor solves its problem with it.
"""

import json
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from trl import GRPOConfig, GRPOTrainer

GROUP_SIZE = 16
FORMAT_WEIGHT = 0.5
MEASURED_AT_ONCE = 256


class Judge:
    """Asks the study's process for verdicts, and remembers how many calls of the executor that cost."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.calls = 0
        self.completions = 0

    def verdicts(self, which: str, problem_ids: list[str], texts: list[str]) -> list[dict[str, bool]]:
        """One verdict per text. A failure of the judge ends the run: it is no reward of zero."""
        attempts = [{"problemId": each, "text": text} for each, text in zip(problem_ids, texts, strict=True)]
        body = json.dumps({"set": which, "attempts": attempts}).encode()
        request = urllib.request.Request(self.url, data=body, headers={"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
        self.calls = answer["calls"]
        return answer["verdicts"]


def reward_functions(judge: Judge) -> list[Callable[..., list[float]]]:
    """Success and form, which TRL adds up by weight. It asks them in this order with the same completions: one request serves both."""
    latest: list[dict[str, bool]] = []

    def solved(completions: list[str], problem_id: list[str], **_: Any) -> list[float]:
        latest[:] = judge.verdicts("train", problem_id, completions)
        judge.completions += len(completions)
        return [float(verdict["solved"]) for verdict in latest]

    def valid(completions: list[str], **_: Any) -> list[float]:
        if len(completions) != len(latest):
            raise ValueError(
                f"Cannot reward the form: expected {len(latest)} completions, got {len(completions)}. Use this TRL."
            )
        return [float(verdict["valid"]) for verdict in latest]

    return [solved, valid]


class Measurement(TrainerCallback):
    """Writes greedily what the policy says of the held-out problems, every so many calls, and stops when it is over."""

    def __init__(self, job: dict[str, Any], judge: Judge, tokenizer: PreTrainedTokenizerBase) -> None:
        self.job = job
        self.judge = judge
        self.tokenizer = tokenizer
        self.next_at = 0

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **told: Any
    ) -> None:
        """The base model is the curve's first point."""
        self.measure(state.global_step, told["model"])

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **told: Any) -> None:
        """Measures where it is due, and at the end of the budget."""
        is_over = self.judge.calls >= self.job["most_calls"]
        if self.judge.calls >= self.next_at or is_over:
            is_over = self.measure(state.global_step, told["model"]) >= self.job["enough"] or is_over
        control.should_training_stop = is_over

    def measure(self, step: int, model: PreTrainedModel) -> float:
        """Success on the held-out problems."""
        problems = self.job["held_out"]
        was_training = model.training
        model.eval()
        texts: list[str] = []
        for start in range(0, len(problems), MEASURED_AT_ONCE):
            texts += self.written(model, [each["prompt"] for each in problems[start : start + MEASURED_AT_ONCE]])
        model.train(was_training)
        verdicts = self.judge.verdicts("heldOut", [each["problem_id"] for each in problems], texts)
        figures = {
            "step": step,
            "calls": self.judge.calls,
            "completions": self.judge.completions,
            "solved": sum(verdict["solved"] for verdict in verdicts),
            "valid": sum(verdict["valid"] for verdict in verdicts),
            "problems": len(problems),
        }
        with open(self.job["log"], "a", encoding="utf-8") as log:
            log.write(json.dumps(figures) + "\n")
        self.next_at = self.judge.calls + self.job["evaluate_every"]
        return figures["solved"] / len(problems)

    @torch.no_grad()
    def written(self, model: PreTrainedModel, prompts: list[str]) -> list[str]:
        """What the policy writes after each prompt, without chance."""
        asked = self.tokenizer(prompts, return_tensors="pt", padding=True, padding_side="left").to(model.device)
        inputs = {name: asked[name] for name in ("input_ids", "attention_mask")}
        rows = model.generate(**inputs, do_sample=False, max_new_tokens=self.job["entry_tokens"], use_cache=True)
        return self.tokenizer.batch_decode(rows[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)


def configuration(job: dict[str, Any]) -> GRPOConfig:
    """TRL's defaults but for what is chosen on the development seed, and what a processor of two cores needs."""
    chosen = job["settings"]
    batch = chosen["prompts"] * GROUP_SIZE
    return GRPOConfig(
        output_dir=str(Path(job["log"]).parent),
        per_device_train_batch_size=batch,
        num_generations=GROUP_SIZE,
        num_iterations=chosen["iterations"],
        learning_rate=chosen["learning_rate"],
        # The end of the budget is a number of calls, which no schedule by steps knows.
        lr_scheduler_type="constant",
        max_completion_length=job["entry_tokens"],
        reward_weights=[1.0, FORMAT_WEIGHT],
        # The loop publishes its problems in this order as well.
        shuffle_dataset=False,
        max_steps=chosen["iterations"] * (len(job["train"]) // chosen["prompts"]),
        seed=job["seed"],
        use_cpu=job["device"] == "cpu",
        bf16=False,
        activation_checkpointing=False,
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )


def dataset_of(rows: list[dict[str, str]]) -> Dataset:
    """Rows as TRL reads them. The name saves hashing the table, which datasets 5.2.0 cannot do with pyarrow 26.0.1."""
    return Dataset(pyarrow.Table.from_pylist(rows), fingerprint="problems")


def adapter_of(chosen: dict[str, Any]) -> LoraConfig | None:
    """None where all weights are trained."""
    if not chosen["lora"]:
        return None
    return LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", lora_dropout=0.0, task_type="CAUSAL_LM")


def main(path: str) -> None:
    """Carries out one job; its log grows until the run is over."""
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    torch.set_num_threads(job["threads"])
    tokenizer = AutoTokenizer.from_pretrained(job["base"])
    model = AutoModelForCausalLM.from_pretrained(job["base"], dtype=torch.float32)
    judge = Judge(job["judge"])
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward_functions(judge),
        args=configuration(job),
        train_dataset=dataset_of(job["train"]),
        processing_class=tokenizer,
        callbacks=[Measurement(job, judge, tokenizer)],
        peft_config=adapter_of(job["settings"]),
    )
    trainer.train()


if __name__ == "__main__":
    main(sys.argv[1])
