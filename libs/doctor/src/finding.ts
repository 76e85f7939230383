/**
 * What keeps a system from learning, in plain words: one finding is a code, how bad it is, what was seen (with figures) and what
 * to do. Which figures are too bad is in {@link LIMITS}, each with its source or with what was measured in a run that learned.
 */

export const FINDING_CODES = [
  'no-variance',
  'groups-of-one',
  'constant-verifier',
  'time-outs-as-wrong',
  'adapter-not-applied',
  'adapter-unusable',
  'mask-mismatch',
  'entropy-collapse',
  'kl-explosion',
  'stale-data',
  'near-duplicate-flood',
  'answer-leak',
  'misquotes',
  'self-edits-too-hard',
  'self-edits-too-easy',
  'forged-records',
  'snapshot-disagrees',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** error: learning stands still or goes wrong; warning: it is hindered. */
  readonly severity: 'warning' | 'error';
  /** What was seen, with figures. */
  readonly evidence: string;
  readonly remedy: string;
}

const REMEDIES: Readonly<Record<FindingCode, string>> = {
  'no-variance':
    'Give the groups both better and worse entries: warm up with sft (seam train sft), write more candidates (SEAM_GENERATOR_GROUP_SIZE), let the executor answer each several times (SEAM_EXECUTOR_ROLLOUTS), replay further back (dynamicSampling), or publish easier problems.',
  'groups-of-one':
    'Let every problem have at least two judged candidates: SEAM_GENERATOR_GROUP_SIZE is 4 to 16 in runs that learned. Where candidates fail in execution, mend the executor first (seam tail outcomes).',
  'constant-verifier':
    "Look at some verdicts (seam tail outcomes) and correct the problems' verifier or reference; for your own verifier, its endpoint. Where answers are in another form than it reads, ask for that form (SEAM_EXECUTOR_TEMPLATE) in a new data folder: a log has one executor. Then publish the problems again: recorded verdicts stay.",
  'time-outs-as-wrong':
    'An answer that did not come is no wrong answer. Raise the token limit (SEAM_EXECUTOR_MAX_TOKENS) or the time-out, and let failures of the server be failures, not empty answers.',
  'adapter-not-applied':
    'Restart the generators and look at what they serve (seam adapters): entries have to be written by the promoted adapter. Check that what is trained is what is served (base model, target modules).',
  'adapter-unusable':
    'Restore its object from a copy of the object store, or go back to the adapter before it (seam adapters rollback --by NAME --reason TEXT). Generators that hold it in memory continue, one that starts cannot. seam replay --verify-adapter DIGEST says whether the log gives it again.',
  'mask-mismatch':
    'Let generator and trainer use the same entry schemas, tokenizer and base model (SEAM_ENTRY_SCHEMAS), and the same adapter for the same name: recorded probabilities must be those of the policy that they name. Explore again; what was recorded under another mask cannot be learned from.',
  'entropy-collapse':
    'Go back to an earlier adapter, then hold the policy: entropyCoefficient (0.02), a lower learning rate, a KL term, clip.high above clip.low; scouts (SEAM_GENERATOR_SCOUTS) keep trying what the adapter gave up.',
  'kl-explosion':
    'Take smaller steps: a tenth of the learning rate, fewer steps (duration), clipNorm 1, a KL term (kl.coefficient 0.001 to 0.05). The adapter before is still there: promotion compares with it.',
  'stale-data':
    'Let the trainer run more often or the generators wait: fewer adapters between writing and learning. A longer window.versions takes older entries in; importance.correction "taper" can learn from any age.',
  'near-duplicate-flood':
    'Publish problems that differ: look at the sources of what is rejected (seam buffer show), limit what one source may publish, or raise the near-duplicate threshold if these entries are different in earnest.',
  'answer-leak':
    "Keep answers out of entries: they solve their own problem and teach nothing about others. Narrow the entry schema (lists of advice instead of free text), shorten it, say it in the generator's prompt, and measure with seam study controls.",
  misquotes:
    'Name the schema that says what is a quote to every service (SEAM_ENTRY_SCHEMAS): the generator then writes listed texts as the problem has them, and what still misquotes earns no reward. Where entries quote in free text, list the texts, or ask for fewer quotes. Entries that were written before stay as they are.',
  'self-edits-too-hard':
    'Hardly any self-edit helps, so ReST-EM has little to imitate. Publish passages whose questions the inner update can teach, give it more steps or a higher rate (SEAM_EXECUTOR_INNER_UPDATE_…), write more edits a passage (SEAM_GENERATOR_GROUP_SIZE), or another kind of edit (SEAM_ENTRY_SCHEMAS): a new data folder each, since a log has one executor.',
  'self-edits-too-easy':
    'Nearly any self-edit helps, so the choice between them says little. Ask for more than the passage alone teaches: compare with training on the passage (seam study controls), publish harder passages, raise minimumGain of rest-em, or keep the best of larger groups (SEAM_GENERATOR_GROUP_SIZE).',
  'forged-records':
    'An unauthorised writer writes to the log, or a service of another version does. Look at what was refused (seam tail buffer --type ResultRefused, seam adapters), find who wrote it, and give each service the rights to its own topics alone (docs/how-to/distributed.md). Nothing of it was counted.',
  'snapshot-disagrees':
    'Read the log again, which replaces the snapshot (--from-scratch of seam ledger, status and runs list), and report it with the release: a snapshot never answers otherwise than the log.',
};

export const LIMITS = {
  /** Fewer groups say nothing about a share of groups. */
  minGroups: 16,
  /** Fewer cases of a thing may be chance. */
  minCases: 8,
  /** Live groups of all: docs/explanation/algorithms/grpo.md, fewer than 5 of 64. */
  liveShare: 5 / 64,
  /** Groups that no entry solved. At 62 % without variance a reproduction of SEAM turned to several rollouts; the demonstration's first round, untrained, has 35 %. */
  unsolvedShare: 0.6,
  /** Groups with fewer than two verdicts. None in the demonstration, with or without kills. */
  smallShare: 0.1,
  /** Of what would prove a verifier wrong: that the same verdict falls on different answers in nearly all cases. */
  constantShare: 0.95,
  /** Of wrong answers. None in the demonstration; one in twenty is what a reward can carry as noise. */
  timeOutShare: 0.05,
  /** Of wrong answers that were cut off. In a reproduction of SEAM 97 % on hard problems, where hints then repair the budget. */
  cutOffShare: 0.5,
  /** Forced tokens have probability 1: ln is 0 but for rounding (groups.ts). */
  forcedLogProb: 1e-3,
  /** Mean k3 in nats between what is recorded and what the same weights say now. 0 to six digits in the demonstration; GRPO's page says 0.05. */
  behaviourKlNats: 0.05,
  /** Groups after a promotion that its adapter had no part in. Problems on the way at a promotion are fewer than these. */
  unservedShare: 0.5,
  /** Of failed groups, those whose served candidates are all one text. */
  identicalShare: 0.5,
  /** Mean entropy per free token in nats, of a policy that still fails. The demonstration has 0.11 to 0.14 at 91 % success. */
  entropyNats: 0.01,
  /** Success above which a sure policy is a good one. */
  masteredReward: 0.9,
  /** Mean k3 from the reference over a step's replayed tokens, in nats: a distance, no estimate of a KL. */
  klNats: 1,
  /**
   * The same for tapered runs, where k3 of texts that the policy had given up is heavy-tailed: 0.6 to 21 in most of the demonstration's, 133
   * in one that was promoted, 74 in one that was worse than its parent. Below this it cannot distinguish the two.
   */
  taperedKlNats: 200,
  /** Groups too old to be learned from. */
  staleShare: 0.5,
  /** Effective sample size of the tokens' raw weights, of runs by ratio: GRPO's page. */
  effectiveSampleRatio: 0.5,
  /** Effective sample size of what a run drew: below it a few rows are the run (docs/explanation/algorithms/sft.md). */
  fewSamplesRatio: 0.2,
  /** Near duplicates of what is left of successes without exact duplicates. None in the demonstration (of 5,366 successes 4,669 were exact ones, which cost nothing). */
  nearDuplicateShare: 0.5,
  /** Where hardly anything else comes in. */
  nearDuplicateFlood: 0.9,
  minNearDuplicates: 32,
  /** Entries that hold their answer, beyond chance. 0 of 512 in the demonstration. */
  leakShare: 0.05,
  /** Where every fifth entry is a second solver. */
  leakFlood: 0.2,
  /** Attempts of self-edits below which a share of them says nothing: at 10 % the share of 40 is known to within 10 points. */
  minEditAttempts: 40,
  /** Self-edits with a gain, of all: the range in which SEAL's filter has something to choose from and something to refuse (ReST-EM's page). */
  leastGainingShare: 0.1,
  mostGainingShare: 0.3,
  /** Entries that quote what their problem does not say: the bar of the demonstration's rounds (docs/experiments/LOG.md). Up to 35 % where reward did not look. */
  misquoteShare: 0.02,
  /** Where every tenth entry says something false to its reader. */
  misquoteFlood: 0.1,
} as const;

/** A finding with the remedy of its code. */
export function finding(code: FindingCode, severity: Finding['severity'], evidence: string): Finding {
  return { code, severity, evidence, remedy: REMEDIES[code] };
}

/** What to do about a finding that is known by its code. */
export function remedyOf(code: FindingCode): string {
  return REMEDIES[code];
}

/** One finding per code, errors first, in the order of {@link FINDING_CODES}; of several the worst, and of these the first. */
export function summary(findings: readonly Finding[]): readonly Finding[] {
  const worst = new Map<FindingCode, Finding>();
  for (const each of findings) {
    const known = worst.get(each.code);
    if (known === undefined || (known.severity === 'warning' && each.severity === 'error')) worst.set(each.code, each);
  }
  const rank = ({ severity, code }: Finding): number =>
    (severity === 'error' ? 0 : FINDING_CODES.length) + FINDING_CODES.indexOf(code);
  return [...worst.values()].sort((a, b) => rank(a) - rank(b));
}

const METRIC = 'finding.';

/** Findings as figures of a run's events: 2 is an error, 1 a warning. */
export function findingMetrics(findings: readonly Finding[]): Record<string, number> {
  return Object.fromEntries(
    summary(findings).map(({ code, severity }) => [`${METRIC}${code}`, severity === 'error' ? 2 : 1]),
  );
}

/** The codes that a run's figures name. */
export function findingsIn(metrics: Readonly<Record<string, number>>): readonly FindingCode[] {
  return FINDING_CODES.filter((code) => metrics[`${METRIC}${code}`] !== undefined);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
