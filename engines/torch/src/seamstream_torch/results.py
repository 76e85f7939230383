"""What a run leaves: its output, and a result that names it."""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import torch

from seamstream_torch.contract import Run
from seamstream_torch.files import write_once, write_whole
from seamstream_torch.model import PEFT_PREFIX, TrainedModel, peft_config
from seamstream_torch.processes import Processes
from seamstream_torch.tensor_file import tensor_file

EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"
# Relative, as libs/training-contract measures them: what other processes, processors or kernels may change in a run.
# float32: four times the worst that was measured against ONNX Runtime (docs/experiments/LOG.md). LoRA's B begins at
# zero, so of such a tensor the difference is a share of its change. bfloat16: the most that the contract lets an engine
# state.
TOLERANCE = {
    "float32": {"weights": 1e-2, "change": 1e-2},
    "bfloat16": {"weights": 5e-2, "change": 1e-1},
}


def identity(run: Run, processes: Processes) -> dict:
    """What computed: goes into the record of the run."""
    is_gpu = processes.device.type == "cuda"
    return {
        "name": "torch",
        "versions": {name: version(name) for name in ("peft", "torch", "transformers")},
        "device": f"cuda: {torch.cuda.get_device_name(processes.device)}" if is_gpu else "cpu",
        "precision": run.compute.precision,
        "worldSize": processes.size,
        "tolerance": TOLERANCE[run.compute.precision],
    }


def adapter_files(run: Run, model: TrainedModel) -> dict[str, bytes]:
    """The trained tensors: of LoRA as peft reads them, else under their own names. All processes must ask at once."""
    tensors = model.tensors()
    digest = run.baseModel.digest
    if run.trainable.kind == "full":
        return {"model.safetensors": tensor_file(tensors, {"format": "pt", "seamstream.baseModelDigest": digest})}
    settings = json.dumps(run.trainable.model_dump(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    metadata = {"format": "pt", "seamstream.baseModelDigest": digest, "seamstream.settings": settings}
    stored = {PEFT_PREFIX + name: value for name, value in tensors.items()}
    if model.is_tied and EMBEDDING in tensors:
        stored[PEFT_PREFIX + HEAD] = tensors[EMBEDDING].clone()
    return {
        "adapter_model.safetensors": tensor_file(stored, metadata),
        "adapter_config.json": peft_config(run, digest, tensors, model.is_tied),
    }


def publish(
    folder: Path, run: Run, run_id: str, metrics: list[dict], files: dict[str, bytes], processes: Processes
) -> bool:
    """Writes output, then the result. False where another process had written one: that one stands."""
    for name, content in files.items():
        write_whole(folder / "output" / name, content)
    result = {
        "format": 1,
        "runId": run_id,
        "operation": run.operation,
        "baseModelDigest": run.baseModel.digest,
        "engine": identity(run, processes),
        "steps": len(metrics),
        "metrics": metrics,
        "files": {f"output/{name}": hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (folder / "failure.json").unlink(missing_ok=True)
    return write_once(folder / "result.json", (json.dumps(result, indent=2) + "\n").encode())
