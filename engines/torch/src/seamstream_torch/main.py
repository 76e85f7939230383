"""Carries out the run of a folder: `torchrun … -m seamstream_torch RUN --model FOLDER`, or without torchrun.

Exit status 0: the folder holds a result. 65: the input is refused, or a figure was not finite; failure.json says why.
75: another process works in the folder.
"""

import argparse
import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seamstream_torch.contract import open_run
from seamstream_torch.errors import EngineError
from seamstream_torch.files import write_whole

REFUSED, BUSY = 65, 75


class BusyError(Exception):
    """Another process works in the folder."""


def main(arguments: list[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="seamstream-torch", description="Carries out the run of a folder.")
    parser.add_argument("run", type=Path, help="folder with manifest.json, run.json and steps.jsonl")
    parser.add_argument("--model", type=Path, required=True, help="folder of the base model (Hugging Face)")
    given = parser.parse_args(arguments)
    is_first = os.environ.get("RANK", "0") == "0"
    try:
        with held(given.run, is_first):
            carry_out(given.run, given.model)
    except EngineError as error:
        # Whichever process found it: the others may never come so far.
        if given.run.is_dir():
            failure = {"code": error.code, "message": str(error)}
            write_whole(given.run / "failure.json", (json.dumps(failure) + "\n").encode())
        print(f"{error.code}: {error}", file=sys.stderr)
        return REFUSED
    except BusyError:
        print(f"another process works in {given.run}; wait for its result", file=sys.stderr)
        return BUSY
    return 0


def carry_out(folder: Path, model_folder: Path) -> None:
    """Nothing where a result stands; else all that is left to do. Raises EngineError."""
    run, run_id = open_run(folder, model_folder)
    if stands(folder / "result.json", run_id):
        print("a result stands", flush=True)
        return
    # PyTorch takes seconds to load: what is refused or done already does not wait for it.
    from seamstream_torch.model import load_model
    from seamstream_torch.processes import processes
    from seamstream_torch.results import adapter_files, publish
    from seamstream_torch.scoring import score
    from seamstream_torch.training import train

    with processes() as all_of_them:
        model = load_model(model_folder, folder, run, all_of_them)
        if run.operation == "train":
            metrics = train(folder, run, run_id, model, all_of_them)
            files = adapter_files(run, model)
        else:
            metrics, files = [], {"scores.jsonl": score(folder, run, model, all_of_them)}
        if all_of_them.is_first:
            publish(folder, run, run_id, metrics, files, all_of_them)
        all_of_them.wait()


def stands(result: Path, run_id: str) -> bool:
    """Whether the run has its result. Raises INVALID_INPUT where another run has its own there."""
    if not result.exists():
        return False
    found = json.loads(result.read_bytes())["runId"]
    if found != run_id:
        message = f"Cannot carry out run {run_id}: the result of {found} lies in its folder. Give each run its own."
        raise EngineError("INVALID_INPUT", message)
    return True


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
