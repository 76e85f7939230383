"""Small models and runs for the tests: the checkpoints and figures of test/golden."""

import base64
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import torch
from safetensors.torch import load_file, save_file

from seamstream_torch.contract import ADAPTER, JOB, METRICS, file_ref

GOLDEN = Path(__file__).parents[3] / "test" / "golden"
sys.path.insert(0, str(GOLDEN))
from seeded import seeded  # noqa: E402

LORA = dict(kind="lora", rank=4, alpha=8, targetModules=["q_proj", "down_proj"], modulesToSave=[], seed="s")
OPTIMIZER = dict(learningRate=1e-2, beta1=0.9, beta2=0.95, epsilon=1e-8, weightDecay=0.1, clipNorm=0.5)


def golden(family: str) -> dict:
    """What PyTorch said of a small model: test/golden/make-golden.py."""
    return json.loads((GOLDEN / f"engine-{family}.json").read_text())


def unpack(packed: dict) -> torch.Tensor:
    """A tensor of the golden files."""
    values = numpy.frombuffer(base64.b64decode(packed["data"]), dtype="<f4")
    return torch.tensor(values).reshape(packed["shape"])


def sha256(path: Path) -> str:
    """In hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(params=["llama", "qwen2", "qwen3"])
def family(request: pytest.FixtureRequest) -> str:
    """Each family of the golden models."""
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For the whole module."""
    return tmp_path_factory.mktemp("jobs")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    """A small model."""
    return write_model(folder / "model", "llama")


def write_model(folder: Path, family: str) -> Path:
    """The golden model of a family, as a Hugging Face folder."""
    from transformers import AutoConfig, AutoModelForCausalLM

    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(golden(family)["config"]))
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    tensors = {name: seeded(name, value.shape).float().contiguous() for name, value in model.named_parameters()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


def write_job(
    folder: Path,
    model: Path,
    steps: list[dict],
    change: Callable[[dict], None] = lambda job: None,
    masks: list[dict] | None = None,
    start: dict[str, torch.Tensor] | None = None,
) -> Path:
    """A job of these steps: full training by likelihood, where `change` changes nothing."""
    (folder / "input").mkdir(parents=True)
    sequences = [{**sequence, "step": at} for at, step in enumerate(steps) for sequence in step["sequences"]]
    for name, lines in [("sequences", sequences), ("masks", masks or [])]:
        (folder / f"input/{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if start is not None:
        save_file(start, folder / "input/start.safetensors")
    job = {
        "format": 1,
        "operation": "train",
        "runId": "run",
        "baseModelDigest": "0" * 64,
        "baseModelFiles": {path.name: sha256(path) for path in model.iterdir()},
        "vocabularySize": json.loads((model / "config.json").read_text())["vocab_size"],
        "trainable": {"kind": "full"},
        "objective": {"kind": "negative-log-likelihood"},
        "optimizer": {name: value for name, value in steps[0]["optimizer"].items() if name != "learningRate"},
        "learningRates": [step["optimizer"]["learningRate"] for step in steps],
        "checkpointEverySteps": 1,
        "start": file_ref(folder, "input/start.safetensors") if start is not None else None,
        "sequences": file_ref(folder, "input/sequences.jsonl"),
        "masks": file_ref(folder, "input/masks.jsonl"),
    }
    change(job)
    (folder / JOB).write_text(json.dumps(job))
    return folder


def likelihood_step(family: str) -> dict:
    """The golden step of the likelihood."""
    figures = golden(family)
    weights = iter(figures["likelihood"]["weights"])
    return {
        "optimizer": figures["likelihood"]["optimizer"],
        "sequences": [
            {"tokenIds": ids, "targets": targets, "weights": [next(weights) for _ in targets]}
            for ids, targets in zip(figures["sequences"], figures["targets"], strict=True)
        ],
    }


def policy_step(family: str) -> tuple[dict, list[dict]]:
    """The golden step of the policy objective, and its masks."""
    figures = golden(family)
    policy = figures["policy"]
    masks = [
        {"tokens": "legal", "ids": [token for token, is_legal in enumerate(row) if is_legal]} for row in policy["legal"]
    ]
    sequences, at = [], 0
    for ids, targets in zip(figures["sequences"], figures["targets"], strict=True):
        own = slice(at, at + len(targets))
        columns = ["advantages", "proximalLogProbs", "importanceWeights", "referenceLogProbs"]
        sequences.append(
            {
                "tokenIds": ids,
                "targets": targets,
                "weights": policy["weights"][own],
                "masks": list(range(own.start, own.stop)),
                "policy": {name: policy[name][own] for name in columns},
            }
        )
        at = own.stop
    return {"optimizer": OPTIMIZER, "sequences": sequences}, masks


def start_of(model: Path, rank: int = 4) -> dict[str, torch.Tensor]:
    """LoRA factors to begin with."""
    draw = torch.Generator().manual_seed(3)
    factors = {}
    for name, weight in load_file(model / "model.safetensors").items():
        if name.split(".")[-2] in LORA["targetModules"]:
            stem = name.removesuffix(".weight")
            factors[f"{stem}.lora_A.weight"] = torch.randn(rank, weight.shape[1], generator=draw) / 4
            factors[f"{stem}.lora_B.weight"] = torch.zeros(weight.shape[0], rank)
    return factors


def write(folder: Path, model: Path, trainable: str, steps: int = 6, copies: int = 1) -> Path:
    """A job by the policy objective under masks; each step has two sequences, so many times."""
    step, masks = policy_step("llama")
    step["sequences"] *= copies
    objective = dict(
        kind="clipped-policy-gradient", clipLow=0.2, clipHigh=0.28, klCoefficient=0.05, entropyCoefficient=0.01
    )

    def change(job: dict) -> None:
        job["objective"] = objective
        job["trainable"] = LORA if trainable == "lora" else {"kind": "full"}

    start = start_of(model) if trainable == "lora" else None
    return write_job(folder, model, [step] * steps, change, masks, start)


def output(run: Path) -> dict[str, torch.Tensor]:
    """The trained tensors."""
    return load_file(run / ADAPTER)


def apart(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    """The largest of the tensors' distances, relative to the tensor (L2 norms)."""
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).norm() / one[name].norm()) for name in one)


def metrics_of(run: Path) -> list[dict]:
    """The figures of each step."""
    return [json.loads(line) for line in (run / METRICS).read_text().splitlines()]
