"""What is read, and what is refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import OPTIMIZER, likelihood_step, write_job, write_model

from seamstream_torch.contract import Checkpoint, Job, Mask, Sequence, open_job, read_masks, read_steps
from seamstream_torch.errors import EngineError

PUBLISHED = Path(__file__).parents[3] / "libs/training-contract/src/training-files.schema.json"
SEQUENCE = {"tokenIds": [1, 2, 3], "targets": [1, 2], "weights": [0.5, 0.5]}


def fields(schema: dict, whole: dict, place: str = "") -> dict[str, object]:
    """Each field by its place: whether it has to be there, and the values that it may have where they are few."""
    if "$ref" in schema:
        return fields(whole["$defs"][schema["$ref"].rsplit("/", 1)[-1]], whole, place)
    found: dict[str, object] = {}
    for name, value in schema.get("properties", {}).items():
        at = f"{place}.{name}"
        values = value.get("enum", [value["const"]] if "const" in value else None)
        found[at] = (name in schema.get("required", []), sorted(values, key=str) if values else None)
        found |= fields(value, whole, at)
    for variant in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        if variant.get("type") == "null":
            continue
        inner = variant
        if "$ref" in variant:
            inner = whole["$defs"][variant["$ref"].rsplit("/", 1)[-1]]
        kind = inner.get("properties", {}).get("kind", {}).get("const")
        found |= fields(inner, whole, f"{place}({kind})" if kind else place)
    if isinstance(schema.get("items"), dict):
        found |= fields(schema["items"], whole, f"{place}[]")
    return found


@pytest.mark.parametrize(
    ("name", "model"), [("job", Job), ("sequence", Sequence), ("mask", Mask), ("checkpoint", Checkpoint)]
)
def test_files_have_the_fields_that_are_published(name: str, model: type) -> None:
    """Of the one format: no field more, none less, and the same ones optional."""
    published = json.loads(PUBLISHED.read_text())["$defs"][name]
    expected = {place: field for place, field in fields(published, published).items() if ".engine." not in place}
    own = model.model_json_schema()
    assert fields(own, own) == expected


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model folder."""
    return write_model(tmp_path / "model", "llama")


def refusal(folder: Path, model: Path) -> str:
    """The message of the refusal; fails where nothing is refused."""
    with pytest.raises(EngineError) as caught:
        job = open_job(folder, model)
        read_masks(folder, job)
        list(read_steps(folder, job))
    assert caught.value.code == "INVALID_INPUT"
    return str(caught.value)


Damage = Callable[[Path, Path], object]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda job, model: (job / "input/job.json").unlink(), "expected input/job.json, got none"),
        (lambda job, model: (job / "input/job.json").write_text("{"), "Cannot read input/job.json"),
        (lambda job, model: (job / "input/masks.jsonl").unlink(), "expected a file with SHA-256 .*, got none"),
        (
            lambda job, model: (job / "input/sequences.jsonl").open("a").write(" "),
            "sequences.jsonl: expected a file with SHA-256",
        ),
        (lambda job, model: (model / "config.json").open("a").write(" "), "config.json: expected a file with SHA-256"),
        (lambda job, model: (model / "more.safetensors").write_text(""), "all files of weights"),
    ],
)
def test_a_folder_that_is_not_what_its_job_says_is_refused(
    tmp_path: Path, model: Path, damage: Damage, message: str
) -> None:
    """Each by name."""
    job = write_job(tmp_path / "job", model, [likelihood_step("llama")])
    damage(job, model)
    assert re.search(message, refusal(job, model))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": [2, 1]}, "expected ascending targets from 1 to 2"),
        ({"targets": [1, 3]}, "expected ascending targets from 1 to 2"),
        ({"targets": [0, 1]}, "greater than or equal to 1"),
        ({"weights": [1]}, "expected 2 weights, one per target, got 1"),
        ({"weights": [1, float("nan")]}, "finite"),
        ({"weights": None}, "weights"),
        ({"masks": [0]}, "expected 2 masks"),
        ({"tokenIds": [1]}, "at least 2 items"),
        ({"tokenIds": [1, 2.5, 3]}, "integer"),
        ({"tokenIds": [1, -1, 3]}, "greater than or equal to 0"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_step_that_cannot_be_taken_is_refused(tmp_path: Path, model: Path, change: dict, message: str) -> None:
    """With its line."""
    steps = [{"optimizer": OPTIMIZER, "sequences": [{**SEQUENCE, **change}]}]
    refused = refusal(write_job(tmp_path / "job", model, steps), model)
    assert message in refused
    assert "input/sequences.jsonl, line 1" in refused


def test_a_step_without_a_target_a_policy_or_a_sequence_is_refused(tmp_path: Path, model: Path) -> None:
    """By its number."""
    bare = [{"optimizer": OPTIMIZER, "sequences": [{**SEQUENCE, "targets": [], "weights": []}]}]
    assert "step 0 of input/sequences.jsonl: expected at least one target" in refusal(
        write_job(tmp_path / "bare", model, bare), model
    )
    objective = dict(
        kind="clipped-policy-gradient", clipLow=0.2, clipHigh=0.2, klCoefficient=0.0, entropyCoefficient=0.0
    )
    steps = [{"optimizer": OPTIMIZER, "sequences": [SEQUENCE]}]
    policy = write_job(tmp_path / "policy", model, steps, lambda job: job.update(objective=objective))
    assert "expected policy of its sequence 0" in refusal(policy, model)
    for rates, message in [([], "step 0 of 0"), ([1e-2, 1e-2], "those of 1")]:
        folder = tmp_path / f"{len(rates)} rates"
        job = write_job(folder, model, steps, lambda job, rates=rates: job.update(learningRates=rates))
        assert message in refusal(job, model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda job: job.update(format=2), "format"),
        (lambda job: job.update(surprise=1), "surprise"),
        (lambda job: job.update(baseModelFiles={}), "baseModelFiles"),
        (lambda job: job.pop("baseModelFiles"), "baseModelFiles"),
        (lambda job: job["masks"].update(path="../masks.jsonl"), "below the job's folder"),
        (lambda job: job["sequences"].update(path="/sequences.jsonl"), "below the job's folder"),
        (
            lambda job: job.update(
                trainable=dict(kind="lora", rank=1, alpha=1, targetModules=[], modulesToSave=[], seed="")
            ),
            "expected the first factors",
        ),
    ],
)
def test_a_job_of_another_form_is_refused(
    tmp_path: Path, model: Path, change: Callable[[dict], None], message: str
) -> None:
    """By the name of its field."""
    assert message in refusal(write_job(tmp_path / "job", model, [likelihood_step("llama")], change), model)


@pytest.mark.parametrize(
    "mask", [{}, {"tokens": "some", "ids": [1]}, {"tokens": "legal", "ids": []}, {"tokens": "legal", "ids": [-1]}]
)
def test_a_mask_is_one_list(tmp_path: Path, model: Path, mask: dict) -> None:
    """With something that is legal."""
    job = write_job(tmp_path / "job", model, [likelihood_step("llama")], masks=[mask])
    assert "input/masks.jsonl, line 1" in refusal(job, model)
