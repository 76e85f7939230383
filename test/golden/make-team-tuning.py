"""Golden values of sequential tuning's formulas, by a second implementation: writes team-tuning.json. Python's standard library only.

Slopes are central differences of the gain, so that no derivative is written down twice.
"""
import json
import math
import random
from pathlib import Path

rng = random.Random(16)


def clamp(value, most):
    return max(-most, min(most, value))


def ratio(new, current):
    return math.exp(clamp(sum(clamp(a - b, 10.0) for a, b in zip(new, current)), 20.0))


def k3(new, current):
    return sum(math.exp(a - b) - 1 - (a - b) for a, b in zip(new, current)) / len(new)


def gain(new, current, advantage, weight, low, high, beta):
    r = ratio(new, current)
    bounded = min(max(r, 1 - low), 1 + high)
    return weight * min(r * advantage, bounded * advantage) - beta * k3(new, current)


def slopes(new, *rest):
    step = 1e-5
    found = []
    for at in range(len(new)):
        up, down = list(new), list(new)
        up[at] += step
        down[at] -= step
        found.append((gain(up, *rest) - gain(down, *rest)) / (2 * step))
    return found


def turns(count):
    made = []
    for _ in range(count):
        length = rng.randint(1, 6)
        current = [-rng.expovariate(1.0) for _ in range(length)]
        spread = rng.choice([0.02, 0.1, 0.6])
        new = [value + rng.gauss(0, spread) for value in current]
        made.append((new, current))
    made.append(([-0.1, -0.2], [-14.0, -0.2]))  # a clamped token
    made.append(([-0.1] * 4, [-8.0] * 4))  # a clamped sum
    return made


def ratios():
    return [{"new": n, "current": c, "ratio": ratio(n, c)} for n, c in turns(10)]


def surrogates():
    rows = []
    for n, c in turns(24):
        case = {"advantage": rng.choice([-1.3, 0.4, 2.0]), "weight": rng.choice([1.0, 0.35])}
        terms = {"low": 0.2, "high": 0.28, "beta": rng.choice([0.0, 0.1])}
        args = (c, case["advantage"], case["weight"], terms["low"], terms["high"], terms["beta"])
        rows.append({"new": n, "current": c, **case, **terms, "gain": gain(n, *args), "slopes": slopes(n, *args)})
    return rows


def normalise(values, most):
    mean = sum(values) / len(values)
    if all(value == values[0] for value in values):
        return [0.0 for _ in values]
    std = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return [clamp((value - mean) / (std + 1e-6), most) for value in values]


def advantages():
    groups = [[0, 0, 0, 1], [1, 1], [0.5, 0.25, 1.0], [0] * 63 + [1]]
    return [{"rewards": group, "most": 5, "advantages": normalise(group, 5)} for group in groups]


def gae(rewards, values, gamma, lam):
    found = []
    for t in range(len(rewards)):
        total = 0.0
        for later in range(t, len(rewards)):
            following = values[later + 1] if later + 1 < len(values) else 0.0
            total += (gamma * lam) ** (later - t) * (rewards[later] + gamma * following - values[later])
        found.append(total)
    return found


def estimates():
    rows = []
    for _ in range(6):
        length = rng.randint(1, 5)
        rewards = [rng.choice([0, 1]) for _ in range(length)]
        values = [rng.random() for _ in range(length)]
        found = gae(rewards, values, 0.99, 0.95)
        rows.append({"rewards": rewards, "values": values, "gamma": 0.99, "lambda": 0.95, "advantages": found,
                     "returns": [a + v for a, v in zip(found, values)]})
    return rows


def value_losses():
    rows = []
    for _ in range(6):
        before = [rng.random() for _ in range(4)]
        values = [b + rng.gauss(0, 0.4) for b in before]
        returns = [rng.random() for _ in range(4)]
        held = [b + clamp(v - b, 0.2) for v, b in zip(values, before)]
        loss = sum(max((v - r) ** 2, (h - r) ** 2) for v, h, r in zip(values, held, returns)) / 4
        rows.append({"values": values, "before": before, "returns": returns, "range": 0.2, "loss": loss})
    return rows


def quantile(values, share):
    ordered = sorted(values)
    for candidate in ordered:
        if sum(value <= candidate for value in ordered) >= share * len(ordered) - 1e-9:
            return candidate
    raise AssertionError


def quantiles():
    rows = []
    for size in (1, 2, 10, 100):
        values = [rng.random() for _ in range(size)]
        rows += [{"values": values, "share": share, "quantile": quantile(values, share)} for share in (0.5, 0.9, 0.99, 1.0)]
    return rows


def certificates():
    rows = []
    for constants in ({"kappa": 1, "a": 1, "zeta": 0, "gamma": 0.99, "advantageMax": 5, "confidence": 0.05},
                      {"kappa": 2, "a": 0.5, "zeta": 0.01, "gamma": 0.1, "advantageMax": 1, "confidence": 0.1}):
        updates = [{"distance": d, "rollouts": n} for d, n in ((0.04, 512), (0.01, 512), (0.0, 256))]
        gamma, most = constants["gamma"], constants["advantageMax"]
        first = sum(constants["kappa"] * math.sqrt(u["distance"]) - constants["a"] * u["distance"] for u in updates)
        shift = 2 * gamma / (1 - gamma) ** 2 * most * sum(math.sqrt(u["distance"] / 2) for u in updates)
        bias = sum(constants["zeta"] / (1 - gamma) for _ in updates)
        sample = sum(most / (1 - gamma) * math.sqrt(math.log(2 * len(updates) / constants["confidence"]) / (2 * u["rollouts"]))
                     for u in updates)
        rows.append({"updates": updates, "constants": constants, "gain": first, "occupancyShift": shift,
                     "estimatorBias": bias, "finiteSample": sample, "bound": first - shift - bias - sample})
    return rows


def value_loss(value, before, target, most):
    return max((value - target) ** 2, (before + clamp(value - before, most) - target) ** 2)


def features(tokens):
    counts = [0.0] * 512
    for token in set(tokens):
        counts[token % 512] += 1
    length = math.sqrt(sum(count * count for count in counts))
    return [count / length for count in counts] + [1.0]


def value_heads():
    """Values after each of several fits. The slope of the loss is a central difference here as well."""
    rows = []
    for most, rate in ((0.2, 0.1), (0.05, 2.0)):
        weights = [0.0] * 513
        fits = []
        for _ in range(3):
            # Some ids share a bucket.
            states = [{"tokenIds": [rng.randrange(1100) for _ in range(rng.randint(1, 6))], "return": rng.random()}
                      for _ in range(5)]
            states[0]["tokenIds"] = [7, 519, 7]
            vectors = [features(state["tokenIds"]) for state in states]

            def value(vector):
                return sum(weight * share for weight, share in zip(weights, vector))

            before = [value(vector) for vector in vectors]
            for _ in range(20):
                for state, vector, old in zip(states, vectors, before):
                    now, step = value(vector), 1e-5
                    slope = (value_loss(now + step, old, state["return"], most)
                             - value_loss(now - step, old, state["return"], most)) / (2 * step)
                    weights = [weight - 0.1 * rate * slope * share for weight, share in zip(weights, vector)]
            fits.append({"states": states, "values": [value(vector) for vector in vectors]})
        rows.append({"range": most, "rate": rate, "fits": fits})
    return rows


def losses():
    rows = []
    for count in (1, 4, 12):
        turns = []
        for _ in range(count):
            size = rng.randint(0, 4)
            turns.append({"state": rng.choice("abc"), "success": rng.random() < 0.6,
                          "logProbs": [-3 * rng.random() for _ in range(size)],
                          "currentLogProbs": [-3 * rng.random() for _ in range(size)]})
        lost = {}
        for state in "abc":
            # The logarithm of the geometric mean of the turns' ratios, turned round.
            ratios_of = [math.prod(math.exp(a - b) for a, b in zip(t["logProbs"], t["currentLogProbs"]))
                         for t in turns if t["state"] == state and t["success"] and t["logProbs"]]
            if ratios_of:
                lost[state] = -math.log(math.prod(ratios_of)) / len(ratios_of)
        rows.append({"turns": turns, "lost": lost})
    return rows


golden = {"ratios": ratios(), "surrogates": surrogates(), "advantages": advantages(), "estimates": estimates(),
          "valueLosses": value_losses(), "quantiles": quantiles(), "certificates": certificates(), "valueHeads": value_heads(),
          "losses": losses()}
path = Path(__file__).with_name("team-tuning.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
print(f"wrote {path.name}")
