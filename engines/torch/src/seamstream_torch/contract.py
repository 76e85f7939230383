"""The files of a job, as libs/training-contract writes and reads them; training-files.schema.json says which.

input/job.json                        what to do; written last, and names the other input by digest
input/sequences.jsonl                 a sequence per line, by step
input/masks.jsonl                     each distinct set of legal tokens once; its line, from 0, names it
input/start.safetensors               the tensors that training starts from; absent: those of the base model
checkpoints/step-000005/              a state to resume from (checkpoints.py); checkpoint.json is written last
output/metrics.jsonl                  a line per step, written anew after each
output/adapter.safetensors, output/scores.jsonl
output/result.json                    written last, and never twice
output/failure.json                   why the last attempt ended without a result
"""

import hashlib
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, field_validator, model_validator

from seamstream_torch.errors import EngineError

JOB = "input/job.json"
METRICS = "output/metrics.jsonl"
ADAPTER = "output/adapter.safetensors"
SCORES = "output/scores.jsonl"
RESULT = "output/result.json"
FAILURE = "output/failure.json"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
TokenId = Annotated[int, Field(ge=0)]
Text = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """JSON with exactly these fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FileRef(Record):
    """A file of the job, by its path below the job's folder."""

    path: Text
    sha256: Sha256
    sizeBytes: Annotated[int, Field(ge=0)]

    @field_validator("path")
    @classmethod
    def _is_below(cls, path: str) -> str:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"expected a path below the job's folder, got {path}")
        return path


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


class Optimizer(Record):
    """AdamW (https://arxiv.org/abs/1711.05101). Decay is decoupled, and of matrices only."""

    beta1: FiniteFloat
    beta2: FiniteFloat
    epsilon: FiniteFloat
    weightDecay: FiniteFloat
    clipNorm: FiniteFloat


class Job(Record):
    """input/job.json."""

    format: Literal[1]
    operation: Literal["score", "train"]
    runId: Text
    baseModelDigest: Text
    baseModelFiles: dict[str, Sha256] | None = None
    vocabularySize: Annotated[int, Field(gt=0)]
    trainable: Annotated[Full | Lora, Field(discriminator="kind")]
    objective: Annotated[Likelihood | ClippedPolicyGradient, Field(discriminator="kind")]
    optimizer: Optimizer
    learningRates: list[FiniteFloat]
    checkpointEverySteps: Annotated[int, Field(gt=0)]
    start: FileRef | None
    sequences: FileRef
    masks: FileRef


class Policy(Record):
    """Of clipped-policy-gradient alone; parallel to the targets."""

    advantages: list[FiniteFloat]
    proximalLogProbs: list[FiniteFloat]
    importanceWeights: list[FiniteFloat]
    referenceLogProbs: list[FiniteFloat]
    imitationWeights: list[FiniteFloat] | None = None


class Sequence(Record):
    """A line of input/sequences.jsonl: prompt and continuation. All lists run parallel to the targets."""

    tokenIds: Annotated[list[TokenId], Field(min_length=2)]
    targets: list[Annotated[int, Field(ge=1)]]
    weights: list[FiniteFloat]
    masks: list[Annotated[int, Field(ge=0)]] | None = None
    policy: Policy | None = None
    step: Annotated[int, Field(ge=0)]

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


class Mask(Record):
    """A line of input/masks.jsonl: the tokens that are legal, or those that are not, whichever list is shorter."""

    tokens: Literal["legal", "banned"]
    ids: list[TokenId]

    @model_validator(mode="after")
    def _leaves_something(self) -> Self:
        if self.tokens == "legal" and not self.ids:
            raise ValueError("expected at least one legal token")
        return self


class Checkpoint(Record):
    """checkpoints/step-000005/checkpoint.json."""

    runId: Text
    step: Annotated[int, Field(gt=0)]
    engine: dict
    state: Annotated[list[FileRef], Field(min_length=1)]


class ResultHead(BaseModel):
    """Of output/result.json: whose it is."""

    model_config = ConfigDict(strict=True, frozen=True)

    operation: Literal["score", "train"]
    runId: Text


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


def file_ref(folder: Path, path: str) -> dict:
    """What other files say of this one."""
    file = folder / path
    return {"path": path, "sha256": sha256_file(file), "sizeBytes": file.stat().st_size}


def check_digest(path: Path, digest: str) -> None:
    """Raises INVALID_INPUT where the file is missing or another one."""
    found = sha256_file(path) if path.is_file() else "none"
    if found != digest:
        message = f"Cannot use {path}: expected a file with SHA-256 {digest}, got {found}. Hand it over again."
        raise EngineError("INVALID_INPUT", message)


def open_job(folder: Path, model: Path) -> Job:
    """The job of a folder, with every file measured. Raises INVALID_INPUT."""
    try:
        text = (folder / JOB).read_bytes()
    except FileNotFoundError as error:
        message = f"Cannot open the job {folder}: expected {JOB}, got none. It is written last: wait for it."
        raise EngineError("INVALID_INPUT", message) from error
    job = parse(Job, text, JOB)
    for file in (job.sequences, job.masks, job.start):
        if file is not None:
            check_digest(folder / file.path, file.sha256)
    if job.trainable.kind == "lora" and job.start is None:
        message = f"Cannot carry out run {job.runId}: expected the first factors of its LoRA as start, got none."
        raise EngineError("INVALID_INPUT", message)
    _check_model(model, job)
    return job


def _check_model(model: Path, job: Job) -> None:
    expected = job.baseModelFiles or {}
    for name, digest in expected.items():
        check_digest(model / name, digest)
    weights = {path.name for path in model.glob("*.safetensors*")}
    if not {"config.json", *weights} <= expected.keys():
        message = (
            f"Cannot use the model {model}: expected config.json and all files of weights among the job's "
            "baseModelFiles. Write the job with the digests of the base model's files."
        )
        raise EngineError("INVALID_INPUT", message)


def read_sequences(folder: Path, job: Job) -> Iterator[Sequence]:
    """The sequences, each read when it is wanted. Raises INVALID_INPUT."""
    with (folder / job.sequences.path).open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            yield parse(Sequence, line, f"{job.sequences.path}, line {number + 1}")


def read_steps(folder: Path, job: Job, first: int = 0) -> Iterator[list[Sequence]]:
    """The sequences of each step from `first` on. Raises INVALID_INPUT."""
    expected = 0
    for number, group in groupby(read_sequences(folder, job), lambda sequence: sequence.step):
        sequences = list(group)
        if number != expected or number >= len(job.learningRates):
            message = f"expected step {expected} of {len(job.learningRates)}, got step {number}"
            raise EngineError("INVALID_INPUT", f"Cannot read {job.sequences.path}: {message}.")
        expected += 1
        if number >= first:
            _check_trained(sequences, job, number)
            yield sequences
    if expected < len(job.learningRates):
        message = f"expected the sequences of {len(job.learningRates)} steps, got those of {expected}"
        raise EngineError("INVALID_INPUT", f"Cannot read {job.sequences.path}: {message}.")


def _check_trained(sequences: list[Sequence], job: Job, number: int) -> None:
    where = f"Cannot take step {number} of {job.sequences.path}"
    if not any(sequence.targets for sequence in sequences):
        raise EngineError("INVALID_INPUT", f"{where}: expected at least one target, got none.")
    for index, sequence in enumerate(sequences):
        if job.objective.kind == "clipped-policy-gradient" and sequence.policy is None:
            raise EngineError("INVALID_INPUT", f"{where}: expected policy of its sequence {index}, got none.")


def read_masks(folder: Path, job: Job) -> list[Mask]:
    """All masks."""
    with (folder / job.masks.path).open(encoding="utf-8") as file:
        return [parse(Mask, line, f"{job.masks.path}, line {number + 1}") for number, line in enumerate(file)]
