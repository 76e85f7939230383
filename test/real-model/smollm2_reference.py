"""The other side of smollm2.spec.ts: python3 smollm2_reference.py FOLDER FILE.gguf PROMPTS.json TOKENS

Prints JSON: whether transformers makes the very tensors and ids of the file that the folder was made of, and what it writes
greedily after each prompt. Packages: torch, transformers, gguf, accelerate.
"""
import json
import os
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
torch.set_num_threads(int(os.environ.get("THREADS", "2")))
folder, gguf, prompts, new_tokens = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3])), int(sys.argv[4])
place = dict(pretrained_model_name_or_path=os.path.dirname(gguf), gguf_file=os.path.basename(gguf))

tokenizer, own_tokenizer = AutoTokenizer.from_pretrained(**place), AutoTokenizer.from_pretrained(folder)
source = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).state_dict()
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
own = model.state_dict()
same = set(own) == set(source) and all(torch.equal(own[name], source[name]) for name in own)
del source

written = []
with torch.inference_mode():
    for prompt in prompts:
        chat = [{"role": "user", "content": prompt}]
        ids = own_tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_tensors="pt", return_dict=True)
        expected = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=True)["input_ids"]
        out = model.generate(**ids, max_new_tokens=new_tokens, do_sample=False)[0].tolist()
        begin = ids["input_ids"].shape[1]
        written.append({"prompt": out[:begin], "expected": list(expected), "tokens": out[begin:]})
print(json.dumps({"same_tensors": same, "written": written, "versions": [torch.__version__, transformers.__version__]}))
