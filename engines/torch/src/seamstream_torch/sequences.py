"""Sequences packed into rows without padding: [1, T] tokens whose positions begin anew with each sequence.

transformers reads where a sequence begins from these positions, and lets none attend to another.
"""

from collections.abc import Sequence as Items
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from seamstream_torch.contract import Mask, Sequence
from seamstream_torch.errors import EngineError
from seamstream_torch.objective import Columns


@dataclass(frozen=True)
class Batch:
    """T tokens of packed sequences, N trained ones among them."""

    tokens: Tensor  # [1, T]
    positions: Tensor  # [1, T]
    lengths: list[int]  # of the S sequences; their sum is T
    starts: Tensor  # [S + 1], int32: how many tokens lie before each, and T
    places: Tensor  # [N], index into T of the token before each trained one
    chosen: Tensor  # [N], token ids
    legal: Tensor | None  # [N, V]


def pack(sequences: Items[Sequence], most_tokens: int, multiple: int = 1) -> list[list[int]]:
    """Indices into `sequences` of what is computed at once: longest first, each into the first row that has room.

    A sequence longer than `most_tokens` has a row of its own. Empty rows follow, up to a multiple: with several
    processes, every one must compute as many rows as the others.
    """
    order = sorted(range(len(sequences)), key=lambda index: (-len(sequences[index].tokenIds), index))
    rows: list[list[int]] = []
    room: list[int] = []
    for index in order:
        size = len(sequences[index].tokenIds)
        row = next((at for at, left in enumerate(room) if left >= size), None)
        if row is None:
            rows.append([index])
            room.append(most_tokens - size)
        else:
            rows[row].append(index)
            room[row] -= size
    return rows + [[] for _ in range(-len(rows) % multiple)]


class MaskRows:
    """Legal tokens by the number of their mask, as rows of V bools, made when they are wanted first."""

    def __init__(self, masks: Items[Mask], vocabulary: int, device: torch.device) -> None:
        self._masks = masks
        self._vocabulary = vocabulary
        self._device = device
        self._rows: dict[int, Tensor] = {}

    def row(self, number: int) -> Tensor:
        """[V], bool. Raises INVALID_INPUT for a mask or a token that does not exist."""
        if number not in self._rows:
            if number >= len(self._masks):
                message = f"Cannot mask: expected a line of masks.jsonl from 0 to {len(self._masks) - 1}, got {number}."
                raise EngineError("INVALID_INPUT", message)
            mask = self._masks[number]
            is_legal = mask.tokens == "legal"
            foreign = next((token for token in mask.ids if token >= self._vocabulary), None)
            if foreign is not None:
                message = f"Cannot mask: expected tokens below {self._vocabulary} in mask {number}, got {foreign}."
                raise EngineError("INVALID_INPUT", message)
            row = torch.full((self._vocabulary,), not is_legal, dtype=torch.bool)
            row[torch.tensor(mask.ids, dtype=torch.long)] = is_legal
            self._rows[number] = row.to(self._device)
        return self._rows[number]

    def all_legal(self) -> Tensor:
        """[V], bool."""
        return torch.ones(self._vocabulary, dtype=torch.bool, device=self._device)


def check_sequences(sequences: Items[Sequence], vocabulary: int, most_positions: int) -> None:
    """Raises INVALID_INPUT for what the model cannot read."""
    for index, sequence in enumerate(sequences):
        if len(sequence.tokenIds) > most_positions:
            message = f"expected at most {most_positions} tokens, got {len(sequence.tokenIds)}"
        elif max(sequence.tokenIds) >= vocabulary:
            message = f"expected tokens below {vocabulary}, got {max(sequence.tokenIds)}"
        else:
            continue
        raise EngineError("INVALID_INPUT", f"Cannot compute sequence {index}: {message}.")


def batch_of(members: Items[Sequence], masks: MaskRows, device: torch.device) -> Batch:
    """The packed row of these sequences. Without any, two meaningless tokens and no target.

    Raises INVALID_INPUT where a target is not among its legal tokens.
    """
    tokens: list[int] = []
    positions: list[int] = []
    places: list[int] = []
    chosen: list[int] = []
    legal: list[Tensor] = []
    is_masked = any(member.masks is not None for member in members)
    for member in members:
        places += [len(tokens) + target - 1 for target in member.targets]
        chosen += [member.tokenIds[target] for target in member.targets]
        tokens += member.tokenIds
        positions += range(len(member.tokenIds))
        if is_masked:
            numbers = member.masks if member.masks is not None else [None] * len(member.targets)
            legal += [masks.all_legal() if number is None else masks.row(number) for number in numbers]
    if not members:
        tokens, positions = [0, 0], [0, 1]

    def row(values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.long, device=device)

    lengths = [len(member.tokenIds) for member in members] or [len(tokens)]
    batch = Batch(
        tokens=row(tokens).unsqueeze(0),
        positions=row(positions).unsqueeze(0),
        lengths=lengths,
        starts=row([0, *accumulate(lengths)]).int(),
        places=row(places),
        chosen=row(chosen),
        legal=torch.stack(legal) if legal else None,
    )
    if batch.legal is not None and not bool(batch.legal.gather(1, batch.chosen.unsqueeze(1)).all()):
        raise EngineError("INVALID_INPUT", "Cannot compute a sequence: expected targets among their legal tokens.")
    return batch


def columns_of(members: Items[Sequence], device: torch.device) -> Columns:
    """The objective's columns of these sequences, each [N], float32."""

    def column(values: list[float]) -> Tensor:
        return torch.tensor(values, dtype=torch.float32, device=device)

    weights = column([weight for member in members for weight in member.weights])
    policies = [member.policy for member in members if member.policy is not None]
    if len(policies) < len(members):
        return Columns(weights=weights)
    imitation = [member.policy.imitationWeights or [0.0] * len(member.targets) for member in members]
    return Columns(
        weights=weights,
        advantages=column([value for policy in policies for value in policy.advantages]),
        proximal=column([value for policy in policies for value in policy.proximalLogProbs]),
        importance=column([value for policy in policies for value in policy.importanceWeights]),
        reference=column([value for policy in policies for value in policy.referenceLogProbs]),
        imitation=column([value for values in imitation for value in values]),
    )
