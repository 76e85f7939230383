"""ln π of chosen tokens: what the reference and the proximal policy say, by the engine that trains."""

from pathlib import Path

import torch

from seamstream_torch.compute import Compute
from seamstream_torch.contract import Job, Sequence, read_masks, read_sequences
from seamstream_torch.model import TrainedModel
from seamstream_torch.processes import Processes
from seamstream_torch.rows import Rows
from seamstream_torch.sequences import MaskRows, batch_of, check_sequences


def score(folder: Path, job: Job, compute: Compute, model: TrainedModel, processes: Processes) -> list[list[float]]:
    """ln π of each sequence's targets, in nats, parallel to them."""
    masks = MaskRows(read_masks(folder, job), model.vocabulary, processes.device)
    sequences = list(read_sequences(folder, job))
    check_sequences(sequences, model.vocabulary, model.most_positions)
    asked = [index for index, sequence in enumerate(sequences) if sequence.targets]
    starts = [0]
    for sequence in sequences:
        starts.append(starts[-1] + len(sequence.targets))
    found = torch.zeros(starts[-1], dtype=torch.float64, device=processes.device)

    def fill(row: list[int]) -> None:
        _score_row([asked[at] for at in row], sequences, starts, model, masks, found)

    with torch.no_grad():
        # What is computed again fills the same places.
        Rows(compute, processes).each([sequences[index] for index in asked], fill, forget=lambda: None)
    # Each place was filled by one process; the others have 0 there.
    values = processes.sum(found).tolist()
    return [values[starts[index] : starts[index + 1]] for index in range(len(sequences))]


def _score_row(
    indices: list[int],
    sequences: list[Sequence],
    starts: list[int],
    model: TrainedModel,
    masks: MaskRows,
    found: torch.Tensor,
) -> None:
    _, chosen = model.log_probs(batch_of([sequences[index] for index in indices], masks, found.device))
    at = 0
    for index in indices:
        count = starts[index + 1] - starts[index]
        found[starts[index] : starts[index + 1]] = chosen[at : at + count].double()
        at += count
