"""Carries out the job of a folder: `torchrun … -m seamstream_torch JOB --model FOLDER`, or without torchrun.

Exit status 0: the folder holds a result. 65: the input is refused, a figure was not finite, or the memory of a
processor is too small; output/failure.json says why. 75: another process works in the folder. 130: whoever started it
has ended (--end-with-input, --end-with-parent).
"""

import argparse
import fcntl
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seamstream_torch import __version__
from seamstream_torch.compute import Compute, add_options, compute_of
from seamstream_torch.contract import FAILURE, RESULT, Job, ResultHead, open_job, parse
from seamstream_torch.errors import EngineError, is_out_of_memory
from seamstream_torch.files import write_whole

REFUSED, BUSY, LEFT = 65, 75, 130
LOOK_EVERY_S = 0.5


class BusyError(Exception):
    """Another process works in the folder."""


def main(arguments: list[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="seamstream-torch", description="Carries out the job of a folder.")
    parser.add_argument("job", type=Path, help="folder with input/job.json")
    parser.add_argument("--model", type=Path, required=True, help="folder of the base model (Hugging Face)")
    parser.add_argument("--end-with-input", action="store_true", help="end at once when the standard input does")
    parser.add_argument("--end-with-parent", action="store_true", help="end soon after the process that started it")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    add_options(parser)
    given = parser.parse_args(arguments)
    if given.end_with_input:
        threading.Thread(target=_end_with_input, daemon=True).start()
    if given.end_with_parent:
        threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    is_first = os.environ.get("RANK", "0") == "0"
    compute = compute_of(given)
    try:
        with held(given.job, is_first), memory_said(compute):
            carry_out(given.job, given.model, compute)
    except EngineError as error:
        # Whichever process found it: the others may never come so far.
        if given.job.is_dir():
            failure = {"code": error.code, "message": str(error)}
            write_whole(given.job / FAILURE, (json.dumps(failure) + "\n").encode())
        print(f"{error.code}: {error}", file=sys.stderr)
        return REFUSED
    except BusyError:
        print(f"another process works in {given.job}; wait for its result", file=sys.stderr)
        return BUSY
    return 0


def carry_out(folder: Path, model_folder: Path, compute: Compute) -> None:
    """Nothing where a result stands; else all that is left to do. Raises EngineError."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        # Of an attempt before this one: one that is killed says nothing. Of several processes another may have failed.
        (folder / FAILURE).unlink(missing_ok=True)
    job = open_job(folder, model_folder)
    if stands(folder / RESULT, job):
        print("a result stands", flush=True)
        return
    # PyTorch takes seconds to load: what is refused or done already does not wait for it.
    from seamstream_torch.model import load_model
    from seamstream_torch.processes import processes
    from seamstream_torch.results import identity, publish_adapter, publish_scores
    from seamstream_torch.scoring import score
    from seamstream_torch.training import train

    with processes() as all_of_them:
        engine = identity(compute, all_of_them)
        model = load_model(model_folder, folder, job, compute, all_of_them)
        if job.operation == "train":
            metrics = train(folder, job, compute, engine, model, all_of_them)
            tensors = model.tensors(all_of_them)
            if all_of_them.is_first:
                publish_adapter(folder, job, engine, metrics, tensors)
        else:
            scores = score(folder, job, compute, model, all_of_them)
            if all_of_them.is_first:
                publish_scores(folder, job, engine, scores)
        all_of_them.wait()


def stands(result: Path, job: Job) -> bool:
    """Whether the job has its result. Raises INVALID_INPUT where another job's lies there, or a damaged one."""
    if not result.exists():
        return False
    found = parse(ResultHead, result.read_bytes(), RESULT)
    if (found.runId, found.operation) != (job.runId, job.operation):
        message = (
            f"Cannot carry out run {job.runId}: expected no result or one to {job.operation} in its folder, "
            f"got one of run {found.runId} to {found.operation}. Give each job its own folder."
        )
        raise EngineError("INVALID_INPUT", message)
    return True


@contextmanager
def memory_said(compute: Compute) -> Iterator[None]:
    """Raises INVALID_CONFIGURATION where a processor's memory is too small: the next try would end as this one."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        message = (
            f"Cannot compute the job: expected it to fit the memory of the processor, got: {str(error)[:500]} "
            f"{_remedy(compute)}"
        )
        raise EngineError("INVALID_CONFIGURATION", message) from error


def _remedy(compute: Compute) -> str:
    """What can help. One process that chooses the size has lowered it as far as it goes (rows.py)."""
    has_lowered = compute.micro_batch_tokens is None and os.environ.get("WORLD_SIZE", "1") == "1"
    found = [] if has_lowered else ["a smaller --micro-batch-tokens"]
    if not compute.gradient_checkpointing:
        found.append("--gradient-checkpointing")
    if compute.precision == "float32":
        found.append("--precision bfloat16")
    return f"Use {', '.join([*found, 'shorter sequences'])} or a processor with more memory."


@contextmanager
def held(folder: Path, is_first: bool) -> Iterator[None]:
    """One start at a time; the system lets go when the process ends, however it ends. Raises BusyError."""
    if not is_first or not folder.is_dir():
        yield
        return
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError from error
        yield


def _end_with_input() -> None:
    """Ends this process when whoever holds the other end of the pipe does, even by SIGKILL."""
    while os.read(0, 1024):
        pass
    # What is whole in the folder stays so at any moment: nothing is left to tidy.
    os._exit(LEFT)


def _end_with(parent: int) -> None:
    """Ends this process when it has another parent: torchrun's workers lead sessions of their own, and outlive it."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os._exit(LEFT)
