"""The files of a run, as Seamstream writes and reads them. A run is a folder:

    manifest.json        names and SHA-256 of the four input files; written last, and names the run
    run.json             what to do: operation, base model, trained tensors, objective, how to compute
    steps.jsonl          one optimizer step (or one batch to score) per line
    masks.jsonl          each distinct set of legal tokens once; its line number names it
    start.safetensors    the tensors that training starts from; absent: those of the base model

    checkpoints/         states to resume from (checkpoints.py)
    metrics.jsonl        one line per step, for whoever follows the run
    output/              adapter_model.safetensors and adapter_config.json, model.safetensors, or scores.jsonl
    result.json          written last, and never twice
    failure.json         why the last attempt ended without a result

Names are those of libs/training-contract and libs/language-model/src/training/training.types.ts.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from seamstream_torch.errors import EngineError

INPUT_FILES = ("masks.jsonl", "run.json", "start.safetensors", "steps.jsonl")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
TokenId = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """JSON with exactly these fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Manifest(Record):
    """The input files by their digests."""

    format: Literal[1]
    files: dict[Literal["masks.jsonl", "run.json", "start.safetensors", "steps.jsonl"], Sha256]


class BaseModelFiles(Record):
    """The model folder. It is read only where its files have these digests."""

    digest: Annotated[Sha256, Field(description="Names the base model in events and adapters.")]
    files: Annotated[dict[str, Sha256], Field(description="SHA-256 of config.json and of each file of weights.")]


class Full(Record):
    """All weights are trained."""

    kind: Literal["full"]


class Lora(Record):
    """LoRA factors are trained (https://arxiv.org/abs/2106.09685)."""

    kind: Literal["lora"]
    rank: Annotated[int, Field(gt=0)]
    alpha: Annotated[FiniteFloat, Field(gt=0)]
    targetModules: list[str]
    modulesToSave: list[Literal["embed_tokens", "lm_head"]]
    seed: str


class Likelihood(Record):
    """L = Σ w · (−ln π)."""

    kind: Literal["negative-log-likelihood"]


class ClippedPolicyGradient(Record):
    """See objective.py."""

    kind: Literal["clipped-policy-gradient"]
    clipLow: FiniteFloat
    clipHigh: FiniteFloat
    klCoefficient: FiniteFloat
    entropyCoefficient: FiniteFloat


Objective = Annotated[Likelihood | ClippedPolicyGradient, Field(discriminator="kind")]


class Compute(Record):
    """How, not what: results of two choices agree within a tolerance."""

    precision: Literal["float32", "bfloat16"] = "float32"
    gradientCheckpointing: bool = False
    microBatchTokens: Annotated[int, Field(gt=0, description="Tokens of packed sequences computed at once.")] = 4096
    attention: Literal["eager", "sdpa", "flash_attention_2"] = "sdpa"


class Run(Record):
    """run.json."""

    format: Literal[1]
    operation: Literal["train", "score"]
    baseModel: BaseModelFiles
    trainable: Annotated[Full | Lora, Field(discriminator="kind")]
    objective: Annotated[Objective | None, Field(description="Null where the operation is score.")]
    compute: Compute
    checkpointEvery: Annotated[int, Field(gt=0, description="Steps from one checkpoint to the next.")]

    @model_validator(mode="after")
    def _objective_belongs_to_training(self) -> Self:
        if (self.objective is not None) != (self.operation == "train"):
            raise ValueError("expected an objective with train, and null with score")
        return self


class Policy(Record):
    """Of clipped-policy-gradient alone; parallel to the targets."""

    advantages: list[FiniteFloat]
    proximalLogProbs: list[FiniteFloat]
    importanceWeights: list[FiniteFloat]
    referenceLogProbs: list[FiniteFloat]
    imitationWeights: list[FiniteFloat] | None = None


class Sequence(Record):
    """Prompt and continuation. All lists run parallel to the targets."""

    tokenIds: Annotated[list[TokenId], Field(min_length=2)]
    targets: Annotated[list[Annotated[int, Field(ge=1)]], Field(description="Index into tokenIds, ascending.")]
    weights: list[FiniteFloat] | None = None
    masks: Annotated[
        list[Annotated[int, Field(ge=0)]] | None,
        Field(description="Line of masks.jsonl (from 0) with the tokens that were legal there. Absent: all were."),
    ] = None
    policy: Policy | None = None

    @model_validator(mode="after")
    def _lists_are_parallel(self) -> Self:
        targets = self.targets
        if any(b <= a for a, b in pairwise(targets)) or (targets and targets[-1] >= len(self.tokenIds)):
            raise ValueError(f"expected ascending targets from 1 to {len(self.tokenIds) - 1}, got {targets}")
        columns = {"weights": self.weights, "masks": self.masks}
        if self.policy is not None:
            columns |= {f"policy.{name}": getattr(self.policy, name) for name in type(self.policy).model_fields}
        for name, values in columns.items():
            if values is not None and len(values) != len(targets):
                raise ValueError(f"expected {len(targets)} {name}, one per target, got {len(values)}")
        return self


class Optimizer(Record):
    """AdamW (https://arxiv.org/abs/1711.05101)."""

    learningRate: FiniteFloat
    beta1: FiniteFloat
    beta2: FiniteFloat
    epsilon: FiniteFloat
    weightDecay: Annotated[FiniteFloat, Field(description="Decoupled; of matrices only.")]
    clipNorm: Annotated[FiniteFloat, Field(description="Global L2 norm of gradients; 0 turns clipping off.")]


class Step(Record):
    """A line of steps.jsonl."""

    optimizer: Annotated[Optimizer | None, Field(description="Absent where the operation is score.")] = None
    sequences: Annotated[list[Sequence], Field(min_length=1)]


class Mask(Record):
    """A line of masks.jsonl: the tokens that are legal, or those that are not, whichever list is shorter."""

    allowed: list[TokenId] | None = None
    banned: list[TokenId] | None = None

    @model_validator(mode="after")
    def _is_one_list(self) -> Self:
        if (self.allowed is None) == (self.banned is None) or self.allowed == []:
            raise ValueError("expected either tokens that are allowed or tokens that are banned")
        return self


Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], text: str | bytes, where: str) -> Model:
    """The text as `model`. Raises INVALID_INPUT, naming the place."""
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EngineError("INVALID_INPUT", f"Cannot read {where}: {place or 'it'}: {first['msg']}.") from error


def sha256_file(path: Path) -> str:
    """SHA-256 of the file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_id(files: dict[str, str]) -> str:
    """Names a run by its input: SHA-256 of the lines that `sha256sum` prints of its files, sorted by name."""
    return hashlib.sha256("".join(f"{files[name]}  {name}\n" for name in sorted(files)).encode()).hexdigest()


def check_files(folder: Path, files: dict[str, str]) -> None:
    """Raises INVALID_INPUT where a file is missing or another one."""
    for name, digest in files.items():
        path = folder / name
        found = sha256_file(path) if path.is_file() else "none"
        if found != digest:
            message = f"Cannot use {path}: expected a file with SHA-256 {digest}, got {found}. Hand it over again."
            raise EngineError("INVALID_INPUT", message)


def open_run(folder: Path, model: Path) -> tuple[Run, str]:
    """The run of a folder and its id, with every file measured. Raises INVALID_INPUT."""
    try:
        manifest = parse(Manifest, (folder / "manifest.json").read_bytes(), "manifest.json")
    except FileNotFoundError as error:
        message = f"Cannot open the run {folder}: expected manifest.json, got none. It is written last: wait for it."
        raise EngineError("INVALID_INPUT", message) from error
    missing = {"run.json", "steps.jsonl"} - manifest.files.keys()
    if missing:
        raise EngineError("INVALID_INPUT", f"Cannot read manifest.json: expected {sorted(missing)} among its files.")
    extra = [name for name in INPUT_FILES if (folder / name).exists() and name not in manifest.files]
    if extra:
        raise EngineError("INVALID_INPUT", f"Cannot open the run {folder}: {extra} are not in its manifest.")
    check_files(folder, dict(manifest.files))
    run = parse(Run, (folder / "run.json").read_bytes(), "run.json")
    check_files(model, run.baseModel.files)
    weights = {path.name for path in model.glob("*.safetensors*")}
    if not {"config.json", *weights} <= run.baseModel.files.keys():
        message = (
            "Cannot use the model: expected config.json and all files of weights among run.json's baseModel.files."
        )
        raise EngineError("INVALID_INPUT", message)
    return run, run_id(dict(manifest.files))


def read_steps(folder: Path, run: Run, first: int = 0) -> Iterator[Step]:
    """The steps from `first` on, each read when it is wanted. Raises INVALID_INPUT."""
    with (folder / "steps.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            if number < first:
                continue
            step = parse(Step, line, f"steps.jsonl, line {number + 1}")
            if run.operation == "train":
                _check_trained(step, run, number)
            yield step


def _check_trained(step: Step, run: Run, number: int) -> None:
    where = f"Cannot train on steps.jsonl, line {number + 1}"
    if step.optimizer is None:
        raise EngineError("INVALID_INPUT", f"{where}: expected an optimizer, got none.")
    if not any(sequence.targets for sequence in step.sequences):
        raise EngineError("INVALID_INPUT", f"{where}: expected at least one target, got none.")
    is_policy = run.objective is not None and run.objective.kind == "clipped-policy-gradient"
    for index, sequence in enumerate(step.sequences):
        if sequence.weights is None:
            raise EngineError("INVALID_INPUT", f"{where}: expected weights of sequence {index}, got none.")
        if is_policy and sequence.policy is None:
            raise EngineError("INVALID_INPUT", f"{where}: expected policy of sequence {index}, got none.")


def read_masks(folder: Path) -> list[Mask]:
    """All masks; none where there is no such file."""
    path = folder / "masks.jsonl"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return [parse(Mask, line, f"masks.jsonl, line {number + 1}") for number, line in enumerate(file)]


def json_schemas() -> dict[str, str]:
    """The files' JSON Schemas (2020-12) by the names that they have in engines/torch/contract."""
    models = {"manifest": Manifest, "run": Run, "step": Step, "mask": Mask}
    return {
        f"{name}.schema.json": json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False) + "\n"
        for name, model in models.items()
    }
