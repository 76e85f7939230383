"""Jobs on a device whose memory holds few tokens at once. Such a device is a hook that raises what PyTorch raises."""

import argparse
import json
import weakref
from pathlib import Path

import pytest
import torch
from conftest import apart, metrics_of, output, write

from seamstream_torch.compute import Compute, add_options, compute_of
from seamstream_torch.contract import FAILURE, JOB, RESULT, SCORES, Sequence, open_job, read_masks, read_steps
from seamstream_torch.errors import EngineError
from seamstream_torch.main import REFUSED, main, memory_said
from seamstream_torch.model import TrainedModel, load_model
from seamstream_torch.processes import Processes, processes
from seamstream_torch.rows import ON_CPU, ON_GPU, Rows
from seamstream_torch.sequences import MaskRows
from seamstream_torch.training import differentiate

# A step has four sequences of 9 tokens and four of 6. In rows of 32 and of 16 the largest have 27 and 15.
COPIES = 4
HOLDS, FITS = 20, 16
# Of tensors trained in rows of two sizes, relative to the tensor.
MOST = 1e-4
CHOSEN = ON_GPU if torch.cuda.is_available() else ON_CPU
OTHERS = "shorter sequences or a processor with more memory."
SAID = f"memory ran out: at most {FITS} tokens at once from here on, not {CHOSEN}"


class Memory:
    """Holds so many tokens at once; the process that needs more is refused, or ends with its forward number `last`."""

    def __init__(self, holds: int, last: int | None = None) -> None:
        self.holds = holds
        self.last = last
        self.computed: list[int] = []
        self.refused: list[int] = []
        self._last_row: weakref.ref | None = None

    def before(self, module: torch.nn.Module, args: tuple, given: dict) -> None:
        """Of each forward of the model."""
        is_free = self._last_row is None or self._last_row() is None
        assert is_free, "the tensors of the row before, which may have failed, are still there"
        self._last_row = weakref.ref(given["input_ids"])
        size = given["input_ids"].shape[1]
        if len(self.computed) == self.last:
            raise RuntimeError("killed")
        if size > self.holds:
            self.refused.append(size)
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.computed.append(size)


@pytest.fixture(scope="module")
def fixed(folder: Path, model: Path) -> Path:
    """A run in rows of a size that was given."""
    run = write(folder / "fixed", model, "lora", copies=COPIES)
    assert main([str(run), "--model", str(model), "--micro-batch-tokens", str(FITS)]) == 0
    return run


def carry_out(run: Path, model: Path, memory: Memory, patch: pytest.MonkeyPatch, *options: str) -> int:
    """The exit status on a device with this memory."""

    def limited(*given: object) -> TrainedModel:
        found = load_model(*given)
        found.module.register_forward_pre_hook(memory.before, with_kwargs=True)
        return found

    patch.setattr("seamstream_torch.model.load_model", limited)
    return main([str(run), "--model", str(model), *options])


def alone(device: str = "cpu", size: int = 1) -> Processes:
    """The first of so many processes."""
    return Processes(rank=0, size=size, device=torch.device(device), mesh=None)


def sequences_of(*lengths: int) -> list[Sequence]:
    """Of so many tokens, each trained on its last."""
    return [Sequence(tokenIds=[0] * each, targets=[each - 1], weights=[1.0], step=0) for each in lengths]


@pytest.mark.parametrize(
    ("words", "device", "size", "expected"),
    [
        ([], "cpu", 1, ON_CPU),
        ([], "cuda", 1, ON_GPU),
        (["--micro-batch-tokens", "auto"], "cuda", 1, ON_GPU),
        ([], "cuda", 2, ON_CPU),
        (["--micro-batch-tokens", "70"], "cuda", 1, 70),
    ],
)
def test_the_size_is_given_or_suits_the_device(words: list[str], device: str, size: int, expected: int) -> None:
    """Larger on a graphics processor, where one process has it."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    assert Rows(compute_of(parser.parse_args(words)), alone(device, size)).most_tokens == expected


@pytest.mark.parametrize("text", ["0", "-4", "1.5", "automatic"])
def test_another_size_is_refused(text: str, capsys: pytest.CaptureFixture) -> None:
    """With what is expected."""
    parser = argparse.ArgumentParser()
    add_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args([f"--micro-batch-tokens={text}"])
    assert f"expected auto or a number above 0, got {text}" in capsys.readouterr().err


def test_rows_that_do_not_fit_are_halved_once_for_the_whole_job(
    folder: Path, model: Path, fixed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """And the job trains what it trains in rows of the smaller size."""
    run, memory = write(folder / "halved", model, "lora", copies=COPIES), Memory(HOLDS)
    assert carry_out(run, model, memory, monkeypatch) == 0
    assert memory.refused == [60, 27]
    assert memory.computed == [15] * 4 * 6
    assert capsys.readouterr().out.splitlines() == [SAID]
    assert apart(output(run), output(fixed)) < MOST
    for mine, theirs in zip(metrics_of(run), metrics_of(fixed), strict=True):
        assert mine == pytest.approx(theirs, rel=MOST, abs=1e-6)


def test_what_a_failed_backward_has_added_does_not_count(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor what the rows before it have."""
    run = write(folder / "backward", model, "full", steps=1, copies=COPIES)
    job = open_job(run, model)

    def gradients(compute: Compute, fails_at: int | None) -> tuple[float, dict[str, torch.Tensor], list[int]]:
        with processes() as one:
            loaded = load_model(model, run, job, compute, one)
        names, left = list(loaded.trained), []
        first = loaded.trained[next(name for name in names if "embed_tokens" in name)]
        reached = []

        def failing(_: torch.Tensor) -> None:
            reached.append(True)
            if len(reached) == fails_at:
                left.append(sum(parameter.grad is not None for parameter in loaded.trained.values()))
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

        first.register_hook(failing)
        loaded.module.register_forward_pre_hook(Memory(1000).before, with_kwargs=True)
        masks = MaskRows(read_masks(run, job), loaded.vocabulary, one.device)
        rows = Rows(compute, one)
        loss, _, _ = differentiate(job, rows, next(iter(read_steps(run, job))), loaded, masks, one)
        assert rows.most_tokens == FITS
        return loss, {name: parameter.grad for name, parameter in loaded.trained.items()}, left

    loss, expected, _ = gradients(Compute(micro_batch_tokens=FITS), None)
    for name in ("ON_CPU", "ON_GPU"):
        monkeypatch.setattr(f"seamstream_torch.rows.{name}", 32)
    # The backward of the second row, when every parameter has a gradient of the first.
    again, found, left = gradients(Compute(), 2)
    assert left == [len(expected)]
    assert again == pytest.approx(loss, rel=1e-6)
    assert apart(found, expected) < 1e-6


@pytest.mark.parametrize("holds", [HOLDS, 1000], ids=["as-much", "more"])
def test_a_job_that_was_halved_is_resumed(
    folder: Path,
    model: Path,
    fixed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    holds: int,
) -> None:
    """The size is no part of what the engine is: rows begin with the chosen size again, and results agree."""
    run = write(folder / f"resumed-{holds}", model, "lora", copies=COPIES)
    with pytest.raises(RuntimeError, match="killed"):
        carry_out(run, model, Memory(HOLDS, last=4 * 3 + 1), monkeypatch)
    capsys.readouterr()
    memory = Memory(holds)
    assert carry_out(run, model, memory, monkeypatch) == 0
    assert memory.computed == ([15] * 4 * 3 if holds == HOLDS else [60] * 3)
    assert capsys.readouterr().out.splitlines() == ["resumed after step 3", *([SAID] if holds == HOLDS else [])]
    assert apart(output(run), output(fixed)) < MOST
    assert json.loads((run / RESULT).read_text())["engine"] == json.loads((fixed / RESULT).read_text())["engine"]


@pytest.mark.parametrize(
    ("holds", "options", "refused", "remedy"),
    [
        (8, [], [60, 27, 15, 9], f"Use --gradient-checkpointing, --precision bfloat16, {OTHERS}"),
        (7, ["--precision", "bfloat16", "--gradient-checkpointing"], [60, 27, 15, 9], f"Use {OTHERS}"),
        (
            HOLDS,
            ["--micro-batch-tokens", "64"],
            [60],
            f"Use a smaller --micro-batch-tokens, --gradient-checkpointing, --precision bfloat16, {OTHERS}",
        ),
    ],
    ids=["one-sequence", "one-sequence-with-less", "given"],
)
def test_what_cannot_be_smaller_ends_the_job(
    folder: Path,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    holds: int,
    options: list[str],
    refused: list[int],
    remedy: str,
) -> None:
    """A sequence alone in its row, and rows of a size that was given. Only what can help is named."""
    run, memory = write(folder / f"ended-{holds}", model, "lora", copies=COPIES), Memory(holds)
    assert carry_out(run, model, memory, monkeypatch, *options) == REFUSED
    assert memory.refused == refused
    failure = json.loads((run / FAILURE).read_text())
    assert failure["code"] == "INVALID_CONFIGURATION"
    assert failure["message"].endswith(f"Tried to allocate 2.00 GiB. {remedy}")


def test_several_processes_are_told_of_a_smaller_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """They did not try one."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(EngineError, match="Use a smaller --micro-batch-tokens, --gradient"), memory_said(Compute()):
        raise torch.OutOfMemoryError("CUDA out of memory.")


def test_scores_are_computed_again_in_smaller_rows(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """All of them, and they are those of the smaller size."""
    scores = []
    for name, memory, options in [
        ("scores", Memory(HOLDS), []),
        ("scores-fixed", Memory(1000), ["--micro-batch-tokens", str(FITS)]),
    ]:
        run = write(folder / name, model, "lora", steps=1, copies=COPIES)
        (run / JOB).write_text(json.dumps({**json.loads((run / JOB).read_text()), "operation": "score"}))
        assert carry_out(run, model, memory, monkeypatch, *options) == 0
        assert memory.computed == [15] * 4
        scores.append([json.loads(line) for line in (run / SCORES).read_text().splitlines()])
    assert capsys.readouterr().out.splitlines() == [SAID]
    assert len(scores[0]) == 2 * COPIES
    for mine, theirs in zip(*scores, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-6)


def test_what_was_computed_is_dropped_before_it_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what the device keeps of it is given back."""
    said: list[object] = []

    def compute(row: list[int]) -> None:
        said.append(row)
        if len(row) > 2:
            raise RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")

    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: said.append("emptied"))
    rows = Rows(Compute(), alone())
    rows.each(sequences_of(5, 4, 3), compute, lambda: said.append("dropped"))
    assert said == [[0, 1, 2], "dropped", "emptied", [0, 2], [1]]
    assert rows.most_tokens == 8


@pytest.mark.parametrize(
    ("size", "error"),
    [(2, torch.OutOfMemoryError("CUDA out of memory.")), (1, RuntimeError("CUDA error: an illegal memory access"))],
    ids=["several-processes", "another-fault"],
)
def test_nothing_is_computed_again(size: int, error: RuntimeError) -> None:
    """With several processes, of which the others would wait, and where the memory is not at fault."""
    seen: list[list[int]] = []

    def compute(row: list[int]) -> None:
        seen.append(row)
        raise error

    with pytest.raises(type(error), match=str(error)):
        Rows(Compute(), alone(size=size)).each(sequences_of(5, 4, 3), compute, lambda: None)
    assert seen == [[0, 1, 2]]
