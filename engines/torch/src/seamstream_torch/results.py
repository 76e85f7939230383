"""What a job leaves: its output, and a result that names it."""

import json
from importlib.metadata import version
from pathlib import Path

import torch

from seamstream_torch.compute import Compute
from seamstream_torch.contract import ADAPTER, FAILURE, METRICS, RESULT, SCORES, Job, file_ref
from seamstream_torch.files import write_once, write_whole
from seamstream_torch.processes import Processes
from seamstream_torch.tensor_file import tensor_file

# Relative, as libs/training-contract measures them: what other processes, processors or kernels may change in a run.
# float32: four times the worst that was measured against ONNX Runtime (docs/experiments/LOG.md). LoRA's B begins at
# zero, so of such a tensor the difference is a share of its change. bfloat16: the most that the contract lets an engine
# state.
TOLERANCE = {
    "float32": {"weights": 1e-2, "change": 1e-2},
    "bfloat16": {"weights": 5e-2, "change": 1e-1},
}


def identity(compute: Compute, processes: Processes) -> dict:
    """What computed: goes into the record of the run."""
    is_gpu = processes.device.type == "cuda"
    return {
        "name": "torch",
        "versions": {name: version(name) for name in ("peft", "torch", "transformers")},
        "device": f"cuda: {torch.cuda.get_device_name(processes.device)}" if is_gpu else "cpu",
        "precision": compute.precision,
        "worldSize": processes.size,
        "tolerance": TOLERANCE[compute.precision],
    }


def json_lines(values: list) -> bytes:
    """A line for each value."""
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def publish_scores(folder: Path, job: Job, engine: dict, scores: list[list[float]]) -> bool:
    """Writes the scores, then the result. False where another process had written one: that one stands."""
    write_whole(folder / SCORES, json_lines(scores))
    return _publish(folder, job, engine, {"scores": file_ref(folder, SCORES)})


def publish_adapter(
    folder: Path, job: Job, engine: dict, metrics: list[dict], tensors: dict[str, torch.Tensor]
) -> bool:
    """Writes the trained tensors and the metrics, then the result. False where another's result stands."""
    write_whole(folder / ADAPTER, *tensor_file(tensors, {"format": "pt"}))
    write_whole(folder / METRICS, json_lines(metrics))
    artefact = {
        "kind": job.trainable.kind,
        "baseModelDigest": job.baseModelDigest,
        "settings": job.trainable.model_dump(),
        "file": file_ref(folder, ADAPTER),
        "tensors": [{"name": name, "shape": list(tensors[name].shape)} for name in sorted(tensors)],
    }
    return _publish(
        folder, job, engine, {"steps": len(metrics), "metrics": file_ref(folder, METRICS), "artefact": artefact}
    )


def _publish(folder: Path, job: Job, engine: dict, made: dict) -> bool:
    result = {"operation": job.operation, "runId": job.runId, "engine": engine, **made}
    (folder / FAILURE).unlink(missing_ok=True)
    return write_once(folder / RESULT, (json.dumps(result) + "\n").encode())
