"""How many tokens of packed sequences are computed at once. Where that was not given it falls with the memory."""

import gc
from collections.abc import Callable
from collections.abc import Sequence as Items

import torch

from seamstream_torch.compute import Compute
from seamstream_torch.contract import Sequence
from seamstream_torch.errors import is_out_of_memory
from seamstream_torch.processes import Processes
from seamstream_torch.sequences import pack

# Where no number is given. docs/how-to/gpu-training.md has the speed of both on a graphics processor.
ON_CPU, ON_GPU = 4096, 16384


class Rows:
    """The rows of a job, each of at most `most_tokens` or of one sequence."""

    def __init__(self, compute: Compute, processes: Processes) -> None:
        self._processes = processes
        # With several processes the others would wait in a collective for the one that computes again.
        self._may_fall = compute.micro_batch_tokens is None and processes.size == 1
        is_large = self._may_fall and processes.device.type == "cuda"
        self.most_tokens: int = compute.micro_batch_tokens or (ON_GPU if is_large else ON_CPU)

    def each(
        self, sequences: Items[Sequence], compute: Callable[[list[int]], None], forget: Callable[[], None]
    ) -> None:
        """Calls `compute` with the indices of each row that this process has.

        Where the memory runs out, `forget` drops what was computed, and all is computed again in smaller rows. Their
        size holds for the rest of the job. A row of one sequence that does not fit raises what PyTorch raised, and so
        does any row where the size was given.
        """
        before = self.most_tokens
        while (failed := self._failed(sequences, compute)) is not None:
            # The exception is gone, and with it the frames that held the row's tensors.
            forget()
            while self.most_tokens >= failed:
                self.most_tokens //= 2
            gc.collect()
            torch.cuda.empty_cache()
        if self.most_tokens < before:
            print(f"memory ran out: at most {self.most_tokens} tokens at once from here on, not {before}", flush=True)

    def _failed(self, sequences: Items[Sequence], compute: Callable[[list[int]], None]) -> int | None:
        """The tokens of the first row for which the memory is too small."""
        rows = pack(sequences, self.most_tokens, self._processes.size)
        for row in rows[self._processes.rank :: self._processes.size]:
            try:
                compute(row)
            except RuntimeError as error:
                # A sequence alone stays alone in rows of any size.
                if not (self._may_fall and len(row) > 1 and is_out_of_memory(error)):
                    raise
                return sum(len(sequences[index].tokenIds) for index in row)
        return None
