"""Names of kinds in the world that may be confused, so that no question depends on them."""

from collections.abc import Mapping, Set
from types import MappingProxyType

_ALIKE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bird": ("duck", "chicken"),
        "duck": ("bird", "chicken"),
        "chicken": ("bird", "duck"),
        "tree": ("palm tree", "bush"),
        "palm tree": ("tree",),
        "bush": ("tree", "flower", "potted plant"),
        "flower": ("potted plant", "bush", "vase"),
        "potted plant": ("flower", "bush", "cactus"),
        "cactus": ("potted plant",),
        "chair": ("stool", "bench"),
        "stool": ("chair", "table"),
        "bench": ("chair", "couch"),
        "couch": ("bench", "bed"),
        "bed": ("couch",),
        "cabinet": ("bookshelf", "oven"),
        "bookshelf": ("cabinet",),
        "lamp": ("street light", "candle"),
        "street light": ("lamp", "traffic light"),
        "traffic light": ("street light",),
        "house": ("barn",),
        "barn": ("house",),
        "shirt": ("jacket", "dress"),
        "jacket": ("shirt",),
        "dress": ("skirt", "shirt"),
        "skirt": ("dress",),
        "pants": ("shorts",),
        "shorts": ("pants",),
        "pot": ("bowl", "teapot", "potted plant", "bucket"),
        "teapot": ("pot",),
        "bowl": ("pot", "plate", "cup"),
        "plate": ("bowl",),
        "cup": ("bowl",),
        "vase": ("bottle", "flower"),
        "bottle": ("vase",),
        "basket": ("bucket", "box"),
        "bucket": ("basket", "pot"),
        "box": ("suitcase", "basket", "mailbox"),
        "suitcase": ("box", "backpack"),
        "backpack": ("suitcase",),
        "bicycle": ("motorcycle",),
        "motorcycle": ("bicycle",),
        "car": ("truck",),
        "truck": ("car", "bus"),
        "bus": ("truck",),
        "orange": ("lemon",),
        "lemon": ("orange",),
        "donut": ("cake",),
        "cake": ("donut",),
        "bread": ("sandwich",),
        "sandwich": ("bread",),
        "picture": ("mirror", "window"),
        "mirror": ("picture", "window"),
        "window": ("picture", "mirror"),
        "door": ("window", "gate"),
        "gate": ("door",),
        "man": ("boy",),
        "boy": ("man",),
        "woman": ("girl",),
        "girl": ("woman",),
        "balloon": ("ball",),
        "ball": ("balloon",),
        "frisbee": ("plate",),
    }
)
_NARROWER: Mapping[str, tuple[str, ...]] = MappingProxyType({"bird": ("duck", "chicken"), "tree": ("palm tree",)})
_SHOWN_IN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "book": ("bookshelf",),
        "bread": ("toaster",),
        "strawberry": ("basket", "cake", "ice cream"),
        "apple": ("basket", "refrigerator"),
        "orange": ("basket", "refrigerator"),
        "tomato": ("basket", "refrigerator", "pizza"),
        "bottle": ("refrigerator",),
        "cheese": ("pizza", "sandwich"),
        "pot": ("cactus", "potted plant"),
        "flower": ("vase", "wheelbarrow"),
        "house": ("lighthouse",),
        "window": ("house",),
        "door": ("house",),
    }
)
_NEAR_FAMILY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "person": (),
        "animal": ("teddy bear",),
        "vehicle": ("skateboard", "wheelbarrow"),
        "fruit": ("tomato", "pumpkin", "basket", "bowl", "refrigerator", "cake"),
        "vegetable": ("pumpkin", "tomato", "basket", "bowl", "refrigerator"),
        "toy": ("surfboard", "skateboard", "balloon", "bicycle"),
        "plant": ("vase", "pumpkin", "wheelbarrow"),
        "building": ("tent",),
    }
)


def confusable_names(name: str) -> tuple[str, ...]:
    """Kinds that may be mistaken for this name: in their presence its absence is not asked."""
    return _ALIKE.get(name, ())


def narrower_names(name: str) -> tuple[str, ...]:
    """Kinds that this name covers too: a duck is a bird."""
    return _NARROWER.get(name, ())


def showing_names(name: str) -> tuple[str, ...]:
    """Kinds in or on which such things may be seen without being annotated: books in a bookshelf."""
    return _SHOWN_IN.get(name, ())


def is_clear_family(family: str, names: Set[str]) -> bool:
    """Whether membership in a family is unambiguous among these names."""
    return family in _NEAR_FAMILY and not names & set(_NEAR_FAMILY[family])
