"""Sharing of pictures between queries: which models can, how many pictures are computed at once, and a check."""

from collections.abc import Iterator, Sequence
from typing import Any

from counterpoint.models.hf.batch_preparation import BatchPreparer, BatchRow, PreparedBatch, iterate_ahead
from counterpoint.models.hf.decoder import Decoder, keep_only
from counterpoint.models.hf.prompt_formats import ChatPrompt, PromptFormat, image_token
from counterpoint.models.hf.prompt_trees import TreeBuilder, limit_batches
from counterpoint.models.hf.shared_decoder import SharedDecoder

MAX_TOKENS = {"cuda": 131_072, "cpu": 4096}
"""The most tokens that are computed at once."""
MAX_ROWS, MEMORY_SHARE = 2048, 0.5
"""The most queries at once, and the share of the free memory that their tokens may take."""
FIRST_SHARE = {"cuda": 0.25, "cpu": 1.0}
"""The size of a first batch among all, since a device waits for it."""
PROBED_ROWS, PROBED_TOKENS = 4, 3
TOLERANCES = {"float32": 1e-3, "float64": 1e-3}
HALF_TOLERANCE = 0.1
"""The largest distance of logits from those of the plain pass, relative to their spread, in full and half precision."""


class PictureSharing:
    """Computes a picture once for all queries on it."""

    def __init__(self, decoder: Decoder, image_token: int, batch: int, new_tokens: int) -> None:
        self.decoder = SharedDecoder(decoder)
        self._plain, self._new_tokens, self._image_token = decoder, new_tokens, image_token
        pinned = decoder.model.device.type == "cuda"
        self._builder = TreeBuilder(image_token, decoder.padding or 0, self.decoder.positions, pinned)
        self._rows, self._tokens = batch or MAX_ROWS, token_limit(decoder.model)
        self._checked = False

    def batches(self, preparer: BatchPreparer[Any], rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
        """Rows by their pictures, as many pictures together as memory takes, joined by a thread ahead of the device."""
        failed: list[PreparedBatch] = []

        def pictures() -> Iterator[PreparedBatch]:
            for batch in preparer.by_picture(rows, self._rows):
                if batch.failed:
                    failed.append(batch)
                else:
                    yield batch

        first = FIRST_SHARE.get(self._plain.model.device.type, 1.0)
        limited = limit_batches(pictures(), self._cost, self._rows, self._tokens, first)
        yield from iterate_ahead(map(self._join, limited))
        yield from failed

    def agrees(self, preparer: BatchPreparer[Any], rows: Sequence[BatchRow]) -> bool:
        """Whether the first picture's queries have the logits of the plain pass; looked at once."""
        if self._checked:
            return True
        some = [BatchRow(0, row.query) for row in rows if row.query.picture == rows[0].query.picture][:PROBED_ROWS]
        (plain,), alike = preparer.batches(some, PROBED_ROWS), list(preparer.by_picture(some, PROBED_ROWS))
        if plain.failed or alike[0].failed:
            return True  # the next picture will tell
        if any(batch.prompts and self._image_token in batch.prompts.tree.tokens for batch in alike):
            return False  # a prompt that ends with its picture has no last token of its own
        known = _StepLogits()
        tokens = self._plain(plain.inputs, known, tokens=PROBED_TOKENS)
        found = _StepLogits(tokens)
        self.decoder.generate(self._shared(alike), found, tokens=PROBED_TOKENS)
        self._checked = True
        return all(
            map(self._is_near, known.unended(self.decoder.ends, tokens), found.unended(self.decoder.ends, tokens))
        )

    def _is_near(self, known: Any, found: Any) -> bool:
        spread = (known - known.mean(-1, keepdim=True)).norm()
        kind = str(self._plain.model.dtype).removeprefix("torch.")
        return bool((found - known).norm() <= TOLERANCES.get(kind, HALF_TOLERANCE) * spread)

    def halve(self, rows: int) -> None:
        """Compute at most half as much at once as a batch of so many rows."""
        self.decoder.forget()
        self._rows, self._tokens = max(1, rows // 2), max(1, self._tokens // 2)

    def _join(self, pictures: Sequence[PreparedBatch]) -> PreparedBatch:
        rows = [row for picture in pictures for row in picture.rows]
        return PreparedBatch(rows, {}, [], shared=self._shared(pictures))

    def _shared(self, pictures: Sequence[PreparedBatch]) -> Any:
        return self._builder.join(pictures).packed(self._plain.pack)

    def _cost(self, picture: PreparedBatch) -> int:
        """The tokens of all rows on a picture, the picture counted once, and those of their answers."""
        assert picture.prompts is not None, "rows on one picture have a tree"
        return picture.prompts.tokens + sum(self._new_tokens for row in picture.rows if not row.tail)


class _StepLogits:
    """A logits processor that records the logits of each step, and may force the tokens of each row."""

    def __init__(self, tokens: Any = None) -> None:
        self._logits: list[Any] = []
        self._tokens = tokens

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Record the logits before a step."""
        self._logits.append(scores.float())
        return scores if self._tokens is None else keep_only(scores, self._tokens[:, len(self._logits) - 1, None])

    def unended(self, ends: Sequence[int], tokens: Any) -> Iterator[Any]:
        """The logits of each step, of the rows whose tokens have not ended before it."""
        import torch

        over = torch.isin(tokens, torch.tensor(list(ends), device=tokens.device)).cumsum(1)
        for step, logits in enumerate(self._logits):
            yield logits[over[:, step - 1] == 0] if step else logits


def find_obstacle(prompts: PromptFormat, config: Any) -> str:
    """Why queries on one picture cannot share it with a model; empty where they can."""
    text = config.get_text_config()
    layers = set(getattr(text, "layer_types", None) or ["full_attention"])
    across = getattr(text, "cross_attention_layers", None)  # as in Llama 3.2 Vision
    if across or not isinstance(prompts, ChatPrompt) or not prompts.counts_pictures or image_token(config) is None:
        return "its prompt does not hold the picture"
    if prompts.token_types:
        return "its picture attends to the question"
    if layers != {"full_attention"} or getattr(text, "sliding_window", None) is not None:
        return "not all of its layers attend to the whole prompt"
    return ""


def token_limit(model: Any) -> int:
    """The most tokens at once: what half of the free memory holds of keys, values and the widest activations."""
    import torch

    if model.device.type != "cuda":
        return MAX_TOKENS["cpu"]
    text, (free, _) = model.config.get_text_config(), torch.cuda.mem_get_info(model.device)
    heads = text.num_attention_heads
    kept = getattr(text, "num_key_value_heads", heads) * (getattr(text, "head_dim", None) or text.hidden_size // heads)
    values = 2 * text.num_hidden_layers * kept + 8 * text.hidden_size + 3 * getattr(text, "intermediate_size", 0)
    values += _picture_values(getattr(model.config, "vision_config", None))
    return max(1, min(MAX_TOKENS["cuda"], int(MEMORY_SHARE * free / (values * model.dtype.itemsize))))


def _picture_values(config: Any) -> int:
    """The activations of a picture's encoder for each token: a token stands for the patches that are merged into it."""
    width = int(getattr(config, "embed_dim", None) or getattr(config, "hidden_size", None) or 0)
    return 28 * width * int(getattr(config, "spatial_merge_size", None) or 1) ** 2
