"""Files that are whole or not there."""

import os
from pathlib import Path


def write_whole(path: Path, *content: bytes | memoryview) -> None:
    """Writes the parts next to the place, flushes, and renames: a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write_flushed(temporary, *content)
        temporary.replace(path)
    finally:
        # A disk that is full would stay so.
        temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)


def write_once(path: Path, content: bytes) -> bool:
    """As write_whole, but what is there stays. Whether this content is there now because of this call."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        _write_flushed(temporary, content)
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)
    return True


def _write_flushed(path: Path, *content: bytes | memoryview) -> None:
    with path.open("wb") as file:
        for part in content:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
