"""ln π of chosen tokens: what the reference and the proximal policy say, by the engine that trains."""

import json
from pathlib import Path

import torch

from seamstream_torch.contract import Run, Sequence, read_masks, read_steps
from seamstream_torch.model import TrainedModel
from seamstream_torch.processes import Processes
from seamstream_torch.sequences import MaskRows, batch_of, check_sequences, pack


def score(folder: Path, run: Run, model: TrainedModel, processes: Processes) -> bytes:
    """A line per line of steps.jsonl: {"logProbs": ln π of each sequence's targets, in nats}."""
    masks = MaskRows(read_masks(folder), model.vocabulary, processes.device)
    lines = []
    with torch.no_grad():
        for step in read_steps(folder, run):
            check_sequences(step.sequences, model.vocabulary, model.most_positions)
            scores = score_sequences(run, step.sequences, model, masks, processes)
            lines.append(json.dumps({"logProbs": scores}) + "\n")
    return "".join(lines).encode()


def score_sequences(
    run: Run, sequences: list[Sequence], model: TrainedModel, masks: MaskRows, processes: Processes
) -> list[list[float]]:
    """ln π of the targets of each sequence, parallel to them."""
    asked = [index for index, sequence in enumerate(sequences) if sequence.targets]
    rows = pack([sequences[index] for index in asked], run.compute.microBatchTokens, processes.size)
    starts = [0]
    for sequence in sequences:
        starts.append(starts[-1] + len(sequence.targets))
    found = torch.zeros(starts[-1], dtype=torch.float64, device=processes.device)
    for row in rows[processes.rank :: processes.size]:
        indices = [asked[at] for at in row]
        batch = batch_of([sequences[index] for index in indices], masks, processes.device)
        _, chosen = model.log_probs(batch)
        at = 0
        for index in indices:
            count = starts[index + 1] - starts[index]
            found[starts[index] : starts[index + 1]] = chosen[at : at + count].double()
            at += count
    # Each place was filled by one process; the others have 0 there.
    values = processes.sum(found).tolist()
    return [values[starts[index] : starts[index + 1]] for index in range(len(sequences))]
