"""Packing and masks."""

import random

import pytest
import torch
from safetensors.torch import load

from seamstream_torch.contract import Mask, Sequence
from seamstream_torch.errors import EngineError
from seamstream_torch.sequences import MaskRows, batch_of, check_sequences, pack
from seamstream_torch.tensor_file import tensor_file

CPU = torch.device("cpu")


def of_length(length: int) -> Sequence:
    """A sequence of so many tokens, trained on its last."""
    return Sequence(tokenIds=list(range(length)), targets=[length - 1], weights=[1.0], step=0)


def test_every_sequence_is_packed_once_within_the_room_and_in_a_multiple_of_rows() -> None:
    """Of 300 draws."""
    draw = random.Random(7)
    for _ in range(300):
        sequences = [of_length(draw.randint(2, 30)) for _ in range(draw.randint(1, 20))]
        room, multiple = draw.randint(2, 40), draw.randint(1, 4)
        rows = pack(sequences, room, multiple)
        assert sorted(index for row in rows for index in row) == list(range(len(sequences)))
        assert len(rows) % multiple == 0
        assert all(sum(len(sequences[i].tokenIds) for i in row) <= room for row in rows if len(row) > 1)
        assert rows == pack(sequences, room, multiple)


def test_positions_begin_anew_and_places_precede_targets() -> None:
    """In one row."""
    batch = batch_of([of_length(3), of_length(2)], MaskRows([], 9, CPU), CPU)
    assert batch.tokens.tolist() == [[0, 1, 2, 0, 1]]
    assert batch.positions.tolist() == [[0, 1, 2, 0, 1]]
    assert batch.places.tolist() == [1, 3]
    assert batch.chosen.tolist() == [2, 1]
    assert batch.legal is None


def test_a_mask_allows_or_bans_and_its_absence_allows_all() -> None:
    """Also next to a sequence that has masks."""
    rows = MaskRows([Mask(tokens="legal", ids=[1, 3]), Mask(tokens="banned", ids=[0])], 4, CPU)
    masked = Sequence(tokenIds=[0, 1, 2], targets=[1, 2], weights=[1.0, 1.0], masks=[0, 1], step=0)
    batch = batch_of([masked, of_length(2)], rows, CPU)
    assert batch.legal.int().tolist() == [[0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("masks", "numbers", "message"),
    [
        ([Mask(tokens="legal", ids=[3])], [0], "among their legal tokens"),
        ([Mask(tokens="legal", ids=[9])], [0], "expected tokens below 4 in mask 0, got 9"),
        ([Mask(tokens="legal", ids=[1])], [1], "expected a line of masks.jsonl from 0 to 0, got 1"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(masks: list[Mask], numbers: list[int], message: str) -> None:
    """By what is wrong with it."""
    sequence = Sequence(tokenIds=[0, 1], targets=[1], weights=[1.0], masks=numbers, step=0)
    with pytest.raises(EngineError, match=message):
        batch_of([sequence], MaskRows(masks, 4, CPU), CPU)


def test_what_the_model_cannot_read_is_refused() -> None:
    """Tokens and lengths."""
    with pytest.raises(EngineError, match="sequence 1: expected tokens below 4, got 4"):
        check_sequences([of_length(3), of_length(5)], 4, 32)
    with pytest.raises(EngineError, match="sequence 0: expected at most 4 tokens, got 5"):
        check_sequences([of_length(5)], 9, 4)


def test_equal_tensors_give_equal_files() -> None:
    """Whatever the order of tensors and metadata; and safetensors reads them."""
    tensors = {"b": torch.ones(3, 2), "a": torch.arange(5.0)}
    metadata = {str(number): "é" for number in range(8)}
    files = {
        b"".join(tensor_file(dict(reversed(tensors.items())), dict(reversed(metadata.items())))),
        *(b"".join(tensor_file(tensors, metadata)) for _ in range(20)),
    }
    assert len(files) == 1
    read = load(files.pop())
    assert all(torch.equal(read[name], value) for name, value in tensors.items())
