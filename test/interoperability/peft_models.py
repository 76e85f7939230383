"""The Python side of peft.spec.ts: models and adapters as transformers and peft load and write them.

    peft_models.py logits FOLDER [ADAPTER]     logits after each prompt, of a model and perhaps with an adapter
    peft_models.py make FOLDER ADAPTER SETTINGS   a random LoRA adapter by peft, written; its logits

Prompts are JSON on standard input; the answer is JSON of versions and logits on standard output.
"""
import json, sys, warnings
import peft, torch, transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, logging

warnings.filterwarnings("ignore")
logging.set_verbosity_error()
logging.disable_progress_bar()


def main(verb, folder, adapter=None, settings=None):
    prompts = json.load(sys.stdin)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    if verb == "make":
        torch.manual_seed(3)
        model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **json.loads(settings)))
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.requires_grad:
                    parameter.copy_(torch.randn_like(parameter) * 0.2)
        model.save_pretrained(adapter)
    elif adapter is not None:
        model = PeftModel.from_pretrained(model, adapter)
    model.eval()
    with torch.no_grad():
        rows = [model(torch.tensor([ids])).logits[0, -1].tolist() for ids in prompts]
    versions = {"torch": torch.__version__, "transformers": transformers.__version__, "peft": peft.__version__}
    json.dump({"versions": versions, "logits": [[round(value, 6) for value in row] for row in rows]}, sys.stdout)


main(*sys.argv[1:])
