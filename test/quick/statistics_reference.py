"""The statistics of libs/statistics that hold at every look, written from their formulas alone. Reads cases as JSON, writes figures as JSON."""

import json
import sys
from math import exp, fsum, lgamma, log

FRACTIONS = [0.95 * 2 ** (-j / 2) for j in range(20)]


def log_mean_exp(logs):
    top = max(logs)
    return top + log(fsum(exp(each - top) for each in logs) / len(logs))


def bets(weighted, least, greatest, mean, side):
    """weighted: pairs of a score and how often it was met."""
    n = sum(times for _, times in weighted)
    largest = -1 / least if side > 0 else 1 / greatest
    logs = []
    for fraction in FRACTIONS:
        bet = side * fraction * largest
        logs.append(fsum(times * log(1 + bet * score) for score, times in weighted) - n * log(1 + bet * mean))
    return log_mean_exp(logs)


def lift(case, mean, side):
    total = 0
    for share, centre, (cf, cs, tf, ts) in case["stages"]:
        z = [centre / (1 - share), (centre - 1) / (1 - share), -centre / share, (1 - centre) / share]
        total += bets(list(zip(z, (cf, cs, tf, ts))), min(z), max(z), mean, side)
    return total


def interval(evidence, alpha=0.05):
    """Steps of the mean that become finer; no bisection."""
    needed, ends = log(2 / alpha), []
    for side in (1, -1):
        at, step = -side, 0.125
        while step > 1e-11:
            while -1 < at + side * step < 1 and evidence(at + side * step, side) >= needed:
                at += side * step
            step /= 8
        ends.append(at if evidence(at, side) >= needed else -side)
    return ends


def figures(case):
    if case["kind"] == "lift":
        return [lift(case, case["mean"], side) for side in (1, -1)] + interval(lambda m, s: lift(case, m, s))
    if case["kind"] == "paired":
        b, c, n = case["counts"]
        weighted = [(1, b), (-1, c), (0, n - b - c)]
        difference = interval(lambda m, s: bets(weighted, -1, 1, m, s))
        # 2 * the integral of (2p)^b (2 - 2p)^c over 1/2 ... 1, by the binomial tail: P(Binomial(b + c + 1, 1/2) <= b).
        m = b + c + 1
        tail = log(fsum(exp(lgamma(m + 1) - lgamma(k + 1) - lgamma(m - k + 1) - m * log(2)) for k in range(b + 1)))
        better = tail + (b + c + 1) * log(2) + lgamma(b + 1) + lgamma(c + 1) - lgamma(b + c + 2)
        return [better] + difference
    share, t, c = case["share"], *case["counts"][:2]
    ratio = lgamma(1 + t) + lgamma(1 + c) - lgamma(2 + t + c) - t * log(share) - c * log(1 - share)
    if case["kind"] == "ratio":
        return [ratio]
    weighted = [(1 / share, t), (-1 / (1 - share), c)]
    sides = [bets(weighted, -1 / (1 - share), 1 / share, 0, side) for side in (1, -1)]
    return [log_mean_exp(sides)]


json.dump([figures(case) for case in json.load(sys.stdin)], sys.stdout)
