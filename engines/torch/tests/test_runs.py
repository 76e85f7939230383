"""Whole jobs as processes: two against one, killed and resumed, started twice."""

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from conftest import OPTIMIZER, apart, metrics_of, output, policy_step, write, write_job
from safetensors import safe_open
from safetensors.torch import save_file
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.placement_types import Placement

from seamstream_torch.contract import FAILURE, RESULT
from seamstream_torch.errors import EngineError
from seamstream_torch.files import write_once, write_whole
from seamstream_torch.main import BUSY, REFUSED, main
from seamstream_torch.model import gathered, like
from seamstream_torch.processes import Processes, check_processors

TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


# Two sequences a step in rows of their own.
COMPUTE = ("--micro-batch-tokens", "9")


def engine(
    run: Path, model: Path, world: int = 1, options: tuple[str, ...] = (), libraries: Path | None = None
) -> subprocess.Popen:
    """The engine at work on a run; `libraries` is a further folder of modules."""
    launch = TORCHRUN if world == 2 else []
    source = str(Path(__file__).parents[1] / "src")
    path = os.pathsep.join([source, *([str(libraries)] if libraries else []), os.environ.get("PYTHONPATH", "")])
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if torch.cuda.is_available() and torch.cuda.device_count() < world else {}
    return subprocess.Popen(
        [sys.executable, *launch, "-m", "seamstream_torch", str(run), "--model", str(model), *COMPUTE, *options],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **hidden},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process: subprocess.Popen) -> tuple[int, str]:
    """Its exit status and what it said."""
    said, _ = process.communicate(timeout=300)
    return process.returncode, said


def here(run: Path, model: Path, options: tuple[str, ...] = ()) -> int:
    """The engine's exit status in this process, which has PyTorch loaded already."""
    return main([str(run), "--model", str(model), *COMPUTE, *options])


def carry_out(run: Path, model: Path, world: int = 1, options: tuple[str, ...] = ()) -> dict:
    """The result of a job."""
    status, said = finish(engine(run, model, world, options)) if world > 1 else (here(run, model, options), "")
    assert status == 0, said
    return json.loads((run / RESULT).read_text())


@pytest.mark.parametrize(
    ("trainable", "precision", "most"),
    [("full", "float32", 1e-4), ("lora", "float32", 1e-4), ("lora", "bfloat16", 5e-2)],
)
def test_two_processes_train_what_one_trains(
    folder: Path, model: Path, trainable: str, precision: str, most: float
) -> None:
    """Within rounding: sums are added in another order."""
    name = f"{trainable}-{precision}"
    one, two = (write(folder / f"{name}-{count}", model, trainable) for count in (1, 2))
    options = ("--precision", precision)
    alone, together = carry_out(one, model, 1, options), carry_out(two, model, 2, options)
    assert (alone["engine"]["worldSize"], together["engine"]["worldSize"]) == (1, 2)
    assert alone["runId"] == together["runId"]
    for figure in ("loss", "gradientNorm"):
        mine, theirs = ([step[figure] for step in metrics_of(run)] for run in (one, two))
        assert theirs == pytest.approx(mine, abs=most * max(map(abs, mine)))
    distance = apart(output(one), output(two))
    print(f"{name}: one and two processes are {distance:.1e} apart")
    assert distance < most


def test_a_killed_run_is_resumed_and_ends_with_the_bits_of_an_undisturbed_one(
    folder: Path, model: Path, capsys: pytest.CaptureFixture
) -> None:
    """With SIGKILL, at whatever step it comes."""
    whole = write(folder / "undisturbed", model, "full", steps=60)
    carry_out(whole, model)
    killed = write(folder / "killed", model, "full", steps=60)
    process = engine(killed, model)
    while process.poll() is None and not any((killed / "checkpoints").glob("*/checkpoint.json")):
        time.sleep(0.01)
    process.kill()
    finish(process)
    assert not (killed / RESULT).exists()
    assert here(killed, model) == 0
    assert "resumed after step" in capsys.readouterr().out
    digests = [json.loads((run / RESULT).read_text())["artefact"] for run in (whole, killed)]
    assert digests[0] == digests[1]


def test_a_checkpoint_that_is_not_whole_does_not_count(folder: Path, model: Path) -> None:
    """The one before it does; without any, the run begins again."""
    run = write(folder / "damaged", model, "lora")
    before = carry_out(run, model)
    newest, older = sorted((run / "checkpoints").glob("*/state.safetensors"), reverse=True)
    for damage in (
        lambda: newest.write_bytes(newest.read_bytes()[:-1]),
        lambda: older.with_name("checkpoint.json").unlink(),
    ):
        damage()
        (run / RESULT).unlink()
        assert carry_out(run, model)["artefact"] == before["artefact"]


@pytest.mark.parametrize("rank", [0, 1])
def test_the_first_process_alone_keeps_the_whole_trained_state(rank: int) -> None:
    """Of a model that is sharded since no process can hold it, the others give their part and drop the rest."""
    parts = {"a": torch.ones(2, dtype=torch.bfloat16, requires_grad=True), "b": torch.zeros(3)}
    copies = gathered(parts, Processes(rank=rank, size=2, device=torch.device("cpu"), mesh=None))
    assert {name: (value.dtype, value.tolist()) for name, value in copies.items()} == (
        {"a": (torch.float32, [1.0, 1.0]), "b": (torch.float32, [0.0, 0.0, 0.0])} if rank == 0 else {}
    )


@pytest.mark.parametrize("placement", [None, Replicate(), Shard(0)])
def test_what_is_restored_does_not_depend_on_the_file(tmp_path: Path, placement: Placement | None) -> None:
    """Older checkpoints are deleted, and a view of a mapped file is read from the file."""
    save_file({"a": torch.ones(4, 2)}, tmp_path / "state.safetensors")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        parameter = torch.zeros(4, 2)
        if placement is not None:
            parameter = distribute_tensor(parameter, init_device_mesh("cpu", (1,)), [placement])
        with safe_open(tmp_path / "state.safetensors", "pt") as state:
            value = state.get_tensor("a")
            restored = like(value, parameter)
        part = restored.to_local() if isinstance(restored, DTensor) else restored
        assert part.untyped_storage().data_ptr() != value.untyped_storage().data_ptr()
        assert part.tolist() == value.tolist()
    finally:
        dist.destroy_process_group()


def test_a_run_that_has_a_result_is_not_carried_out_again(
    folder: Path, model: Path, capsys: pytest.CaptureFixture
) -> None:
    """Nor touched."""
    run = write(folder / "twice", model, "lora", steps=2)
    carry_out(run, model)
    times = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file() and path.name != ".lock"}
    assert here(run, model) == 0
    assert "a result stands" in capsys.readouterr().out
    now = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file() and path.name != ".lock"}
    assert now == times


def test_a_finished_job_counts_whatever_the_end_of_the_interpreter_does(
    folder: Path, model: Path, tmp_path: Path
) -> None:
    """Threads of gloo abort it now and then."""
    run = write(folder / "ended", model, "lora", steps=1)
    (tmp_path / "sitecustomize.py").write_text("import atexit, os; atexit.register(os.abort)")
    process = engine(run, model, libraries=tmp_path)
    assert finish(process)[0] == 0
    assert (run / RESULT).exists()


def test_two_starts_at_once_give_one_result(folder: Path, model: Path) -> None:
    """One of them works, and the other says so."""
    run = write(folder / "at-once", model, "lora", steps=60)
    both = [engine(run, model), engine(run, model)]
    statuses = sorted(finish(process)[0] for process in both)
    assert statuses in ([0, BUSY], [0, 0])
    assert json.loads((run / RESULT).read_text())["steps"] == 60


def test_a_refused_run_says_why_in_its_folder(folder: Path, model: Path, capsys: pytest.CaptureFixture) -> None:
    """And leaves no result."""
    step = {"optimizer": OPTIMIZER, "sequences": [{"tokenIds": [1, 99], "targets": [1], "weights": [1]}]}
    write_job(folder / "refused", model, [step])
    assert here(folder / "refused", model) == REFUSED
    failure = json.loads((folder / "refused" / FAILURE).read_text())
    assert failure["code"] == "INVALID_INPUT"
    assert "expected tokens below 24, got 99" in failure["message"]
    assert failure["message"] in capsys.readouterr().err
    assert not (folder / "refused" / RESULT).exists()


def test_what_only_the_second_process_finds_is_said_in_the_folder(folder: Path, model: Path) -> None:
    """And ends both."""
    step, _ = policy_step("llama")
    long, short = ({name: s[name] for name in ("tokenIds", "targets", "weights")} for s in step["sequences"])
    short["masks"] = [0] * len(short["targets"])
    steps = [{"optimizer": OPTIMIZER, "sequences": [long, short]}]
    write_job(folder / "second", model, steps, masks=[{"tokens": "legal", "ids": [23]}])
    status, said = finish(engine(folder / "second", model, 2))
    assert status != 0
    assert "targets among their legal tokens" in said
    assert json.loads((folder / "second" / FAILURE).read_text())["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    "text",
    [
        '{"operation": "train", "runId": "another"}',
        '{"operation": "score", "runId": "run"}',
        '{"runId": "run"}',
        '{"runId"',
    ],
)
def test_a_result_that_is_not_of_this_job_is_left_alone(folder: Path, model: Path, text: str) -> None:
    """Of another run, of another operation, or damaged: the folder says so."""
    run = write(folder / f"other-{len(text)}", model, "lora", steps=1)
    job = json.loads((run / "input/job.json").read_text())
    (run / RESULT).parent.mkdir()
    text = text.replace('"run"', json.dumps(job["runId"]))
    (run / RESULT).write_text(text)
    assert here(run, model) == REFUSED
    assert json.loads((run / FAILURE).read_text())["code"] == "INVALID_INPUT"
    assert (run / RESULT).read_text() == text


def test_memory_that_is_too_small_is_said_and_not_tried_again(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what helps: the same settings would end the same way."""

    def out_of_memory(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr("seamstream_torch.training.train", out_of_memory)
    run = write(folder / "large", model, "lora", steps=1)
    assert here(run, model) == REFUSED
    failure = json.loads((run / FAILURE).read_text())
    assert failure["code"] == "INVALID_CONFIGURATION"
    assert "Tried to allocate 2.00 GiB" in failure["message"]
    assert "Use a smaller --micro-batch-tokens, --gradient-checkpointing" in failure["message"]


@pytest.mark.parametrize("write_file", [write_whole, write_once])
def test_a_write_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_file: Callable[[Path, bytes], object]
) -> None:
    """A disk that is full would stay so."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(tmp_path / "file", b"content")
    assert list(tmp_path.iterdir()) == []


def test_a_process_ends_soon_after_the_one_that_started_it() -> None:
    """Also where that one is killed, and this one leads a session of its own, as torchrun's workers do."""
    watching = (
        "import os, seamstream_torch.main as m; "
        "parent = os.getppid(); print('watches', flush=True); m._end_with(parent)"
    )
    starting = (
        "import subprocess, sys, time; "
        f"subprocess.Popen([sys.executable, '-c', {watching!r}], start_new_session=True); time.sleep(600)"
    )
    source = str(Path(__file__).parents[1] / "src")
    path = os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    parent = subprocess.Popen([sys.executable, "-c", starting], env=environment, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "watches\n"
    parent.kill()
    # The output is open as long as one of them has it.
    parent.communicate(timeout=30)


def test_processes_do_not_share_a_graphics_processor() -> None:
    """NCCL would refuse it later, in words of its own."""
    check_processors(processes=2, processors=2)
    with pytest.raises(EngineError, match="expected a graphics processor for each, got 1"):
        check_processors(processes=2, processors=1)
