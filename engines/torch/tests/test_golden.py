"""Losses, gradients and a step of small models, against the figures that the ONNX engine is held to as well."""

from pathlib import Path

import pytest
import torch
from conftest import golden, likelihood_step, policy_step, unpack, write_job, write_model

from seamstream_torch.compute import Compute
from seamstream_torch.contract import open_job, read_masks, read_steps
from seamstream_torch.model import load_model
from seamstream_torch.processes import processes
from seamstream_torch.rows import Rows
from seamstream_torch.sequences import MaskRows
from seamstream_torch.training import adamw, differentiate, take_step

# As golden.spec.ts: both add in float32 in different orders, which stays below this share of the largest value.
TOLERANCE = 2e-5


def distance(got: torch.Tensor, expected: torch.Tensor) -> float:
    """The largest difference, as a share of the largest expected value."""
    assert got.shape == expected.shape
    got = got.cpu()
    return float((got - expected).abs().max() / max(float(expected.abs().max()), 1e-3))


def opened(folder: Path, family: str, step: dict, allowed: list[dict] | None, objective: dict, given: dict) -> tuple:
    """Everything that a step needs."""
    model_folder = write_model(folder / "model", family)
    place = write_job(folder / "job", model_folder, [step], lambda job: job.update(objective=objective), allowed)
    job = open_job(place, model_folder)
    compute = Compute(**{"micro_batch_tokens": 64, **given})
    with processes() as alone:
        model = load_model(model_folder, place, job, compute, alone)
    masks = MaskRows(read_masks(place, job), model.vocabulary, alone.device)
    return job, Rows(compute, alone), next(iter(read_steps(place, job))), model, masks, alone


LIKELIHOOD = {"kind": "negative-log-likelihood"}
# One packed row; a row per sequence; activations computed twice; the plain attention.
WAYS = [{}, {"micro_batch_tokens": 9}, {"gradient_checkpointing": True}, {"attention": "eager"}]


@pytest.mark.parametrize("given", WAYS, ids=["packed", "apart", "checkpointed", "eager"])
def test_the_likelihood_and_its_gradient_for_every_weight(tmp_path: Path, family: str, given: dict) -> None:
    """Whatever way it is computed."""
    job, rows, sequences, model, masks, alone = opened(
        tmp_path, family, likelihood_step(family), None, LIKELIHOOD, given
    )
    loss, _, tokens = differentiate(job, rows, sequences, model, masks, alone)
    expected = golden(family)["likelihood"]
    assert abs(loss / expected["loss"] - 1) < TOLERANCE
    assert tokens == len(expected["weights"])
    assert sorted(model.trained) == sorted(expected["gradients"])
    for name, packed in expected["gradients"].items():
        assert distance(model.trained[name].grad, unpack(packed)) < TOLERANCE, name


def test_the_step_is_clipped_and_decayed(tmp_path: Path, family: str) -> None:
    """And decays matrices only."""
    job, rows, sequences, model, masks, alone = opened(tmp_path, family, likelihood_step(family), None, LIKELIHOOD, {})
    figures = take_step(job, rows, sequences, job.learningRates[0], model, adamw(model), masks, alone)
    expected = golden(family)["likelihood"]
    assert abs(figures["gradientNorm"] / expected["gradientNorm"] - 1) < TOLERANCE
    for name, packed in expected["afterStep"].items():
        assert distance(model.trained[name].detach(), unpack(packed)) < TOLERANCE, name


def policy_of(folder: Path, family: str, given: dict) -> tuple:
    """The policy objective under its masks."""
    step, masks = policy_step(family)
    return opened(folder, family, step, masks, golden(family)["policy"]["objective"], given)


@pytest.mark.parametrize("given", WAYS, ids=["packed", "apart", "checkpointed", "eager"])
def test_the_policy_objective_under_masks(tmp_path: Path, family: str, given: dict) -> None:
    """With its statistics and its gradients."""
    job, rows, sequences, model, masks, alone = policy_of(tmp_path, family, given)
    loss, statistics, _ = differentiate(job, rows, sequences, model, masks, alone)
    expected = golden(family)["policy"]
    assert abs(loss - expected["loss"]) < 1e-5
    for name in ("klNats", "entropyNats", "clippedRatio"):
        assert statistics[name] == pytest.approx(expected[name], abs=5e-6), name
    for name, packed in expected["gradients"].items():
        assert distance(model.trained[name].grad, unpack(packed)) < TOLERANCE, name


@pytest.mark.parametrize("attention", ["auto", "sdpa"])
def test_bfloat16_is_near(tmp_path: Path, family: str, attention: str) -> None:
    """Eight bits of mantissa: some percent of a gradient's length, and not float32 by another name.

    On a graphics processor `auto` is flash attention.
    """
    given = {"precision": "bfloat16", "attention": attention}
    job, rows, sequences, model, masks, alone = opened(
        tmp_path, family, likelihood_step(family), None, LIKELIHOOD, given
    )
    loss, _, _ = differentiate(job, rows, sequences, model, masks, alone)
    expected = golden(family)["likelihood"]
    assert 1e-7 < abs(loss / expected["loss"] - 1) < 2e-2
    gradients = {name: unpack(packed) for name, packed in expected["gradients"].items()}
    apart = sum(float(((model.trained[n].grad.cpu() - g) ** 2).sum()) for n, g in gradients.items())
    assert apart < 0.05**2 * sum(float((g**2).sum()) for g in gradients.values())
