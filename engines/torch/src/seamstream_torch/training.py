"""Optimizer steps: loss and gradients over packed rows, clipping, AdamW, checkpoints."""

import math
from pathlib import Path

import torch

from seamstream_torch.checkpoints import restore_newest, save_checkpoint
from seamstream_torch.compute import Compute
from seamstream_torch.contract import METRICS, Job, Sequence, read_masks, read_steps
from seamstream_torch.errors import EngineError
from seamstream_torch.files import write_whole
from seamstream_torch.model import TrainedModel
from seamstream_torch.objective import sums_of
from seamstream_torch.processes import Processes
from seamstream_torch.results import json_lines
from seamstream_torch.rows import Rows
from seamstream_torch.sequences import MaskRows, batch_of, check_sequences, columns_of


def train(
    folder: Path, job: Job, compute: Compute, engine: dict, model: TrainedModel, processes: Processes
) -> list[dict]:
    """Takes every step of the job, from the newest checkpoint on. The metrics of all steps.

    Raises INVALID_INPUT, NON_FINITE.
    """
    masks = MaskRows(read_masks(folder, job), model.vocabulary, processes.device)
    rows = Rows(compute, processes)
    optimizer = adamw(model)
    metrics = restore_newest(folder, job.runId, engine, model, optimizer)
    if metrics and processes.is_first:
        print(f"resumed after step {len(metrics)}", flush=True)
    for sequences in read_steps(folder, job, first=len(metrics)):
        check_sequences(sequences, model.vocabulary, model.most_positions)
        rate = job.learningRates[len(metrics)]
        figures = take_step(job, rows, sequences, rate, model, optimizer, masks, processes)
        metrics.append({"step": len(metrics) + 1, "learningRate": rate, **figures})
        if processes.is_first:
            write_whole(folder / METRICS, json_lines(metrics))
        if len(metrics) % job.checkpointEverySteps == 0 and len(metrics) < len(job.learningRates):
            save_checkpoint(folder, job.runId, engine, metrics, model, optimizer, processes)
    return metrics


def adamw(model: TrainedModel) -> torch.optim.AdamW:
    """The optimizer. Weight decay is of matrices only: shrinking a norm's scale or a bias regularises nothing."""
    trained = list(model.trained.values())
    groups = [{"params": [p for p in trained if p.dim() > 1]}, {"params": [p for p in trained if p.dim() <= 1]}]
    return torch.optim.AdamW([group for group in groups if group["params"]])


def take_step(
    job: Job,
    rows: Rows,
    sequences: list[Sequence],
    rate: float,
    model: TrainedModel,
    optimizer: torch.optim.AdamW,
    masks: MaskRows,
    processes: Processes,
) -> dict:
    """One step, in place; its metrics. Raises NON_FINITE, and leaves the weights as they were."""
    settings = job.optimizer
    loss, statistics, tokens = differentiate(job, rows, sequences, model, masks, processes)
    parameters = list(model.trained.values())
    norm = torch.nn.utils.get_total_norm([p.grad for p in parameters])
    norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
    for name, value in [("loss", loss), ("gradient norm", norm.item())]:
        if not math.isfinite(value):
            message = f"Cannot take a step: expected a finite {name}, got {value}. Look at the batch and the rate."
            raise EngineError("NON_FINITE", message)
    if settings.clipNorm > 0:
        torch.nn.utils.clip_grads_with_norm_(parameters, settings.clipNorm, norm)
    for group in optimizer.param_groups:
        is_matrices = group["params"][0].dim() > 1
        group.update(
            lr=rate,
            betas=(settings.beta1, settings.beta2),
            eps=settings.epsilon,
            weight_decay=settings.weightDecay if is_matrices else 0.0,
        )
    optimizer.step()
    optimizer.zero_grad()
    return {"loss": loss, "gradientNorm": norm.item(), "tokens": tokens, **statistics}


def differentiate(
    job: Job,
    rows: Rows,
    sequences: list[Sequence],
    model: TrainedModel,
    masks: MaskRows,
    processes: Processes,
) -> tuple[float, dict[str, float], int]:
    """Gives the parameters, which have none, the gradient of the loss over all sequences.

    Loss, statistics, and trained tokens.
    """
    trained = [sequence for sequence in sequences if sequence.targets]
    totals = torch.zeros(4, dtype=torch.float64)

    def add(row: list[int]) -> None:
        # A function, so that no tensor of a row is kept while the next one is computed.
        members = [trained[index] for index in row]
        batch = batch_of(members, masks, processes.device)
        every, chosen = model.log_probs(batch)
        sums = sums_of(job.objective, every, chosen, columns_of(members, processes.device))
        # FSDP averages gradients over processes; weights already carry the norm, so the sum is wanted.
        (sums.loss * processes.size).backward()
        totals.add_(torch.stack([sums.loss.detach(), sums.kl, sums.entropy, sums.clipped]).double().cpu())

    def forget() -> None:
        # Rows before the failed one, and layers of it, have left their part.
        totals.zero_()
        for parameter in model.trained.values():
            parameter.grad = None

    rows.each(trained, add, forget)
    loss, kl, entropy, clipped = processes.sum(totals.to(processes.device)).tolist()
    tokens = sum(len(sequence.targets) for sequence in trained)
    if job.objective.kind == "negative-log-likelihood":
        return loss, {}, tokens
    weight = sum(sum(sequence.weights) for sequence in trained)
    means = {"klNats": kl, "entropyNats": entropy, "clippedRatio": clipped}
    return loss, {name: value / weight if weight != 0 else 0.0 for name, value in means.items()}, tokens
