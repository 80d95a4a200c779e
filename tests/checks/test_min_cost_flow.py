"""The largest balanced part of a graph, against trying everything."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.checks.min_cost_flow import largest_circulation

Edges = dict[tuple[int, int], int]
graphs = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 2), max_size=6)


def _surplus(edges: Edges, kept: tuple[int, ...]) -> list[int]:
    more = [0] * 4
    for (one, other), count in zip(edges, kept, strict=True):
        more[one] += count
        more[other] -= count
    return more


@given(graphs, st.integers(0, 1))
def test_as_many_edges_stay_as_can(edges: Edges, slack: int) -> None:
    kept = tuple(largest_circulation(list(edges), list(edges.values()), 4, slack))
    every = product(*(range(count + 1) for count in edges.values()))
    best = max(sum(some) for some in every if max(map(abs, _surplus(edges, some))) <= slack)
    assert max(map(abs, _surplus(edges, kept))) <= slack
    assert all(0 <= stay <= count for stay, count in zip(kept, edges.values(), strict=True))
    assert sum(kept) == best


def test_a_ring_is_preferred_to_the_shorter_ways_that_it_crosses() -> None:
    assert largest_circulation([(0, 1), (1, 0), (1, 2), (2, 0)], [1, 1, 1, 1], 3) == [1, 0, 1, 1]


def test_a_word_that_replaces_itself_stays() -> None:
    assert largest_circulation([(0, 0), (0, 1)], [2, 1], 2) == [2, 0]
