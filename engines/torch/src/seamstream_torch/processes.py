"""The processes that compute together, as torchrun starts them; one process without it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from seamstream_torch.errors import EngineError


@dataclass(frozen=True)
class Processes:
    """This process among `size`; `mesh` is None where it is alone."""

    rank: int
    size: int
    device: torch.device
    mesh: DeviceMesh | None

    @property
    def is_first(self) -> bool:
        """Whether this one writes files."""
        return self.rank == 0

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """Σ over all processes, in place."""
        if self.mesh is not None:
            dist.all_reduce(values)
        return values

    def wait(self) -> None:
        """Until all have come here."""
        if self.mesh is not None:
            dist.barrier()


def world_size() -> int:
    """How many processes torchrun started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def check_processors(processes: int, processors: int) -> None:
    """Raises INVALID_CONFIGURATION where processes would have to share a graphics processor, which NCCL refuses."""
    if processes <= processors:
        return
    message = (
        f"Cannot start {processes} processes on this machine: expected a graphics processor for each, "
        f"got {processors}. Start as many as there are, or hide them (CUDA_VISIBLE_DEVICES=) to compute on the CPU."
    )
    raise EngineError("INVALID_CONFIGURATION", message)


@contextmanager
def processes() -> Iterator[Processes]:
    """Joins the others. Results of equal processes are equal bits as far as PyTorch can promise it."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    # No operation here reads memory that it has not written: filling it first costs time and hides nothing.
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.manual_seed(0)
    has_gpu = torch.cuda.is_available()
    if has_gpu:
        check_processors(int(os.environ.get("LOCAL_WORLD_SIZE", "1")), torch.cuda.device_count())
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if has_gpu else torch.device("cpu")
    if has_gpu:
        torch.cuda.set_device(device)
    if world_size() == 1:
        yield Processes(rank=0, size=1, device=device, mesh=None)
        return
    dist.init_process_group("nccl" if has_gpu else "gloo")
    try:
        mesh = init_device_mesh(device.type, (dist.get_world_size(),))
        yield Processes(rank=dist.get_rank(), size=dist.get_world_size(), device=device, mesh=mesh)
    finally:
        dist.destroy_process_group()
