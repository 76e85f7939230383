/** What recorded groups say: whether they can teach anything, and whether their verdicts and probabilities can be trusted. */
import { attemptIdOf, type EventOf, type ExperienceGenerated, isWhole, verifierTraits } from '@seamstream/events';
import {
  hasFindableAnswer,
  hasQuotes,
  holdsAnswer,
  misquoteIn,
  schemaDigest,
  withoutQuoteRules,
} from '@seamstream/experience';
import { definiteResults, isComplete } from '@seamstream/experience-groups';
import { compareText } from '@seamstream/kernel';
import type { ResultEvent } from '@seamstream/learning';
import type { JsonSchema } from '@seamstream/token-grammar';
import { type Finding, finding, LIMITS, percent } from './finding.js';

type Outcome = EventOf<'OutcomeRecorded'>;

interface Judged {
  readonly experience: ExperienceGenerated;
  readonly result: ResultEvent;
}

/** A group of candidates with all its results. */
export interface FinishedGroup {
  readonly groupId: string;
  /** Candidates that were to be written. */
  readonly size: number;
  readonly members: readonly Judged[];
}

/** Explored groups whose members are all written and have a result, the one that training counts. Order of the experiences. */
export function finishedGroups(
  experiences: readonly ExperienceGenerated[],
  results: readonly ResultEvent[],
): readonly FinishedGroup[] {
  const resultOf = definiteResults(results);
  const explored = new Map<string, ExperienceGenerated>();
  for (const each of experiences)
    if (each.arm === 'explore' && !explored.has(attemptIdOf(each))) explored.set(attemptIdOf(each), each);
  return [...Map.groupBy(explored.values(), ({ groupId }) => groupId)].flatMap(([groupId, members]) => {
    const judged = members.flatMap((experience) => {
      const result = resultOf.get(attemptIdOf(experience));
      return result === undefined ? [] : [{ experience, result }];
    });
    const size = members[0]!.groupSize;
    return isComplete({ groupSize: size, members: judged.length }) ? [{ groupId, size, members: judged }] : [];
  });
}

interface RolloutContext {
  /**
   * The schema that entries of a domain are learned under, and by which their quotes are judged, those of older records too; absent:
   * neither is looked at.
   */
  readonly schemaFor?: (domain: string) => JsonSchema;
}

/** @param groups finished ones, the more recent ones for a system that still runs */
export function examineRollouts(groups: readonly FinishedGroup[], context: RolloutContext = {}): readonly Finding[] {
  const outcomes = groups.flatMap(({ members }) =>
    members.flatMap(({ result }) => (result.type === 'OutcomeRecorded' ? [result] : [])),
  );
  return [
    ...smallGroups(groups),
    ...variance(groups),
    ...verdicts(groups, outcomes),
    ...timeOuts(outcomes),
    ...masks(groups, context),
    ...sameTexts(groups),
    ...leaks(groups),
    ...misquotes(groups, context),
  ];
}

function outcomesOf({ members }: FinishedGroup): Outcome[] {
  return members.flatMap(({ result }) => (result.type === 'OutcomeRecorded' ? [result] : []));
}

function smallGroups(groups: readonly FinishedGroup[]): Finding[] {
  const small = groups.filter((group) => outcomesOf(group).length < 2);
  if (small.length === 0 || small.length < groups.length * LIMITS.smallShare) return [];
  const ones = small.filter(({ size }) => size < 2).length;
  const codes = small.flatMap(({ members }) =>
    members.flatMap(({ result }) => (result.type === 'ExecutionFailed' ? [result.code] : [])),
  );
  const failures =
    codes.length === 0 ? '' : `; ${codes.length} candidates failed in execution (${mostFrequent(codes)})`;
  return [
    finding(
      'groups-of-one',
      'error',
      `${small.length} of ${groups.length} explored groups have fewer than two verdicts, so nothing to compare: ${ones} were written with one candidate${failures}.`,
    ),
  ];
}

function variance(groups: readonly FinishedGroup[]): Finding[] {
  const judged = groups.map(outcomesOf).filter((outcomes) => outcomes.length > 1);
  const dead = judged.filter((outcomes) => outcomes.every(({ reward }) => reward === outcomes[0]!.reward));
  const solved = dead.filter(([first]) => first!.reward > 0).length;
  return noVariance(judged.length, judged.length - dead.length, solved);
}

/** Shared with what a run's own figures say. Groups that are all solved are mastered, which is no fault. */
export function noVariance(groups: number, live: number, solved: number): Finding[] {
  const unsolved = groups - live - solved;
  const isStill = live < groups * LIMITS.liveShare && unsolved >= solved;
  const isHindered = unsolved >= groups * LIMITS.unsolvedShare;
  if (groups < LIMITS.minGroups || !(isStill || isHindered)) return [];
  return [
    finding(
      'no-variance',
      isStill ? 'error' : 'warning',
      `Only ${live} of ${groups} groups have both better and worse entries; ${unsolved} were solved by no entry, ${solved} by all.`,
    ),
  ];
}

const isCompared = ({ verifier }: Outcome['problem']): boolean =>
  verifier !== null && verifierTraits(verifier).comparesAnswers;

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s.,;:$%]+/g, '');

function verdicts(groups: readonly FinishedGroup[], outcomes: readonly Outcome[]): Finding[] {
  const comparable = outcomes.filter(({ problem }) => isCompared(problem));
  // Answers that differ cannot all be right.
  const differing = groups
    .map((group) => outcomesOf(group).filter(({ problem }) => isCompared(problem)))
    .filter(
      (group) =>
        new Set(group.flatMap(({ extractedAnswer }) => (extractedAnswer === null ? [] : [plain(extractedAnswer)])))
          .size > 1,
    );
  const accepting = differing.filter((group) =>
    group.every(({ success, extractedAnswer }) => success || extractedAnswer === null),
  );
  if (differing.length >= LIMITS.minCases && accepting.length >= differing.length * LIMITS.constantShare) {
    return [
      constant(
        outcomes,
        `In ${accepting.length} of ${differing.length} groups with different answers to one problem all of them were called right.`,
      ),
    ];
  }
  // What reads like the reference cannot be wrong.
  const alike = comparable.filter(
    ({ extractedAnswer, problem }) =>
      extractedAnswer !== null &&
      problem.reference !== null &&
      plain(problem.reference) !== '' &&
      plain(extractedAnswer) === plain(problem.reference),
  );
  const refused = alike.filter(({ success }) => !success).length;
  if (refused >= LIMITS.minCases && refused >= alike.length / 2) {
    return [
      constant(outcomes, `${refused} of ${alike.length} answers that read like their reference were called wrong.`),
    ];
  }
  const finished = outcomes.filter(
    ({ verifierDetail, response }) => !isCutOff(verifierDetail) && response.trim() !== '',
  );
  const unread = finished.filter(({ extractedAnswer, success }) => extractedAnswer === null && !success).length;
  if (finished.length >= LIMITS.minGroups && unread >= finished.length * LIMITS.constantShare) {
    return [
      constant(
        outcomes,
        `In ${unread} of ${finished.length} finished answers the verifier found no answer to judge: does the executor answer in the form that it reads?`,
      ),
    ];
  }
  const others = groups.filter((group) => outcomesOf(group).some(({ problem }) => !isCompared(problem)));
  const said = others.flatMap(outcomesOf);
  if (
    others.length >= LIMITS.minGroups &&
    said.length > 0 &&
    said.every(({ success }) => success === said[0]!.success)
  ) {
    const verdict = said[0]!.success ? 'right' : 'wrong';
    const different = new Set(said.map(({ response }) => response)).size;
    if (different > others.length)
      return [
        finding(
          'constant-verifier',
          'warning',
          `All ${said.length} answers (${different} different ones) to ${others.length} problems were called ${verdict}.`,
        ),
      ];
  }
  return [];
}

function constant(outcomes: readonly Outcome[], evidence: string): Finding {
  const kinds = mostFrequent(
    outcomes.map(({ problem: { verifier } }) => (verifier === null ? 'none' : `${verifier.kind}@${verifier.version}`)),
  );
  return finding('constant-verifier', 'error', `${evidence} Most problems name the verifier ${kinds}.`);
}

const isCutOff = (detail: string): boolean => detail.startsWith('the response is unfinished');
const TIME_OUT = /\b(?:time[ -]?out|timed out|deadline)\b/i;

function timeOuts(outcomes: readonly Outcome[]): Finding[] {
  const wrong = outcomes.filter(({ success }) => !success);
  const missing = wrong.filter(
    ({ response, verifierDetail }) =>
      response.trim() === '' || TIME_OUT.test(verifierDetail) || (response.length < 200 && TIME_OUT.test(response)),
  ).length;
  const share = (count: number): string => percent(count / wrong.length);
  if (missing >= LIMITS.minCases && missing >= wrong.length * LIMITS.timeOutShare) {
    return [
      finding(
        'time-outs-as-wrong',
        'error',
        `${missing} of ${wrong.length} wrong answers (${share(missing)}) are empty or name a time-out: they earned reward 0 without an answer.`,
      ),
    ];
  }
  const cutOff = wrong.filter(({ verifierDetail }) => isCutOff(verifierDetail)).length;
  if (cutOff >= LIMITS.minGroups && cutOff >= wrong.length * LIMITS.cutOffShare) {
    return [
      finding(
        'time-outs-as-wrong',
        'warning',
        `${cutOff} of ${wrong.length} wrong answers (${share(cutOff)}) were cut off at the executor's token limit: entries are rewarded for saving tokens, not for helping.`,
      ),
    ];
  }
  return [];
}

function masks(groups: readonly FinishedGroup[], { schemaFor }: RolloutContext): Finding[] {
  const experiences = groups.flatMap(({ members }) => members.map(({ experience }) => experience));
  const unforced = experiences.filter(({ forced, logProbs }) =>
    forced.some((isForced, at) => isForced && Math.abs(logProbs[at] ?? 0) > LIMITS.forcedLogProb),
  ).length;
  if (unforced > 0) {
    return [
      finding(
        'mask-mismatch',
        'error',
        `${unforced} of ${experiences.length} entries have forced tokens with a probability below 1: their probabilities were not taken under the mask that forced them.`,
      ),
    ];
  }
  const foreign = experiences.filter(
    ({ entrySchema, problem }) => schemaFor !== undefined && !isMaskKnown(entrySchema, schemaFor(problem.domain)),
  );
  if (foreign.length > 0 && foreign.length * 100 >= experiences.length) {
    return [
      finding(
        'mask-mismatch',
        'error',
        `${foreign.length} of ${experiences.length} entries were written under another schema than they are learned under (domains ${[...new Set(foreign.map(({ problem }) => problem.domain))].sort().join(', ')}).`,
      ),
    ];
  }
  return [];
}

/** Also of entries written before the schema said what is a quote: the trainer forms their masks without it (sampledUnder). */
function isMaskKnown(entrySchema: string, schema: JsonSchema): boolean {
  return entrySchema === schemaDigest(schema) || entrySchema === schemaDigest(withoutQuoteRules(schema));
}

function sameTexts(groups: readonly FinishedGroup[]): Finding[] {
  const failing = groups.flatMap((group) => {
    // Scouts of the base model vary by themselves.
    const byAdapter = group.members.filter(({ experience }) => experience.adapterDigest !== null);
    const written = byAdapter.length >= 2 ? byAdapter : group.members;
    const isUnsolved = written.every(({ result }) => result.type === 'OutcomeRecorded' && result.reward === 0);
    return written.length >= 2 && isUnsolved ? [written] : [];
  });
  const identical = failing.filter((members) =>
    members.every(({ experience }) => experience.entry === members[0]!.experience.entry),
  );
  if (identical.length < LIMITS.minCases || identical.length < failing.length * LIMITS.identicalShare) return [];
  return [
    finding(
      'entropy-collapse',
      'error',
      `In ${identical.length} of ${failing.length} groups that failed, all candidates were one and the same text: nothing else is tried any more.`,
    ),
  ];
}

function leaks(groups: readonly FinishedGroup[]): Finding[] {
  // By id: who is compared with whom for chance must not follow from how partitions were read.
  const findable = groups
    .flatMap(({ groupId, members }) => {
      const { problem } = members[0]!.experience;
      return isWhole(problem) && hasFindableAnswer(problem) ? [{ groupId, members, problem }] : [];
    })
    .toSorted((a, b) => compareText(a.groupId, b.groupId));
  let entries = 0;
  let holding = 0;
  let byChance = 0;
  for (const [, own] of Map.groupBy(findable, ({ problem }) => problem.domain)) {
    own.forEach(({ members, problem }, at) => {
      const next = own[(at + 1) % own.length]!.problem;
      for (const { experience } of members) {
        entries++;
        if (holdsAnswer(experience.entry, problem)) holding++;
        if (own.length > 1 && holdsAnswer(experience.entry, next)) byChance++;
      }
    });
  }
  const beyond = (holding - byChance) / Math.max(1, entries);
  if (holding < LIMITS.minCases || beyond < LIMITS.leakShare) return [];
  return [
    finding(
      'answer-leak',
      beyond >= LIMITS.leakFlood ? 'error' : 'warning',
      `${holding} of ${entries} entries (${percent(holding / entries)}) hold the answer to their own problem; the answers of other problems are in ${byChance}.`,
    ),
  ];
}

function misquotes(groups: readonly FinishedGroup[], { schemaFor }: RolloutContext): Finding[] {
  if (schemaFor === undefined) return [];
  const quoting = groups
    .flatMap(({ members }) => members.map(({ experience }) => experience))
    .flatMap(({ problem, ...rest }) =>
      isWhole(problem) && hasQuotes(schemaFor(problem.domain)) ? [{ ...rest, problem }] : [],
    );
  const found = quoting.flatMap(({ experienceId, problem, entry }) => {
    const misquote = misquoteIn(entry, schemaFor(problem.domain), problem.prompt);
    return misquote === undefined ? [] : [{ experienceId, problem, entry, misquote }];
  });
  const share = found.length / Math.max(1, quoting.length);
  if (found.length < LIMITS.minCases || share <= LIMITS.misquoteShare) return [];
  // The first by id: which one it is must not follow from how partitions were read.
  const { problem, entry, misquote } = found.reduce((a, b) =>
    compareText(a.experienceId, b.experienceId) <= 0 ? a : b,
  );
  const example = `${JSON.stringify(entry.slice(0, 200))} for ${JSON.stringify(problem.prompt.slice(0, 200))}`;
  return [
    finding(
      'misquotes',
      share >= LIMITS.misquoteFlood ? 'error' : 'warning',
      `${found.length} of ${quoting.length} entries (${percent(share)}) misquote their problem. One of them, ${example}: at ${misquote.path} ${misquote.fault}.`,
    ),
  ];
}

function mostFrequent(names: readonly string[]): string {
  const [most] = [...Map.groupBy(names, (name) => name)].sort(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? 'none';
}
