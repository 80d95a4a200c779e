"""Prompts on one picture as a tree of tokens, in which what they share comes once: the picture, a question, a choice.

The trunk of a tree holds all tokens up to the end of the picture. Behind it each token knows its parent, and attends to
its ancestors alone, so that all prompts on a picture are one row of a batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.models.hf.prompt_formats import common_length


@dataclass(frozen=True, slots=True)
class TokenTree:
    """The tokens behind a trunk; those whose logits are wanted come last."""

    tokens: NDArray[np.int64]
    depths: NDArray[np.int64]  # 0 for the first token behind the trunk
    ancestors: NDArray[np.bool_]  # for each token those that it attends to, itself among them
    wanted: int  # the number of tokens whose logits are wanted
    places: list[list[int]]  # for each prompt its places among these

    @classmethod
    def grow(cls, prompts: Sequence[Sequence[int]], tails: Sequence[Sequence[int]], trunk: int) -> "TokenTree":
        """The tree of prompts behind so many tokens of a trunk.

        A prompt that is continued has a last token of its own. One with a tail, whose likelihood is wanted, may share
        all its tokens.

        >>> tree = TokenTree.grow([[7, 7, 1, 2], [7, 7, 1, 3]], [(), ()], trunk=2)
        >>> tree.tokens.tolist(), tree.places
        ([1, 2, 3], [[0], [1]])
        """
        nodes = _Nodes()
        places = [nodes.add(ids, tail, trunk) for ids, tail in zip(prompts, tails, strict=True)]
        wanted = sorted({node for row in places for node in row})
        last = set(wanted)
        order = [*(node for node in range(len(nodes.tokens)) if node not in last), *wanted]
        at = {node: place for place, node in enumerate(wanted)}
        return cls(
            np.array(nodes.tokens, np.int64)[order],
            np.array(nodes.depths, np.int64)[order],
            nodes.ancestors()[np.ix_(order, order)],
            len(wanted),
            [[at[node] for node in row] for row in places],
        )


class _Nodes:
    """A tree under construction: the token, parent and depth of each node; parents come before their children."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.depths: list[int] = []
        self._parents: list[int] = []
        self._children: dict[tuple[int, int], int] = {}

    def add(self, ids: Sequence[int], tail: Sequence[int], trunk: int) -> list[int]:
        """Add a prompt and its tail; returns the nodes after which the tail, or an answer, comes."""
        path = [*ids[trunk:], *tail[:-1]]
        node, nodes = -1, []
        for depth, token in enumerate(path):
            alone = not tail and depth == len(path) - 1
            node = self._child(node, token, depth, alone)
            nodes.append(node)
        return nodes[len(ids) - trunk - 1 :]

    def _child(self, parent: int, token: int, depth: int, alone: bool) -> int:
        if not alone and (parent, token) in self._children:
            return self._children[parent, token]
        self.tokens.append(token)
        self.depths.append(depth)
        self._parents.append(parent)
        node = len(self.tokens) - 1
        if not alone:
            self._children[parent, token] = node
        return node

    def ancestors(self) -> NDArray[np.bool_]:
        """For each node its ancestors and itself."""
        found = np.eye(len(self.tokens), dtype=np.bool_)
        for node, parent in enumerate(self._parents):
            if parent >= 0:
                found[node] |= found[parent]
        return found


@dataclass(frozen=True, slots=True)
class PicturePrompts:
    """Prompts on one picture: the tokens up to its end, which all of them share, and the tree behind them."""

    trunk: NDArray[np.int64]
    tree: TokenTree
    lengths: list[int]  # of each prompt, in tokens

    @property
    def tokens(self) -> int:
        """How many are computed."""
        return len(self.trunk) + len(self.tree.tokens)

    @property
    def is_path(self) -> bool:
        """Whether there is one prompt alone, of which the next token is wanted."""
        return len(self.lengths) == self.tree.wanted == len(self.tree.places[0]) == 1


def share_picture(
    prompts: Sequence[list[int]], tails: Sequence[Sequence[int]], image_token: int
) -> Iterator[tuple[Sequence[int], PicturePrompts]]:
    """The prompts on one picture together where each begins with it, else each alone; with their numbers.

    >>> ((numbers, shared),) = share_picture([[5, 8, 8, 1], [5, 8, 8, 2]], [(), ()], image_token=8)
    >>> list(numbers), shared.trunk.tolist(), shared.tree.tokens.tolist()
    ([0, 1], [5, 8, 8], [1, 2])
    """
    common = min(common_length(min(prompts), max(prompts)), min(map(len, prompts)) - 1)
    together = common >= _picture_end(prompts[0], image_token)
    for numbers in [range(len(prompts))] if together else [[number] for number in range(len(prompts))]:
        some = [prompts[number] for number in numbers]
        trunk = min(_picture_end(some[0], image_token) or common, len(some[0]) - 1)
        tree = TokenTree.grow(some, [tails[number] for number in numbers], trunk)
        yield numbers, PicturePrompts(np.array(some[0][:trunk], np.int64), tree, [len(prompt) for prompt in some])


def _picture_end(tokens: Sequence[int], image_token: int) -> int:
    """The number of tokens up to the last of the picture."""
    behind = (at for at, token in enumerate(reversed(tokens)) if token == image_token)
    return len(tokens) - next(behind, len(tokens))
