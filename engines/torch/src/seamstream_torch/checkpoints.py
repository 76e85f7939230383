"""States of a run to resume from: checkpoints/step-000005.safetensors with trained tensors and both moments, whole.

The name of a state says after which step it was taken. Its SHA-256 stands next to it and is written last: a state
counts only with it. States are independent of the number of processes. They belong to one run: their metadata names it.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import load

from seamstream_torch.contract import sha256_file
from seamstream_torch.errors import EngineError
from seamstream_torch.files import write_whole
from seamstream_torch.model import TrainedModel, like, metadata_of, whole
from seamstream_torch.processes import Processes
from seamstream_torch.tensor_file import tensor_file

# The newest may be damaged; one more is enough.
KEPT = 2
MOMENTS = {"firstMoments": "exp_avg", "secondMoments": "exp_avg_sq"}


def save_checkpoint(
    folder: Path,
    run: str,
    metrics: list[dict],
    model: TrainedModel,
    optimizer: torch.optim.AdamW,
    processes: Processes,
) -> None:
    """Writes the state after the steps that have metrics. All processes must call it at once."""
    tensors = {f"weights.{name}": value for name, value in model.tensors().items()}
    for prefix, key in MOMENTS.items():
        tensors |= {f"{prefix}.{name}": whole(optimizer.state[p][key]) for name, p in model.trained.items()}
    if processes.is_first:
        path = folder / f"step-{len(metrics):06}.safetensors"
        metadata = {"format": "seamstream.torch-state", "run": run, "metrics": json.dumps(metrics)}
        write_whole(path, tensor_file(tensors, metadata))
        write_whole(path.with_suffix(".sha256"), sha256_file(path).encode())
        for old in _newest_first(folder)[KEPT:]:
            # The digest goes first: what remains of a state without it counts for nothing.
            old.with_suffix(".sha256").unlink(missing_ok=True)
            old.unlink(missing_ok=True)
    processes.wait()


def restore_newest(folder: Path, run: str, model: TrainedModel, optimizer: torch.optim.AdamW) -> list[dict]:
    """Goes to the newest state that is whole; the metrics of the steps so far, none where there is no state."""
    for path in _newest_first(folder):
        state = _whole_state(path, run)
        if state is not None:
            metrics, tensors = state
            _restore(tensors, len(metrics), model, optimizer)
            return metrics
    return []


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.safetensors"), reverse=True)


def _whole_state(path: Path, run: str) -> tuple[list[dict], dict[str, torch.Tensor]] | None:
    """Metrics and tensors; None for a state that is cut, damaged, or another run's."""
    digest = path.with_suffix(".sha256")
    if not digest.exists() or digest.read_text() != sha256_file(path):
        return None
    try:
        metadata = metadata_of(path)
    except EngineError:
        return None
    if metadata.get("run") != run:
        return None
    return json.loads(metadata["metrics"]), load(path.read_bytes())


def _restore(tensors: dict[str, torch.Tensor], steps: int, model: TrainedModel, optimizer: torch.optim.AdamW) -> None:
    with torch.no_grad():
        for name, parameter in model.trained.items():
            parameter.copy_(like(tensors[f"weights.{name}"], parameter))
            optimizer.state[parameter] = {
                "step": torch.tensor(float(steps)),
                **{key: like(tensors[f"{prefix}.{name}"], parameter) for prefix, key in MOMENTS.items()},
            }
