"""Small tokenizers made in code, so that tiny checkpoints read and write real text with nothing fetched."""

from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MARKS = ".,?!:;'\"-()/"
WORDS = (
    "a an the is are there this that what which how many color of on in to left right and or not no yes picture "
    "photo does sentence describe correctly answer with red green blue white black dog cat car tree cup ball one two"
)

TURNS = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}{{ 'IMAGE' }}"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def turns(image: str = "<image>") -> str:
    """A chat template in which a picture is written as `image`, whatever the family needs."""
    return TURNS.replace("IMAGE", image)


def word_pieces() -> Any:
    """A lower-casing WordPiece tokenizer as BERT has it: some whole words, and every other word by its letters."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [*LETTERS, *(f"##{letter}" for letter in LETTERS), *MARKS, *WORDS.split()]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys([*special, *pieces]))}
    words = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer(lowercase=True)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.decoder = decoders.WordPiece()
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=512,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def byte_pairs(*special: str, begin: bool = False, template: str = "", **more: Any) -> Any:
    """A byte-level BPE tokenizer as GPT-2 has it, with merges for common words, and further special tokens.

    With `begin` every text begins with <s>; `template` is its chat template; what else it is given, it knows as it is.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<pad>", "<s>", "</s>", *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pairs.train_from_iterator([f"{word} {word} {word.title()}" for word in WORDS.split()], trainer)
    pairs.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    if begin:
        start = [("<s>", pairs.token_to_id("<s>"))]
        pairs.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B", special_tokens=start)
    return PreTrainedTokenizerFast(
        tokenizer_object=pairs,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        chat_template=template or None,
        extra_special_tokens=list(special),
        model_max_length=2048,
        **more,
    )
