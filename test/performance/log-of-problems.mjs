// A log as the services write it, of as many problems as a benchmark wants: one publication, four experiences and four outcomes each; one in
// twenty of them unsolved or still on its way.
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, originMeta, TOPICS } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';

/** Events of a problem that gets experiences and all of its verdicts. */
export const EVENTS_A_PROBLEM = 9;
const CANDIDATES = 4;
const tokens = Array.from({ length: 40 }, (_, index) => index);
const each = (value) => tokens.map(() => value);

/**
 * Appends problems with their experiences and outcomes to the log in a folder.
 * @param isExperiment whether one problem in ten gets no experience, as the control arm of an experiment
 * @returns records
 */
export async function appendProblems(folder, from, to, isExperiment = false) {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  let records = 0;
  for (let at = from; at < to; at += 500) {
    const numbers = Array.from({ length: Math.min(500, to - at) }, (_, index) => at + index);
    const batch = numbers.flatMap((n) => factsOf(n, isExperiment)).map((event) => encodeEvent(event));
    records += batch.length;
    await log.append(batch);
  }
  await log.close();
  return records;
}

/** The facts of one problem, as the services write them. */
function factsOf(n, isExperiment) {
  const problemId = derivedId('bench', `problem-${n}`);
  const metaOf = (name) =>
    originMeta({
      messageId: derivedId(problemId, name),
      correlationId: problemId,
      source: 'seam/bench',
      occurredAt: 1_767_225_600_000 + n,
      sourceClass: 'trusted',
    });
  const problem = {
    problemId,
    domain: `d${n % 5}`,
    prompt: `A crate holds ${n} bottles. How many bottles are in 17 crates?`,
    reference: String(17 * n),
    verifier: { kind: 'numeric', version: '1', options: {} },
    metadata: {},
  };
  const assignment = isExperiment ? { experiment: 'bench', unit: problemId, controlShare: 0.1 } : undefined;
  const published = { problem, mode: 'explore', expiresAt: null, ...(assignment === undefined ? {} : { assignment }) };
  const events = [{ type: 'ProblemPublished', meta: metaOf('problem'), ...published }];
  const groupId = derivedId(problemId, 'group');
  if (isExperiment && n % 10 === 9) return [...events, ...controlOf(n, problem, groupId, metaOf)];
  for (let index = 0; index < CANDIDATES; index++) {
    const candidate = {
      problem,
      experienceId: derivedId(groupId, String(index)),
      groupId,
      candidateIndex: index,
      groupSize: CANDIDATES,
      arm: 'explore',
      adapterDigest: null,
    };
    events.push(experienceOf(candidate, metaOf(`experience-${index}`)));
    if (n % 20 === 7 && index === 3) continue; // on its way
    const success = n % 20 !== 3 && (n + index) % 3 === 0;
    events.push(outcomeOf(candidate, metaOf(`outcome-${index}`), success));
  }
  return events;
}

/** A problem of the control arm: no experience, one outcome. */
function controlOf(n, problem, groupId, metaOf) {
  const experienceId = derivedId(groupId, 'control');
  const withheld = { problem, experienceId, groupId, share: 0.1, attemptId: null, feedbackWithinMs: null };
  const candidate = { problem, experienceId, groupId, candidateIndex: 0, groupSize: 1, adapterDigest: null };
  return [
    { type: 'ExperienceWithheld', meta: metaOf('withheld'), ...withheld },
    outcomeOf({ ...candidate, arm: 'control' }, metaOf('outcome'), n % 30 === 9),
  ];
}

function experienceOf(candidate, meta) {
  return {
    type: 'ExperienceGenerated',
    meta,
    ...candidate,
    entry: '{"concepts":["multiply"],"strategy":["count one crate"],"pitfalls":[]}',
    entrySchema: 's',
    promptTokenIds: tokens,
    tokenIds: tokens,
    logProbs: each(-0.5),
    legalMass: each(1),
    forced: each(false),
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64, seed: 's' },
    tokenizerDigest: 't',
    baseModelDigest: 'b',
    latencyMs: 1,
  };
}

function outcomeOf(candidate, meta, success) {
  return {
    type: 'OutcomeRecorded',
    meta,
    ...candidate,
    entry: null,
    promptTokenIds: [],
    tokenIds: [],
    forced: [],
    baseModelDigest: null,
    executor: { model: 'e', revision: 'r', template: 't', decoding: '{}' },
    response: 'It holds 17 times as many.',
    extractedAnswer: '17',
    success,
    reward: Number(success),
    faithful: candidate.candidateIndex % 2 === 0 ? true : null,
    verifierVersion: '1',
    verifierDetail: '',
    promptTokens: 40,
    responseTokens: 10,
    latencyMs: 1,
  };
}
