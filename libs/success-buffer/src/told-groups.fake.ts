/** Recorded results in groups, and the buffers and commits that follow from them. */

import {
  type BufferCommit,
  type BufferInput,
  type BufferState,
  bufferConfigSchema,
  commit,
  decodeSnapshot,
  type EntryValidator,
  encodeSnapshot,
  evolve,
  type InputPosition,
  initialState,
} from './index.js';

export interface Told {
  readonly event: BufferInput;
  readonly position: InputPosition;
}

interface ResultOptions {
  readonly group: string;
  readonly member?: number;
  readonly size?: number;
  readonly result?: 'solved' | 'unsolved' | 'failed';
  readonly arm?: 'explore' | 'deploy' | 'control';
  readonly domain?: string;
  readonly prompt?: string;
  readonly entry?: string;
  readonly subject?: string;
  readonly offset?: number;
  readonly partition?: number;
  readonly tokens?: number;
  readonly id?: string;
}

const meta = {
  correlationId: 'problem',
  causationId: null,
  occurredAt: 0,
  source: 'seam/executor',
  sourceClass: 'model',
  traceparent: null,
  tenant: null,
} as const;

/** One recorded result; ids are readable: outcome `g1-0` is member 0 of group g1. */
export function told(options: ResultOptions): Told {
  const {
    group,
    member = 0,
    size = 1,
    result = 'solved',
    arm = 'explore',
    domain = 'timber',
    offset = 0,
    partition = 0,
    tokens = 4,
  } = options;
  const id = options.id ?? `${group}-${member}`;
  const facts = {
    meta: { messageId: id, subject: options.subject ?? null, ...meta },
    problem: {
      problemId: `problem-${group}`,
      domain,
      prompt: options.prompt ?? `statement of ${group}`,
      reference: '',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    experienceId: `experience-${group}-${member}`,
    attemptId: null,
    groupId: group,
    groupSize: size,
    arm,
    adapterDigest: null,
  };
  const position = { topic: 'seam.outcomes', partition, offset };
  if (result === 'failed') return { event: { type: 'ExecutionFailed', ...facts }, position };
  const outcome = {
    ...facts,
    entry: arm === 'control' ? null : (options.entry ?? `{"strategy":"${id}"}`),
    promptTokenIds: [1, 2, 3],
    tokenIds: Array.from({ length: tokens }, (_, i) => i),
    forced: Array.from({ length: tokens }, (_, i) => i % 2 === 0),
    baseModelDigest: 'base',
    success: result === 'solved',
    reward: result === 'solved' ? 1 : 0,
  };
  return { event: { type: 'OutcomeRecorded', ...outcome }, position };
}

/** A group of results written as + (solved), - (unsolved), x (failed). */
export function group(name: string, results: string, options: Omit<ResultOptions, 'group'> = {}): Told[] {
  const kinds = { '+': 'solved', '-': 'unsolved', x: 'failed' } as const;
  return results.split('').map((sign, member) =>
    told({
      size: results.length,
      ...options,
      group: name,
      member,
      result: kinds[sign as keyof typeof kinds],
      offset: (options.offset ?? 0) + member,
    }),
  );
}

export const validateEntry: EntryValidator = (_domain, entry, prompt) => {
  if (entry.includes('bad')) return { reason: 'invalid_entry', detail: 'entry/strategy must not be bad' };
  const isMisquote = entry.includes('quote') && !prompt.includes('quote');
  return isMisquote ? { reason: 'misquote', detail: 'at #/strategy it quotes "quote"' } : undefined;
};

export function bufferOf(
  events: readonly Told[],
  config: Parameters<typeof bufferConfigSchema.parse>[0] = {},
): BufferState {
  return events.reduce(
    (state, { event, position }) => evolve(state, event, position),
    initialState(bufferConfigSchema.parse(config)),
  );
}

export const commitOf = (
  events: readonly Told[],
  config?: Parameters<typeof bufferConfigSchema.parse>[0],
): BufferCommit => commit(bufferOf(events, config), { validateEntry });

export const keptIds = ({ rows }: BufferCommit): string[] => rows.map(({ outcomeId }) => outcomeId);

export const said = ({ decisions }: BufferCommit): string[] =>
  decisions.map((decision) =>
    decision.type === 'SuccessAdmitted'
      ? `${decision.outcomeId} admitted to ${decision.stratum}`
      : `${decision.outcomeId} rejected: ${decision.reason}${decision.duplicateOf === null ? '' : ` of ${decision.duplicateOf}`}`,
  );

export const bytesOf = (state: BufferState): Uint8Array => encodeSnapshot({ state, inputs: [], writtenAt: 7 });
export const restarted = (state: BufferState): BufferState => decodeSnapshot(bytesOf(state)).state;
