"""Features of models like LLaVA, which read a picture as so many words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ports import Floats, PlacedAnswer
from counterpoint.models.hf.batch_preparation import BatchRow, PreparedBatch
from counterpoint.models.hf.chat_prompt import ChatPrompt
from counterpoint.models.hf.generation import ScoringGenerativeModel


def has_llava_features(config: Any) -> bool:
    """Whether a model replaces the mark of a picture by features of one shape, and does nothing else with either."""
    eye = getattr(getattr(config, "vision_config", None), "model_type", "")
    return config.model_type == "llava" and eye in ("clip_vision_model", "siglip_vision_model")


class LlavaModel(ScoringGenerativeModel[ChatPrompt]):
    """A model like LLaVA, which reads a picture as so many words; both can be taken out, changed and put back in."""

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """What the projector hands to the language model; zeros where there is no picture."""
        import torch

        found = []
        for batch in self._batches([BatchRow(position, query) for position, query in enumerate(queries)]):
            for _, problem in batch.failed:
                raise ModelError(f"a picture has no features: {problem.reason}")
            with torch.inference_mode():
                seen = self._voice.there(batch.inputs).get("pixel_values")
                made = self._nothing(len(batch.rows)) if seen is None else self._looked(seen)
            found += [(row.position, features) for row, features in zip(batch.rows, made.float().cpu(), strict=True)]
        return np.stack([features.numpy() for _, features in sorted(found, key=lambda pair: pair[0])])

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The embeddings of the prompt, with one place for the whole picture; zeros follow the last word."""
        import torch

        rows = [self._ids(query) for query in queries]
        room = np.zeros((len(rows), max(map(len, rows)), self._voice.model.config.text_config.hidden_size), np.float32)
        with torch.inference_mode():
            for place, ids in enumerate(rows):
                room[place, : len(ids)] = self._embedded(ids).float().cpu().numpy()
        return room

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers, or scores where these are asked for, from features."""

        def batches(rows: Sequence[BatchRow]) -> Iterator[PreparedBatch]:
            for start in range(0, len(rows), self._micro):
                some = list(rows[start : start + self._micro])
                joined = [self._joined(picture[row.position], text[row.position], row.query) for row in some]
                yield PreparedBatch(some, self._voice.packed(_padded(joined)), [])

        rows = [BatchRow(position, query) for position, query in enumerate(queries)]
        yield from self._answers([row for row in rows if row.query.mode is Mode.ANSWER], batches)
        for batch in batches([row for row in rows if row.query.mode is Mode.SCORE]):
            for row, chance in zip(batch.rows, self._chances(batch), strict=True):
                yield row.position, Answer.scored(chance)

    def _joined(self, seen: Floats, read: Floats, query: Query) -> Floats:
        """A prompt with its picture at its place."""
        ids = self._ids(query)
        if query.picture is None:
            return read[: len(ids)]
        at = ids.index(int(self._voice.model.config.image_token_id))
        return np.concatenate([read[:at], seen, read[at + 1 : len(ids)]])

    def _looked(self, pixels: Any) -> Any:
        import torch

        found = self._voice.model.get_image_features(pixel_values=pixels)
        return torch.stack(list(getattr(found, "pooler_output", found)))

    def _nothing(self, rows: int) -> Any:
        """As many zeros as pictures have features."""
        import torch

        model, size = self._voice.model, self._voice.model.config.vision_config.image_size
        blank = torch.zeros((1, 3, size, size), device=model.device, dtype=model.dtype)
        return torch.zeros_like(self._looked(blank)).expand(rows, -1, -1)

    def _embedded(self, ids: Sequence[int]) -> Any:
        import torch

        model = self._voice.model
        return model.get_input_embeddings()(torch.tensor(ids, device=model.device))

    def _ids(self, query: Query) -> list[int]:
        text = self._wording.text(query)
        return list(self._words.encode(text, add_special_tokens=self._wording.bare(text)))


def _padded(rows: Sequence[Floats]) -> Mapping[str, Any]:
    """Embeddings of several lengths as one tensor, padded on the left."""
    import torch

    longest = max(map(len, rows))
    room = np.stack([np.pad(row, ((longest - len(row), 0), (0, 0))) for row in rows])
    mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
    return {"inputs_embeds": torch.from_numpy(room), "attention_mask": torch.tensor(mask)}
