"""Losses, as libs/language-model/src/training/training.types.ts defines them.

N trained tokens, V tokens of the vocabulary. Logarithms are natural.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from seamstream_torch.contract import ClippedPolicyGradient, Likelihood

# Finite, so that p·ln p of an illegal token is 0 and not NaN; far enough that its probability underflows to 0.
ILLEGAL = -1e9


@dataclass(frozen=True)
class Columns:
    """What the objective takes per trained token, each [N]; the policy's are None for the likelihood."""

    weights: Tensor
    advantages: Tensor | None = None
    proximal: Tensor | None = None
    importance: Tensor | None = None
    reference: Tensor | None = None
    imitation: Tensor | None = None


@dataclass(frozen=True)
class Sums:
    """Σ over the trained tokens, each with its weight; [] each."""

    loss: Tensor
    kl: Tensor
    entropy: Tensor
    clipped: Tensor


def token_log_probs(logits: Tensor, chosen: Tensor, legal: Tensor | None) -> tuple[Tensor, Tensor]:
    """ln π of all tokens [N, V] and of the chosen ones [N], in float32.

    logits [N, V]; chosen [N], token ids; legal [N, V], bool: the distribution is the softmax over these tokens.
    """
    logits = logits.float()
    if legal is not None:
        logits = logits.masked_fill(~legal, ILLEGAL)
    every = torch.log_softmax(logits, dim=-1)
    return every, every.gather(1, chosen.unsqueeze(1)).squeeze(1)


def sums_of(objective: Likelihood | ClippedPolicyGradient, every: Tensor, chosen: Tensor, columns: Columns) -> Sums:
    """The loss and its statistics, from ln π of all tokens [N, V] and of the chosen ones [N].

    Likelihood: L = Σ w · (−ln π).
    Policy: L = Σ w · (−ρ · min(r A, clip(r, 1−clipLow, 1+clipHigh) A) − λ · ln π + klCoefficient · k3
    − entropyCoefficient · H), r = π / π_proximal, k3 = exp(d) − d − 1 with d = ln π_ref − ln π
    (http://joschu.net/blog/kl-approx.html), H the entropy of the masked distribution.
    """
    weights = columns.weights
    if isinstance(objective, Likelihood):
        zero = torch.zeros((), dtype=torch.float32, device=chosen.device)
        return Sums(loss=(weights * -chosen).sum(), kl=zero, entropy=zero, clipped=zero)
    ratio = torch.exp(chosen - columns.proximal)
    plain = ratio * columns.advantages
    bounded = ratio.clamp(1 - objective.clipLow, 1 + objective.clipHigh) * columns.advantages
    gain = columns.importance * torch.minimum(plain, bounded) + columns.imitation * chosen
    distance = columns.reference - chosen
    k3 = torch.exp(distance) - distance - 1
    with torch.set_grad_enabled(torch.is_grad_enabled() and objective.entropyCoefficient != 0):
        entropy = -(every.exp() * every).sum(-1)
    per_token = -gain + objective.klCoefficient * k3 - objective.entropyCoefficient * entropy
    return Sums(
        loss=(weights * per_token).sum(),
        kl=(weights * k3).sum().detach(),
        entropy=(weights * entropy).sum().detach(),
        clipped=(weights * (plain > bounded)).sum().detach(),
    )
