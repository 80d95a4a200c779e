"""A model that speaks, reached in one way: inputs in, new tokens out."""

from collections.abc import Mapping
from typing import Any

from counterpoint.models.hf.likelihood import FirstStepLogits


class Decoder:
    """The model itself, speaking plainly: the likeliest token each time, whatever its checkpoint likes better."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        from transformers import GenerationConfig

        self.model = model
        ends = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
        ends = next((some for some in (ends, tokenizer.eos_token_id, tokenizer.sep_token_id) if some is not None), 0)
        self.end = int(ends[0] if isinstance(ends, list) else ends)
        for part in model.modules():
            if getattr(part, "generation_config", None) is not None:
                start = getattr(part.generation_config, "decoder_start_token_id", None)
                part.generation_config = GenerationConfig(
                    eos_token_id=ends, pad_token_id=tokenizer.pad_token_id, decoder_start_token_id=start
                )

    def __call__(self, inputs: Mapping[str, Any], *steering: Any, tokens: int) -> Any:
        """The new tokens of each row."""
        import torch

        steps = FirstStepLogits()
        with torch.inference_mode():
            said = self.model.generate(
                **self.there(inputs),
                logits_processor=[steps, *steering],
                max_new_tokens=tokens,
                do_sample=False,
                num_beams=1,
            )
        return said[:, -steps.steps :]

    def packed(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs still on the CPU, but ready to go: in the dtype of the model, and pinned if it is far away."""
        found = {}
        for name, value in inputs.items():
            kind = self.model.dtype if value.is_floating_point() else value.dtype
            packed = value.to(kind)
            found[name] = packed.pin_memory() if self.model.device.type == "cuda" else packed
        return found

    def there(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs on the device of the model."""
        return {name: value.to(self.model.device, non_blocking=True) for name, value in inputs.items()}
