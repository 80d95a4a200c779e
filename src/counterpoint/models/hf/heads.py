"""Matching heads by architecture: how pictures are encoded, and how texts are matched with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from counterpoint.core.ports import Pictures, Scale, picture_loader
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_encoders import RegionLoader
from counterpoint.models.hf.picture_processing import (
    PictureLoader,
    PictureProcessor,
    ProcessedPicture,
    cast_inputs,
    stack_inputs,
)

HeadInputs: TypeAlias = dict[str, Any]
"""Tensors by name; the first axis is the picture or the text."""
EncodePictures: TypeAlias = Callable[[Sequence[ProcessedPicture]], HeadInputs]
"""Encodes pictures, once for each."""
MatchTexts: TypeAlias = Callable[[HeadInputs, HeadInputs], Any]
"""Scores pairs of encoded pictures and texts."""


@dataclass(frozen=True, slots=True)
class MatchingHead:
    """How one architecture loads, encodes and matches."""

    look: PictureLoader
    see: EncodePictures
    match: MatchTexts
    scale: Scale


@dataclass(frozen=True, slots=True)
class HeadContext:
    """What a head needs beside the model itself."""

    checkpoint: Checkpoint
    pictures: Pictures
    head: str
    regions: str
    fits: int

    def pixels(self) -> tuple[PictureLoader, EncodePictures]:
        """Loader and encoder of a model that takes pixels."""
        processor = PictureProcessor.of(self.checkpoint)
        place, kind = self.checkpoint.place, self.checkpoint.torch_dtype
        return picture_loader(self.pictures, processor.fit), lambda batch: processor.batch(batch, place, kind)

    def areas(self, model: Any) -> tuple[RegionLoader, EncodePictures]:
        """Loader and encoder of a model that takes region features."""
        place, kind = self.checkpoint.place, self.checkpoint.torch_dtype
        loader = RegionLoader(self.checkpoint, model.config, self.regions)
        return loader, lambda batch: cast_inputs(stack_inputs(batch, place), kind)

    def probability(self, logits: Any) -> Any:
        """The probability of a match, from two logits."""
        return logits.float().softmax(-1)[:, self.fits]


def _blip(model: Any, context: HeadContext) -> tuple[MatchingHead, list[str]]:
    """BLIP: words attend to the patches of the picture, which are encoded before; or the cosine of the two."""
    look, prepare = context.pixels()

    def see(pictures: Sequence[ProcessedPicture]) -> HeadInputs:
        return {"patches": model.vision_model(**prepare(pictures)).last_hidden_state}

    def itm(seen: HeadInputs, texts: HeadInputs) -> Any:
        read = model.text_encoder(
            **_only(texts, "input_ids", "attention_mask"),
            encoder_hidden_states=seen["patches"],
            encoder_attention_mask=_ones(seen["patches"]),
        )
        return context.probability(model.itm_head(read.last_hidden_state[:, 0]))

    def itc(seen: HeadInputs, texts: HeadInputs) -> Any:
        read = model.text_encoder(**_only(texts, "input_ids", "attention_mask")).last_hidden_state
        return _cosine(model.vision_proj(seen["patches"][:, 0]), model.text_proj(read[:, 0]))

    return _headed(look, see, itm, itc, context)


def _blip2(model: Any, context: HeadContext) -> tuple[MatchingHead, list[str]]:
    """BLIP-2: queries attend to patches and words; or the cosine of the text with the query that is nearest to it."""
    look, prepare = context.pixels()
    kind = next(model.qformer.parameters()).dtype

    def see(pictures: Sequence[ProcessedPicture]) -> HeadInputs:
        patches = model.vision_model(**prepare(pictures)).last_hidden_state.to(kind)
        if context.head == "itm":
            return {"patches": patches}
        query_tokens = model.query_tokens.expand(len(patches), -1, -1)
        states = model.qformer(
            query_embeds=query_tokens, encoder_hidden_states=patches, encoder_attention_mask=_ones(patches)
        ).last_hidden_state
        return {"vectors": model.vision_projection(states.to(model.vision_projection.weight.dtype))}

    def itm(seen: HeadInputs, texts: HeadInputs) -> Any:
        import torch

        query_tokens = model.query_tokens.expand(len(seen["patches"]), -1, -1)
        states = model.qformer(
            query_embeds=model.embeddings(input_ids=texts["input_ids"], query_embeds=query_tokens),
            query_length=query_tokens.shape[1],
            attention_mask=torch.cat([_ones(query_tokens), texts["attention_mask"]], 1),
            encoder_hidden_states=seen["patches"],
            encoder_attention_mask=_ones(seen["patches"]),
        ).last_hidden_state[:, : query_tokens.shape[1]]
        return context.probability(model.itm_head(states.to(model.itm_head.weight.dtype)).mean(1))

    def itc(seen: HeadInputs, texts: HeadInputs) -> Any:
        states = model.qformer(
            query_embeds=model.embeddings(input_ids=texts["input_ids"]),
            query_length=0,
            attention_mask=texts["attention_mask"],
        ).last_hidden_state[:, 0]
        text = model.text_projection(states.to(model.text_projection.weight.dtype))
        return _cosine(seen["vectors"], text[:, None]).max(1).values

    return _headed(look, see, itm, itc, context)


def _vilt(model: Any, context: HeadContext) -> tuple[MatchingHead, list[str]]:
    """ViLT: one stream, so that nothing is made of a picture alone.

    Its number was trained to be highest for the right one of sixteen texts: it ranks, and is no probability.
    """
    look, see = context.pixels()

    def match(seen: HeadInputs, texts: HeadInputs) -> Any:
        import torch

        state = torch.random.get_rng_state()  # ViLT shuffles its patches, which changes nothing but the last digits
        torch.random.default_generator.manual_seed(0)
        try:
            return model(**seen, **texts).logits[:, 0]
        finally:
            torch.random.set_rng_state(state)

    return MatchingHead(look, see, match, Scale.SIMILARITY), []


def _region_head(model: Any, context: HeadContext) -> tuple[MatchingHead, list[str]]:
    """VisualBERT, one stream of words and regions; LXMERT, where words and regions attend to each other."""
    look, see = context.areas(model)

    def match(seen: HeadInputs, texts: HeadInputs) -> Any:
        if look.boxed:
            output = model(**texts, visual_feats=seen["features"], visual_pos=seen["boxes"])
            return context.probability(output.cross_relationship_score)
        present = _ones(seen["features"])
        regions = {"visual_attention_mask": present, "visual_token_type_ids": present}
        output = model(**texts, visual_embeds=seen["features"], **regions)
        return context.probability(output.seq_relationship_logits)

    return MatchingHead(look, see, match, Scale.PROBABILITY), [look.content, f"fits={context.fits}"]


HEADS: dict[str, Callable[[Any, HeadContext], tuple[MatchingHead, list[str]]]] = {
    "BlipForImageTextRetrieval": _blip,
    "Blip2ForImageTextRetrieval": _blip2,
    "ViltForImageAndTextRetrieval": _vilt,
    "VisualBertForPreTraining": _region_head,
    "LxmertForPreTraining": _region_head,
}
"""Each architecture with the builder of its head, which returns the settings for the fingerprint too."""


def _headed(
    look: PictureLoader, see: EncodePictures, itm: MatchTexts, itc: MatchTexts, context: HeadContext
) -> tuple[MatchingHead, list[str]]:
    if context.head == "itc":
        return MatchingHead(look, see, itc, Scale.SIMILARITY), ["head=itc"]
    return MatchingHead(look, see, itm, Scale.PROBABILITY), ["head=itm", f"fits={context.fits}"]


def _only(inputs: HeadInputs, *names: str) -> HeadInputs:
    return {name: inputs[name] for name in names}


def _ones(like: Any) -> Any:
    """A mask that hides nothing, for tensors of any number of features."""
    import torch

    return torch.ones(like.shape[:-1], dtype=torch.long, device=like.device)


def _cosine(first: Any, second: Any) -> Any:
    from torch.nn.functional import cosine_similarity

    return cosine_similarity(first.float(), second.float(), dim=-1)
