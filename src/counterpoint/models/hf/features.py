"""Features of models like LLaVA, which read a picture as a sequence of embeddings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import Floats, PlacedAnswer
from counterpoint.models.hf.batch_preparation import BatchRow, PreparedBatch
from counterpoint.models.hf.generation import ScoringGenerativeModel
from counterpoint.models.hf.prompt_formats import ChatPrompt


def has_llava_features(config: Any) -> bool:
    """Whether a model replaces the image token by features of one shape, and does nothing else with either."""
    vision = getattr(getattr(config, "vision_config", None), "model_type", "")
    return config.model_type == "llava" and vision in ("clip_vision_model", "siglip_vision_model")


class LlavaModel(ScoringGenerativeModel[ChatPrompt]):
    """A model like LLaVA, whose picture and text embeddings can be read, edited and put back."""

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The output of the projector; zeros where there is no picture."""
        import torch

        rows = []
        for batch in self._batches([BatchRow(position, query) for position, query in enumerate(queries)]):
            for _, problem in batch.failed:
                raise ModelError(f"a picture has no features: {problem.reason}")
            with torch.inference_mode():
                pixels = self._decoder.to_device(batch.inputs).get("pixel_values")
                encoded = self._no_features(len(batch.rows)) if pixels is None else self._encode(pixels)
            rows += [(row.position, features) for row, features in zip(batch.rows, encoded.float().cpu(), strict=True)]
        return np.stack([features.numpy() for _, features in sorted(rows, key=lambda pair: pair[0])])

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The embeddings of the prompt, with one position for the whole picture; zeros follow the last token."""
        import torch

        rows = [self._ids(query) for query in queries]
        width = self._decoder.model.config.text_config.hidden_size
        padded = np.zeros((len(rows), max(map(len, rows)), width), np.float32)
        with torch.inference_mode():
            for place, ids in enumerate(rows):
                padded[place, : len(ids)] = self._embed(ids).float().cpu().numpy()
        return padded

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers, or scores in mode `score`, from features."""

        def batches(rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
            for start in range(0, len(rows), self._micro_batch):
                part = list(rows[start : start + self._micro_batch])
                prompts = [self._join(picture[row.position], text[row.position], row.query) for row in part]
                yield PreparedBatch(part, self._decoder.pack(_pad_left(prompts)), [])

        rows = [BatchRow(position, query) for position, query in enumerate(queries)]
        yield from self._answers([row for row in rows if row.query.mode is Mode.ANSWER], batches)
        for batch in batches([row for row in rows if row.query.mode is Mode.SCORE]):
            for row, yes in zip(batch.rows, self._yes_probabilities(batch), strict=True):
                yield row.position, Answer.scored(yes)

    def _join(self, picture: Floats, text: Floats, query: Query) -> Floats:
        """The embeddings of a prompt with those of its picture in their place."""
        ids = self._ids(query)
        if query.picture is None:
            return text[: len(ids)]
        at = ids.index(int(self._decoder.model.config.image_token_id))
        return np.concatenate([text[:at], picture, text[at + 1 : len(ids)]])

    def _encode(self, pixels: Any) -> Any:
        import torch

        features = self._decoder.model.get_image_features(pixel_values=pixels)
        return torch.stack(list(getattr(features, "pooler_output", features)))

    def _no_features(self, rows: int) -> Any:
        """Zeros in the shape of picture features."""
        import torch

        model, size = self._decoder.model, self._decoder.model.config.vision_config.image_size
        blank = torch.zeros((1, 3, size, size), device=model.device, dtype=model.dtype)
        return torch.zeros_like(self._encode(blank)).expand(rows, -1, -1)

    def _embed(self, ids: Sequence[int]) -> Any:
        import torch

        model = self._decoder.model
        return model.get_input_embeddings()(torch.tensor(ids, device=model.device))

    def _ids(self, query: Query) -> list[int]:
        text = self._prompts.text(query)
        return list(self._tokenizer.encode(text, add_special_tokens=self._prompts.lacks_bos(text)))


def _pad_left(rows: Sequence[Floats]) -> Mapping[str, Any]:
    """Embeddings of several lengths as one tensor, padded on the left."""
    import torch

    longest = max(map(len, rows))
    padded = np.stack([np.pad(row, ((longest - len(row), 0), (0, 0))) for row in rows])
    mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
    return {"inputs_embeds": torch.from_numpy(padded), "attention_mask": torch.tensor(mask)}
