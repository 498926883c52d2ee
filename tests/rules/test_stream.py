"""The random stream: the published generator, drawn from without bias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations

import numpy as np
import pytest

from speicher_env.rules import stream as streams
from speicher_env.rules.stream import MAX_SEED, below, draw, next_seed, shuffle, start_stream
from tests.support.positions import JIT

pytestmark = pytest.mark.nojit

PURPOSES = [
    streams.DECK_STREAM,
    streams.DEAL_STREAM,
    streams.NEXT_GAME_STREAM,
    streams.REDEAL_STREAM,
    streams.SEAT_STREAM,
    streams.PLAY_STREAM,
]


def reference(a: int, b: int, c: int, counter: int) -> Iterator[int]:
    """SFC32 with arithmetic modulo 2**32, written from the generator's description."""
    modulus = 2**32
    while True:
        out = (a + b + counter) % modulus
        counter = (counter + 1) % modulus
        a = b ^ b // 2**9
        b = 9 * c % modulus
        c = (c * 2**21 % modulus + c // 2**11 + out) % modulus
        yield out


def draws(stream: streams.Stream, count: int) -> list[int]:
    values = []
    for _ in range(count):
        value, stream = draw(stream)
        values.append(int(value))
    return values


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def test_published_values() -> None:
    # Seeded with (0, 12345, 0) and counter 1, behind 12 values thrown away.
    published = [235160590, 2967261163, 116171463, 2882324903, 362604721, 4227106926, 1933307004, 1608300071]
    assert list(islice(reference(0, 12345, 0, 1), 12, 20)) == published
    assert draws((0, 12345, 0, 1), 20)[12:] == published
    assert draws(start_stream(12345 << 32, 0), 8) == published


@pytest.mark.parametrize(
    "start",
    [(1, 2, 3, 4), (2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1), (0, 0, 0, 0), (2**31, 5, 2**31 + 1, 2**32 - 3)],
)
def test_values_behind_any_start(start: streams.Stream) -> None:
    assert draws(start, 200) == list(islice(reference(*start), 200))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 123456789012345, MAX_SEED])
def test_a_stream_starts_from_both_halves_of_the_seed_and_the_purpose(seed: int) -> None:
    for purpose in PURPOSES:
        expected = islice(reference(seed % 2**32, seed // 2**32, purpose, 1), 12, 20)
        assert draws(start_stream(np.uint64(seed), purpose), 8) == list(expected)


def test_streams_of_one_seed_differ_by_purpose() -> None:
    assert len(set(PURPOSES)) == len(PURPOSES)
    assert len({tuple(draws(start_stream(7, purpose), 4)) for purpose in PURPOSES}) == len(PURPOSES)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 13, 45, 2**31 - 1, 2**31])
def test_below_stays_below(n: int) -> None:
    stream = start_stream(1, 1)
    for _ in range(300):
        value, stream = below(stream, n)
        assert 0 <= value < n


@pytest.mark.parametrize(("n", "limit"), [(2, 10.83), (5, 18.47), (13, 32.91), (45, 78.75)])
def test_below_is_uniform(n: int, limit: float) -> None:
    # `limit` is what chi-square exceeds once in a thousand; with a fixed seed the outcome is fixed.
    stream = start_stream(2024, 1)
    counts = [0] * n
    for _ in range(n * (1000 if JIT else 60)):
        value, stream = below(stream, n)
        counts[value] += 1
    assert chi_square(counts) < limit


def test_below_is_uniform_where_32_bits_do_not_divide_evenly() -> None:
    # Without drawing again the remainders by 3 would come as 3 : 3 : 2.
    n = 3 * 2**29
    stream = start_stream(5, 1)
    counts = [0, 0, 0]
    for _ in range(6000 if JIT else 1500):
        value, stream = below(stream, n)
        counts[value % 3] += 1
    assert chi_square(counts) < 13.82


def test_shuffle_gives_every_order_equally_often() -> None:
    stream = start_stream(99, 2)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(24 * (300 if JIT else 30)):
        items = np.arange(4, dtype=np.int8)
        stream = shuffle(items, 0, 4, stream)
        seen[tuple(items.tolist())] += 1
    assert set(seen) == set(permutations(range(4)))
    assert chi_square(list(seen.values())) < 49.73


def test_shuffle_touches_nothing_outside_its_range() -> None:
    stream = start_stream(3, 2)
    for start, stop in ((0, 0), (3, 3), (3, 4), (2, 7), (0, 10)):
        for _ in range(20):
            items = np.arange(10, dtype=np.int8)
            stream = shuffle(items, start, stop, stream)
            assert items[:start].tolist() == list(range(start))
            assert items[stop:].tolist() == list(range(stop, 10))
            assert sorted(items.tolist()) == list(range(10))


def test_shuffling_one_item_draws_nothing() -> None:
    stream = start_stream(3, 2)
    assert tuple(shuffle(np.arange(3, dtype=np.int8), 1, 2, stream)) == tuple(stream)


def test_the_next_seed_has_53_bits_and_leads_to_other_games() -> None:
    seeds = [0]
    for _ in range(500):
        seeds.append(int(next_seed(seeds[-1])))
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert max(seeds) > 2**52
    assert len(set(seeds)) == len(seeds)
    high, low = islice(reference(7, 0, streams.NEXT_GAME_STREAM, 1), 12, 14)
    assert next_seed(7) == (high // 2**11) * 2**32 + low
