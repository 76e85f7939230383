"""What transformers' fast tokenizers make of varied texts, for small tokenizers of the two published kinds.

Writes tokenizers.json beside this file: tokenizer.json and tokenizer_config.json of each, trained here, with ids and decoded
texts. `llama-2` is SentencePiece-like (a space becomes U+2581, unknown characters fall back to byte tokens), once in its
published form and once in the form that newer conversions have; `llama-3` and `qwen` are byte-level.

    python3 -m venv venv && venv/bin/pip install transformers && venv/bin/python test/golden/make-tokenizers.py
"""
import json, pathlib, tempfile
import tokenizers, transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

HERE = pathlib.Path(__file__).parent
CORPUS = [
    "the cat and the dog and the other cat are in the garden, the dog is old and the cat is not",
    "def total(values):\n    return sum(values)\n\n\nfor i in range(10):\n    print(i)\n",
    '{"name": "value", "list": [1, 2, 3], "nested": {"name": null}}',
    "What is 12 + 34? The answer is 46. What is 120 - 34? The answer is 86.",
    "l'été, la forêt; où êtes-vous? Zoë zählt Bäume. 木の下で。",
] * 4
TEXTS = [
    "", " ", "  ", "the", " the", "  the", "the ", "the cat and the dog", "the  cat   and    the dog\t\tthere",
    "line one\nline two\r\n\r\n\n  indented\n", "def f(x):\n\treturn x ** 2  # square\n    pass", '{"a": [1, 2.5, null], "b": "\\u00e9"}',
    "12345 3.14159 1,000,000 1e-9 2026-11-21", "don't I'LL we've 'tis", "Zoë zählt Bäume über Straßen", "e\u0301 is é, ﬁ is fi",
    "木の下で 안녕하세요 привет שלום مرحبا", "🙂👩‍👩‍👧 🇩🇪 👍🏽", "a\u00a0b\u2003c\u200bd\ufeffe", "▁under▁score", "<0x0A> is not a line end", "a<s>b</s>c",
    "<|im_start|>user\n<|im_end|><|eot_id|>", "<think>no</think>", "$x^2 + \\frac{1}{2}$", "!!!???...---", "\x00\x01\x7f", "ends with space ",
]
LLAMA_3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
special = lambda content: AddedToken(content, special=True, normalized=False)


def sentence_piece():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    # Lines apart, so that tokens do not span them; bytes follow the special tokens as in SentencePiece.
    words = [word for text in CORPUS for word in text.replace("\n", " ").split(" ")]
    tokenizer.train_from_iterator(words, trainers.BpeTrainer(vocab_size=420, special_tokens=names, show_progress=False))
    raw = json.loads(tokenizer.to_str())
    raw["added_tokens"] = raw["added_tokens"][:3]
    raw["post_processor"] = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                             "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                             "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
    return raw, {"add_bos_token": True, "add_eos_token": False, "bos_token": {"__type": "AddedToken", "content": "<s>"}, "eos_token": "</s>",
                 "unk_token": "<unk>", "clean_up_tokenization_spaces": False, "legacy": False, "tokenizer_class": "LlamaTokenizer"}


def metaspace(raw, config):
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    return {**raw, "normalizer": None, "pre_tokenizer": space}, {**config, "tokenizer_class": "PreTrainedTokenizerFast"}


def byte_level(pattern, names, normalizer, ignore_merges, bos):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=380, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer.add_tokens([special(name) if name not in ("<think>", "</think>") else AddedToken(name, special=False, normalized=False) for name in names])
    if bos is not None:
        template = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))])
        tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    config = {"bos_token": bos, "eos_token": names[1], "clean_up_tokenization_spaces": bos is not None, "tokenizer_class": "PreTrainedTokenizerFast"}
    return json.loads(tokenizer.to_str()), config if bos is not None else {**config, "add_bos_token": False, "tokenizer_class": "Qwen2Tokenizer"}


llama_2 = sentence_piece()
KINDS = {
    "llama-2": llama_2,
    "llama-2, metaspace": metaspace(*llama_2),
    "llama-3": byte_level(LLAMA_3, ["<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"], None, True, "<|begin_of_text|>"),
    "qwen": byte_level(QWEN, ["<|endoftext|>", "<|im_end|>", "<|im_start|>", "<think>", "</think>"], normalizers.NFC(), False, None),
}


def make(name, raw, config):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "tokenizer.json").write_text(json.dumps(raw))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    # The plain backend: what tokenizer.json says, nothing that a class of transformers adds to it.
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    prompt = AutoTokenizer.from_pretrained(folder)
    cases = []
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False)
        cases.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False),
                      "plain": tokenizer.encode(text, add_special_tokens=False, split_special_tokens=True)})
    print(name, "prompt:", type(prompt).__name__, prompt.encode("the cat"), "not given back:", [c["text"] for c in cases if c["text"] != tokenizer.decode(c["plain"], clean_up_tokenization_spaces=False)])
    form = {"json": raw, "config": config}
    if name == "llama-2, metaspace":  # All else is llama-2's.
        form = {"json": {"normalizer": None, "pre_tokenizer": raw["pre_tokenizer"]}, "config": config}
    return {**form, "prompt": {"text": "the cat", "ids": prompt.encode("the cat")}, "cases": cases}


(HERE / "tokenizers.json").write_text(json.dumps({
    "versions": {"tokenizers": tokenizers.__version__, "transformers": transformers.__version__},
    "tokenizers": {name: make(name, *form) for name, form in KINDS.items()},
}, separators=(",", ":"), ensure_ascii=False) + "\n")
