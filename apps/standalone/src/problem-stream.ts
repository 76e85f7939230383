/** Which problems a round publishes, as a pure function of its source, seed and round: the embedded world's, or those of a file. */

import { attributeProblems, type Split } from '@seamstream/attribute-world';
import type { DatasetProblem } from '@seamstream/datasets';
import { worldProblems } from '@seamstream/embedded-world';
import { type EventMeta, originMeta, type Problem, type ProblemPublished, type SeamEvent } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import { passageProblems } from '@seamstream/passage-world';
import type { Demonstration } from './demonstrations.js';
import { type FileIdentity, streamOf, type WorldSettings } from './run-settings.js';
import { attributeWorldOf } from './world-files.js';

type Phase = 'base' | 'shifted';

interface RoundRequest {
  readonly round: number;
  readonly phase: Phase;
  readonly roundSize: number;
  /** Place of its first problem among all that the stream has published. */
  readonly startIndex: number;
  /** How many to publish: the round's size, or what a round lacks whose problems went to the dead letters. */
  readonly count: number;
  readonly occurredAt: number;
}

/** Where the rounds' problems come from. */
export type ProblemSource = (request: RoundRequest) => readonly SeamEvent[];

/** The place of a problem in a stream that this driver published. */
export interface StreamPlace {
  readonly stream: string;
  readonly round: number;
  readonly phase: Phase;
}

const problemIdOf = (stream: string, number: number): string =>
  derivedId(stream.startsWith('file/') ? stream : `embedded-world/${stream}`, 'problem', number);

/** The place that a problem's metadata names, if its id confirms it; null for problems of anybody else. */
export function placeInStream({ problemId, metadata }: Pick<Problem, 'problemId' | 'metadata'>): StreamPlace | null {
  const { stream, number, round, phase } = metadata;
  if (stream === undefined || problemId !== problemIdOf(stream, Number(number))) return null;
  return { stream, round: Number(round), phase: phase === 'shifted' ? 'shifted' : 'base' };
}

function published(
  problem: Omit<Problem, 'problemId'>,
  place: StreamPlace & { readonly number: number },
  meta: Pick<EventMeta, 'occurredAt' | 'sourceClass'> & { readonly subject?: string | null },
  task: ProblemPublished['task'] = null,
): SeamEvent {
  const { stream, number, round, phase } = place;
  const problemId = problemIdOf(stream, number);
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task,
    meta: originMeta({
      messageId: derivedId(problemId, 'published'),
      correlationId: problemId,
      source: 'seam/standalone',
      ...meta,
    }),
    problem: {
      ...problem,
      problemId,
      metadata: { ...problem.metadata, stream, number: String(number), round: String(round), phase },
    },
    mode: 'explore',
    expiresAt: null,
  };
}

/** Share of the problems of a shifted phase that are new, on average. */
const NEW_SHARE = 0.5;

/** Rounds of the embedded world. In the shifted phase every second problem, on average, is of the new variant. */
export function worldSource(seed: number, method: Demonstration = 'experiences'): ProblemSource {
  const stream = streamOf({ method, seed, problems: null });
  return ({ round, phase, roundSize, occurredAt }) => {
    const random = Random.of('stream', seed, round);
    const request = {
      seed: `stream/${seed}`,
      split: 'train',
      count: roundSize,
      startIndex: round * roundSize,
    } as const;
    const base = worldProblems({ ...request, variant: 'base' });
    const shifted = phase === 'shifted' ? worldProblems({ ...request, variant: 'shifted' }) : [];
    return base.map((problem, index) => {
      const chosen = phase === 'shifted' && random.float() < NEW_SHARE ? (shifted[index] ?? problem) : problem;
      const number = round * roundSize + index;
      return published(chosen, { stream, number, round, phase }, { occurredAt, sourceClass: 'trusted' });
    });
  };
}

/** The rounds of the demonstration of self-edits. Each passage is about a person whom no other passage is about. */
export function passageSource(seed: number): ProblemSource {
  const stream = streamOf({ method: 'self-edits', seed, problems: null });
  return ({ round, phase, startIndex, count, occurredAt }) =>
    passageProblems({ seed: `stream/${seed}`, people: 'train', count, startIndex }).map(({ problem, task }, index) =>
      published(
        problem,
        { stream, number: startIndex + index, round, phase },
        { occurredAt, sourceClass: 'trusted' },
        task,
      ),
    );
}

/** What the rounds of a world of attributes ask. */
const ATTRIBUTE_SPLIT: Split = 'train';

/** The rounds of a world of attributes, which the seed draws with all its lore. In the shifted phase every second problem, on average, is late. */
export function attributeSource(settings: WorldSettings): ProblemSource {
  const stream = streamOf({ ...settings, problems: null });
  const world = attributeWorldOf(settings);
  return ({ round, phase, startIndex, count, occurredAt }) => {
    const request = { world, seed: 'stream', split: ATTRIBUTE_SPLIT, count, startIndex };
    const late = phase === 'shifted' ? attributeProblems({ ...request, isLate: true }) : [];
    return attributeProblems(request).map((problem, index) => {
      const number = startIndex + index;
      // By the place alone: a round that is published in parts is the same round.
      const isLate = phase === 'shifted' && Random.of('shift', stream, number).float() < NEW_SHARE;
      const chosen = isLate ? late[index]! : problem;
      return published(chosen, { stream, number, round, phase }, { occurredAt, sourceClass: 'trusted' });
    });
  };
}

/**
 * The rounds of a file: all of its problems once, in an order that seed and pass decide, then all of them again. Every publication has an id of
 * its own, since a problem that is tried again is another one to the log; `metadata.sourceId` keeps the file's id, or names the row.
 */
export function fileSource(problems: readonly DatasetProblem[], file: FileIdentity, seed: number): ProblemSource {
  const stream = streamOf({ method: 'experiences', seed, problems: file });
  const orders = new Map<number, readonly number[]>();
  const orderOf = (pass: number): readonly number[] => {
    const known = orders.get(pass) ?? Random.of(stream, pass).shuffled([...problems.keys()]);
    orders.set(pass, known);
    return known;
  };
  return ({ round, phase, startIndex, count, occurredAt }) =>
    Array.from({ length: count }, (_, index) => {
      const number = startIndex + index;
      const pass = Math.floor(number / problems.length);
      const { row, domain, prompt, reference, verifier, metadata, problemId, subject } =
        problems[orderOf(pass)[number % problems.length]!]!;
      return published(
        { domain, prompt, reference, verifier, metadata: { sourceId: problemId ?? `row ${row}`, ...metadata } },
        { stream, number, round, phase },
        { occurredAt, sourceClass: 'user', subject: subject ?? null },
      );
    });
}
