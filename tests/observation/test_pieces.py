"""The layout of the observation: named pieces without gaps, and a version that changes with them."""

from __future__ import annotations

import hashlib
from math import prod

import numpy as np
import pytest

from speicher_env.envs.spaces import masked_space, seats_in_view, vector_space
from speicher_env.observation import PIECES, SCHEMA_VERSION, blocks, observation_size, places
from speicher_env.observation.pieces import AXIS_LABELS, BLOCKS, axis_size, offset_within, shape_within

pytestmark = pytest.mark.nojit

SEATS = (2, 3, 4, 5)
SIZES = {2: 340, 3: 458, 4: 592, 5: 742}
DIGEST = "7fd812e6dc6ae5ec"


@pytest.mark.parametrize("seats", SEATS)
def test_the_blocks_follow_each_other_with_a_stretch_for_each_contract_column_and_seat(seats: int) -> None:
    found = blocks(seats)
    assert tuple(found) == BLOCKS == ("table", "contract", "column", "seat")
    assert [block.items for block in found.values()] == [1, 10, seats + 1, seats]
    stop = 0
    for block in found.values():
        assert block.start == stop
        stop = block.stop
        assert stop == block.start + block.items * block.width
    assert stop == observation_size(seats) == SIZES[seats]


@pytest.mark.parametrize("seats", SEATS)
def test_the_pieces_fill_every_stretch_in_their_order_without_gap_or_overlap(seats: int) -> None:
    """So reshaping a block gives one row for each contract, column and seat, its pieces side by side."""
    vector = np.arange(observation_size(seats))
    for name, block in blocks(seats).items():
        tokens = vector[block.start : block.stop].reshape(block.items, block.width)
        end = 0
        for piece in (piece for piece in PIECES if piece.block == name):
            shape = shape_within(piece, seats)
            assert offset_within(piece.name, seats) == end
            within = tokens[:, end : end + prod(shape)].reshape(block.items, *shape)
            end += prod(shape)
            found = places(piece.name, seats)
            assert found.tolist() == (within[0] if name == "table" else within).tolist()
        assert end == block.width


def test_only_the_width_of_a_seat_depends_on_the_seats_and_its_queue_comes_last() -> None:
    """So all other places within a stretch are the same for every number of players, and padded."""
    assert PIECES[-1].name == "queue"
    for piece in PIECES[:-1]:
        assert len({offset_within(piece.name, seats) for seats in SEATS}) == 1
        assert len({shape_within(piece, seats) for seats in SEATS}) == 1
    for name in ("table", "contract", "column"):
        assert len({(blocks(seats)[name].start, blocks(seats)[name].width) for seats in SEATS}) == 1


def test_no_two_pieces_have_the_same_name_and_each_says_what_it_means() -> None:
    assert len({piece.name for piece in PIECES}) == len(PIECES)
    assert all(piece.meaning for piece in PIECES)


@pytest.mark.parametrize("axis", AXIS_LABELS)
def test_the_positions_along_a_named_axis_have_different_names(axis: str) -> None:
    assert len(set(AXIS_LABELS[axis])) == len(AXIS_LABELS[axis]) == axis_size(axis, 2)


def test_only_columns_grow_with_the_seats() -> None:
    assert [axis_size("columns", seats) for seats in SEATS] == [3, 4, 5, 6]
    for axis in [*AXIS_LABELS, "spaces"]:
        assert len({axis_size(axis, seats) for seats in SEATS}) == 1


def test_no_value_changed_its_place_or_meaning_without_a_new_schema_version() -> None:
    """Trained weights hang on this. If it fails on purpose, count SCHEMA_VERSION up and write the new values here."""
    told = [(piece.name, piece.block, piece.axes, piece.scale, piece.shift, piece.clipped) for piece in PIECES]
    digest = hashlib.sha256(repr((told, sorted(AXIS_LABELS.items()))).encode()).hexdigest()
    assert (SCHEMA_VERSION, digest[:16]) == (1, DIGEST)
    assert {seats: observation_size(seats) for seats in SEATS} == SIZES


@pytest.mark.parametrize("players", SEATS)
def test_the_spaces_have_the_size_of_the_layout(players: int) -> None:
    assert seats_in_view(players, padded=False) == players
    assert seats_in_view(players, padded=True) == 5
    space = vector_space(players)
    assert space.shape == (SIZES[players],)
    assert space.dtype == np.float32
    assert (space.low.min(), space.high.max()) == (0, 1)
    assert masked_space(players)["observation"] == space
