"""States of a job to resume from: checkpoints/step-000005 with trained tensors and both moments, whole.

checkpoint.json names the state by digest and is written last: a state counts only with it, for the same run, and for an
engine with the same identity.
"""

import json
import shutil
from pathlib import Path

import torch
from safetensors import safe_open

from seamstream_torch.contract import Checkpoint, check_digest, file_ref, parse
from seamstream_torch.errors import EngineError
from seamstream_torch.files import write_whole
from seamstream_torch.model import TrainedModel, gathered, like, metadata_of
from seamstream_torch.processes import Processes
from seamstream_torch.tensor_file import tensor_file

# The newest may be damaged; one more is enough.
KEPT = 2
MOMENTS = {"firstMoments": "exp_avg", "secondMoments": "exp_avg_sq"}
CHECKPOINT = "checkpoint.json"


def save_checkpoint(
    folder: Path,
    run_id: str,
    engine: dict,
    metrics: list[dict],
    model: TrainedModel,
    optimizer: torch.optim.AdamW,
    processes: Processes,
) -> None:
    """Writes the state after the steps that have metrics, below the job's folder. All processes must call it."""
    parts = {f"weights.{name}": parameter for name, parameter in model.trained.items()}
    for prefix, key in MOMENTS.items():
        parts |= {f"{prefix}.{name}": optimizer.state[p][key] for name, p in model.trained.items()}
    tensors = gathered(parts, processes)
    if processes.is_first:
        below = f"checkpoints/step-{len(metrics):06}"
        # What another engine left under the name does not count from here on.
        (folder / below / CHECKPOINT).unlink(missing_ok=True)
        state = f"{below}/state.safetensors"
        write_whole(folder / state, *tensor_file(tensors, {"metrics": json.dumps(metrics)}))
        record = {"runId": run_id, "step": len(metrics), "engine": engine, "state": [file_ref(folder, state)]}
        write_whole(folder / below / CHECKPOINT, (json.dumps(record) + "\n").encode())
        for old in _newest_first(folder)[KEPT:]:
            # What remains of a state without its record counts for nothing.
            (old / CHECKPOINT).unlink(missing_ok=True)
            shutil.rmtree(old, ignore_errors=True)
    processes.wait()


def restore_newest(
    folder: Path, run_id: str, engine: dict, model: TrainedModel, optimizer: torch.optim.AdamW
) -> list[dict]:
    """Goes to the newest state that counts; the metrics of the steps so far, none where there is no state."""
    for place in _newest_first(folder):
        state = _whole_state(folder, place, run_id, engine)
        if state is not None:
            metrics, path = state
            _restore(path, len(metrics), model, optimizer)
            return metrics
    return []


def _newest_first(folder: Path) -> list[Path]:
    return sorted((folder / "checkpoints").glob("step-*"), reverse=True)


def _whole_state(folder: Path, place: Path, run_id: str, engine: dict) -> tuple[list[dict], Path] | None:
    """Metrics and the file of the tensors; None for a state that is cut, damaged, another run's or another engine's."""
    record = place / CHECKPOINT
    if not record.exists():
        return None
    try:
        checkpoint = parse(Checkpoint, record.read_bytes(), str(record))
        if checkpoint.runId != run_id or checkpoint.engine != engine:
            return None
        path = folder / checkpoint.state[0].path
        check_digest(path, checkpoint.state[0].sha256)
        return json.loads(metadata_of(path)["metrics"]), path
    except EngineError:
        return None


def _restore(path: Path, steps: int, model: TrainedModel, optimizer: torch.optim.AdamW) -> None:
    """A tensor at a time: of a state of all weights each process keeps its part only."""
    with torch.no_grad(), safe_open(path, "pt") as state:
        for name, parameter in model.trained.items():
            parameter.copy_(like(state.get_tensor(f"weights.{name}"), parameter))
            optimizer.state[parameter] = {
                "step": torch.tensor(float(steps)),
                **{key: like(state.get_tensor(f"{prefix}.{name}"), parameter) for prefix, key in MOMENTS.items()},
            }
