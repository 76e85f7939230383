"""What is read, what is refused, and the JSON Schemas of it."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import OPTIMIZER, likelihood_step, write_model, write_run

from seamstream_torch.contract import json_schemas, open_run, read_masks, read_steps, run_id
from seamstream_torch.errors import EngineError

CONTRACT = Path(__file__).parents[1] / "contract"
SEQUENCE = {"tokenIds": [1, 2, 3], "targets": [1, 2], "weights": [0.5, 0.5]}


def test_the_schemas_are_those_that_are_published() -> None:
    """`python tests/test_contract.py` writes them."""
    published = {path.name: json.loads(path.read_text()) for path in CONTRACT.glob("*.json")}
    assert published == {name: json.loads(text) for name, text in json_schemas().items()}


def test_a_run_is_named_by_its_input() -> None:
    """As `sha256sum * | sha256sum` names it, in any order."""
    files = {"run.json": "b" * 64, "masks.jsonl": "a" * 64}
    lines = f"{'a' * 64}  masks.jsonl\n{'b' * 64}  run.json\n"
    assert run_id(files) == hashlib.sha256(lines.encode()).hexdigest()
    assert run_id(files) == run_id(dict(reversed(files.items())))
    assert run_id(files) != run_id({**files, "run.json": "c" * 64})


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model folder."""
    return write_model(tmp_path / "model", "llama")


def refusal(run: Path, model: Path) -> str:
    """The message of the refusal; fails where nothing is refused."""
    with pytest.raises(EngineError) as caught:
        opened, _ = open_run(run, model)
        read_masks(run)
        list(read_steps(run, opened))
    assert caught.value.code == "INVALID_INPUT"
    return str(caught.value)


Damage = Callable[[Path, Path], object]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda run, model: (run / "manifest.json").unlink(), "expected manifest.json, got none"),
        (lambda run, model: (run / "steps.jsonl").unlink(), "steps.jsonl: expected a file with SHA-256 .*, got none"),
        (lambda run, model: (run / "steps.jsonl").open("a").write(" "), "steps.jsonl: expected a file with SHA-256"),
        (lambda run, model: (run / "masks.jsonl").write_text("{}"), "masks.jsonl.* not in its manifest"),
        (lambda run, model: (run / "manifest.json").write_text("{"), "Cannot read manifest.json"),
        (lambda run, model: (model / "config.json").open("a").write(" "), "config.json: expected a file with SHA-256"),
        (lambda run, model: (model / "more.safetensors").write_text(""), "all files of weights"),
    ],
)
def test_a_folder_that_is_not_what_its_manifest_says_is_refused(
    tmp_path: Path, model: Path, damage: Damage, message: str
) -> None:
    """Each by name."""
    write_run(tmp_path / "run", model, [likelihood_step("llama")])
    damage(tmp_path / "run", model)
    assert re.search(message, refusal(tmp_path / "run", model))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": [2, 1]}, "expected ascending targets from 1 to 2"),
        ({"targets": [1, 3]}, "expected ascending targets from 1 to 2"),
        ({"targets": [0, 1]}, "greater than or equal to 1"),
        ({"weights": [1]}, "expected 2 weights, one per target, got 1"),
        ({"weights": [1, float("nan")]}, "finite"),
        ({"weights": None}, "expected weights of sequence 0"),
        ({"masks": [0]}, "expected 2 masks"),
        ({"tokenIds": [1]}, "at least 2 items"),
        ({"tokenIds": [1, 2.5, 3]}, "integer"),
        ({"tokenIds": [1, -1, 3]}, "greater than or equal to 0"),
        ({"surprise": 1}, "surprise"),
        ({"targets": [], "weights": []}, "at least one target"),
    ],
)
def test_a_step_that_cannot_be_taken_is_refused(tmp_path: Path, model: Path, change: dict, message: str) -> None:
    """With its line."""
    write_run(tmp_path / "run", model, [{"optimizer": OPTIMIZER, "sequences": [{**SEQUENCE, **change}]}])
    refused = refusal(tmp_path / "run", model)
    assert message in refused
    assert "steps.jsonl, line 1" in refused


def test_a_step_without_an_optimizer_or_a_policy_is_refused(tmp_path: Path, model: Path) -> None:
    """Where the operation is to train."""
    write_run(tmp_path / "bare", model, [{"sequences": [SEQUENCE]}])
    assert "expected an optimizer" in refusal(tmp_path / "bare", model)
    objective = dict(
        kind="clipped-policy-gradient", clipLow=0.2, clipHigh=0.2, klCoefficient=0.0, entropyCoefficient=0.0
    )
    steps = [{"optimizer": OPTIMIZER, "sequences": [SEQUENCE]}]
    write_run(tmp_path / "policy", model, steps, lambda run: run.update(objective=objective))
    assert "expected policy of sequence 0" in refusal(tmp_path / "policy", model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda run: run.update(operation="score"), "null with score"),
        (lambda run: run.update(objective=None), "expected an objective with train"),
        (lambda run: run.update(format=2), "format"),
        (lambda run: run["compute"].update(precision="float8"), "compute.precision"),
    ],
)
def test_a_run_of_another_form_is_refused(
    tmp_path: Path, model: Path, change: Callable[[dict], None], message: str
) -> None:
    """By the name of its field."""
    write_run(tmp_path / "run", model, [likelihood_step("llama")], change)
    assert message in refusal(tmp_path / "run", model)


@pytest.mark.parametrize("mask", [{}, {"allowed": [1], "banned": [2]}, {"allowed": []}, {"allowed": [-1]}])
def test_a_mask_is_one_list(tmp_path: Path, model: Path, mask: dict) -> None:
    """With something that is legal."""
    write_run(tmp_path / "run", model, [likelihood_step("llama")], masks=[mask])
    assert "masks.jsonl, line 1" in refusal(tmp_path / "run", model)


if __name__ == "__main__":
    for name, text in json_schemas().items():
        (CONTRACT / name).write_text(text)
    print(json.dumps(sorted(json_schemas())))
