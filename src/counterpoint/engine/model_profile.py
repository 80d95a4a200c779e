"""What planning a run needs to know of a model; it can be sent from the process that holds the model."""

from dataclasses import dataclass

from counterpoint.core.costs import TokenPrices
from counterpoint.core.ports import (
    Answerer,
    AveragingSampler,
    BatchingModel,
    FeatureModel,
    Model,
    PictureDependentModel,
    PricedModel,
    RemoteModel,
    RenamedModel,
    Sampler,
    Scale,
    Scorer,
    SizedModel,
)

_ABILITIES: dict[str, type] = {"answers": Answerer, "scores": Scorer, "samples": Sampler, "features": FeatureModel}


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """A model without its weights: its fingerprint, what it can do, and what it prefers."""

    fingerprint: str
    former_fingerprints: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()  # of: answers, scores, samples, features
    scale: Scale | None = None
    parameters: int | None = None
    batch_size: int | None = None
    averages: bool = False
    needs_picture: bool = False
    is_remote: bool = False
    prices: TokenPrices | None = None

    @classmethod
    def of(cls, model: Model) -> "ModelProfile":
        """The profile of a model."""
        return cls(
            fingerprint=model.fingerprint,
            former_fingerprints=tuple(model.former_fingerprints) if isinstance(model, RenamedModel) else (),
            abilities=tuple(name for name, port in _ABILITIES.items() if isinstance(model, port)),
            scale=model.scale if isinstance(model, Scorer) else None,
            parameters=model.parameters if isinstance(model, SizedModel) else None,
            batch_size=model.batch_size if isinstance(model, BatchingModel) else None,
            averages=isinstance(model, AveragingSampler) and model.averages,
            needs_picture=isinstance(model, PictureDependentModel) and model.needs_picture,
            is_remote=isinstance(model, RemoteModel),
            prices=model.prices if isinstance(model, PricedModel) else None,
        )

    def is_same(self, other: "ModelProfile") -> bool:
        """Whether two models give the same answers; what they prefer may differ between devices."""
        return (self.fingerprint, self.abilities, self.scale) == (other.fingerprint, other.abilities, other.scale)
