"""The other side of beside-transformers.spec.ts: python3 transformers_reference.py REQUEST.json

REQUEST: { folder, gguf, prompts, newTokens, texts, ids }. Prints JSON: whether transformers makes the very tensors of the file that
the folder was made of, what it writes greedily after each prompt and by how much the best token led, and what the tokenizers of
the file and of the folder make of texts and ids. Packages: torch, transformers, gguf, accelerate.
"""
import json
import os
import sys
import unicodedata

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(int(os.environ.get("THREADS", "2")))
request = json.load(open(sys.argv[1], encoding="utf-8"))
folder, gguf = request["folder"], request["gguf"]
place = dict(pretrained_model_name_or_path=os.path.dirname(gguf), gguf_file=os.path.basename(gguf))

published, tokenizer = AutoTokenizer.from_pretrained(**place), AutoTokenizer.from_pretrained(folder)


def encoded(one):
    """Ids with control tokens recognised, and with their spelling as text."""
    return [
        [one(text, add_special_tokens=False)["input_ids"] for text in request["texts"]],
        [one(text, add_special_tokens=False, split_special_tokens=True)["input_ids"] for text in request["texts"]],
    ]


ids, plain = encoded(tokenizer)
decode = lambda tokens: tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
told = {
    "same_tokenizer": encoded(published) == [ids, plain],
    "ids": ids,
    "plain": plain,
    "decoded": [decode(tokens) for tokens in plain],
    # By this Python's version of Unicode, which is older than that of the tokenizers.
    "unassigned": ["".join(c for c in text if unicodedata.category(c) == "Cn") for text in request["texts"]],
    "decoded_ids": [decode(tokens) for tokens in request["ids"]],
}

source = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).state_dict()
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
own = model.state_dict()
told["same_tensors"] = set(own) == set(source) and all(torch.equal(own[name], source[name]) for name in own)
del source

# Prompts together, shorter ones behind padding: a tenth of the time.
TOGETHER = 10
tokenizer.padding_side = "left"
chats = [[{"role": "user", "content": prompt}] for prompt in request["prompts"]]
told["written"] = []
with torch.inference_mode():
    for at in range(0, len(chats), TOGETHER):
        chat = chats[at : at + TOGETHER]
        inputs = tokenizer.apply_chat_template(
            chat, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
        )
        out = model.generate(
            **inputs, max_new_tokens=request["newTokens"], do_sample=False, output_logits=True, return_dict_in_generate=True
        )
        width = inputs["input_ids"].shape[1]
        best = torch.stack(out.logits, 1).float().topk(2).values
        for row, turn in enumerate(chat):
            tokens = out.sequences[row, width:].tolist()
            # What stands behind the end of a text is padding.
            ended = tokens.index(model.generation_config.eos_token_id) + 1 if model.generation_config.eos_token_id in tokens else None
            told["written"].append({
                "prompt": inputs["input_ids"][row][inputs["attention_mask"][row].bool()].tolist(),
                "expected": list(published.apply_chat_template(turn, add_generation_prompt=True, return_dict=True)["input_ids"]),
                "tokens": tokens[:ended],
                "leads": (best[row, :, 0] - best[row, :, 1]).tolist(),
            })
print(json.dumps(told))
