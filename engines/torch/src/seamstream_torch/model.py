"""The model that is trained: transformers reads it, peft adds LoRA factors, FSDP2 shards it over processes."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from transformers import AutoConfig, AutoModelForCausalLM

from seamstream_torch.attention import OWN, implementation_of
from seamstream_torch.compute import Compute
from seamstream_torch.contract import Job
from seamstream_torch.errors import EngineError
from seamstream_torch.objective import token_log_probs
from seamstream_torch.processes import Processes
from seamstream_torch.sequences import Batch

PEFT_PREFIX = "base_model.model."
SAVED_MODULES = {"embed_tokens": "get_input_embeddings", "lm_head": "get_output_embeddings"}


class TrainedModel:
    """A model and its trained parameters by the names that Seamstream gives them."""

    def __init__(self, module: nn.Module, compute: Compute, processes: Processes) -> None:
        config = module.config
        self.module = module
        self.vocabulary: int = config.vocab_size
        self.most_positions: int = config.max_position_embeddings
        self._precision = compute.precision
        self._has_own_attention = config._attn_implementation in OWN
        self._device = processes.device
        named = sorted((contract_name(name), value) for name, value in module.named_parameters() if value.requires_grad)
        self.trained: dict[str, nn.Parameter] = dict(named)

    def log_probs(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """ln π of all tokens [N, V] and of the trained ones [N]; the head is computed at their N places only."""
        is_half = self._precision == "bfloat16"
        by_sequence = {"sequence_lengths": batch.lengths, "sequence_starts": batch.starts}
        with torch.autocast(self._device.type, torch.bfloat16) if is_half else nullcontext():
            output = self.module(
                input_ids=batch.tokens,
                position_ids=batch.positions,
                logits_to_keep=batch.places,
                use_cache=False,
                **(by_sequence if self._has_own_attention else {}),
            )
        return token_log_probs(output.logits[0], batch.chosen, batch.legal)

    def tensors(self, processes: Processes) -> dict[str, Tensor]:
        """The trained tensors as `gathered` gives them. All processes must ask at once."""
        return gathered(self.trained, processes)


def contract_name(name: str) -> str:
    """A parameter's name without what peft wraps around it."""
    return name.removeprefix(PEFT_PREFIX).replace(".default.", ".").replace(".base_layer.", ".")


def gathered(tensors: Mapping[str, Tensor], processes: Processes) -> dict[str, Tensor]:
    """Copies, whole, in float32 on the CPU, for the first process. The others help, and keep none of them.

    All processes must ask at once.
    """
    copies = {}
    for name, tensor in tensors.items():
        value = tensor.detach()
        whole = value.full_tensor() if isinstance(value, DTensor) else value
        if processes.is_first:
            copies[name] = whole.to("cpu", torch.float32, copy=True).contiguous()
    return copies


def like(value: Tensor, parameter: Tensor) -> Tensor:
    """This process's part of a whole tensor, where and as the parameter is."""
    # A copy: the value may be a view of its file, and what is distributed a view of the value.
    moved = value.to(parameter.device, parameter.dtype, copy=True)
    if not isinstance(parameter, DTensor):
        return moved
    # Every process has the whole tensor: nothing needs to be sent.
    return distribute_tensor(moved, parameter.device_mesh, parameter.placements, src_data_rank=None)


def load_model(folder: Path, job_folder: Path, job: Job, compute: Compute, processes: Processes) -> TrainedModel:
    """The model with the tensors that training starts from.

    Raises INVALID_INPUT, ADAPTER_INVALID, UNSUPPORTED_MODEL.
    """
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    if config.vocab_size != job.vocabularySize:
        message = f"expected a vocabulary of {job.vocabularySize} tokens, got {config.vocab_size}"
        raise EngineError("INVALID_INPUT", f"Cannot carry out run {job.runId}: {message}. Take its base model.")
    for name in list(vars(config)):
        if name.endswith(("dropout", "pdrop")):
            setattr(config, name, 0.0)
    module = AutoModelForCausalLM.from_pretrained(
        folder,
        config=config,
        dtype=torch.float32,
        attn_implementation=implementation_of(compute.attention, config, compute.precision, processes.device),
        local_files_only=True,
        use_safetensors=True,
    )
    tensors = load_file(job_folder / job.start.path) if job.start is not None else {}
    module = _with_trained(module, job, tensors)
    if job.start is not None:
        _fill(module, tensors)
    if compute.precision == "bfloat16":
        for parameter in module.parameters():
            if not parameter.requires_grad:
                parameter.data = parameter.data.to(torch.bfloat16)
    if compute.gradient_checkpointing:
        module.activation_checkpointing_enable({"use_reentrant": False})
    # Checkpointing of activations asks for training mode; no dropout is left that it could turn on.
    module.train()
    if processes.mesh is None:
        module.to(processes.device)
    else:
        # It moves what it shards, a layer at a time: no device has to hold the whole model.
        for layer in layers_of(module):
            fully_shard(layer, mesh=processes.mesh)
        fully_shard(module, mesh=processes.mesh)
    return TrainedModel(module, compute, processes)


def layers_of(module: nn.Module) -> nn.ModuleList:
    """The decoder's layers. Raises UNSUPPORTED_MODEL."""
    count = module.config.num_hidden_layers
    found = [each for each in module.modules() if isinstance(each, nn.ModuleList) and len(each) == count]
    if not found:
        message = f"Cannot shard {type(module).__name__}: expected a list of {count} layers, got none."
        raise EngineError("UNSUPPORTED_MODEL", message)
    return found[0]


def _with_trained(module: nn.Module, job: Job, start: dict[str, Tensor]) -> nn.Module:
    if job.trainable.kind == "full":
        return module
    module.requires_grad_(False)
    # The tensors say which modules have factors: of models that store q, k and v as one, settings may name the three.
    targets = sorted({name.split(".")[-3] for name in start if name.endswith(".lora_A.weight")})
    settings = job.trainable
    adapted = module
    if targets:
        lora = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=targets, task_type="CAUSAL_LM")
        adapted = get_peft_model(module, lora)
    for saved in settings.modulesToSave:
        getattr(module, SAVED_MODULES[saved])().weight.requires_grad_(True)
    return adapted


def _fill(module: nn.Module, start: dict[str, Tensor]) -> None:
    trained = {contract_name(name): value for name, value in module.named_parameters() if value.requires_grad}
    expected = {name: list(value.shape) for name, value in trained.items()}
    got = {name: list(value.shape) for name, value in start.items()}
    if expected != got or not expected:
        name = next((name for name in sorted(expected | got) if expected.get(name) != got.get(name)), "any tensor")
        message = (
            f"Cannot begin with the job's start: expected {name} of shape {expected.get(name)}, got {got.get(name)}. "
            "Write exactly the tensors that are trained."
        )
        raise EngineError("ADAPTER_INVALID", message)
    with torch.no_grad():
        for name, value in start.items():
            trained[name].copy_(value)


def metadata_of(path: Path) -> dict[str, str]:
    """The metadata of a safetensors file. Raises CHECKPOINT_INVALID where it is none."""
    try:
        with safe_open(path, "pt") as file:
            return file.metadata() or {}
    except Exception as error:  # safetensors raises a class of its own for each kind of damage
        raise EngineError("CHECKPOINT_INVALID", f"Cannot read {path}: {error}.") from error
