/**
 * Continuous batching: calls bring groups of candidates, one wave runs at a time, groups of other calls join it between two
 * runs where they fit, and every call is answered when its own candidates are done.
 */
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { SeamError } from '@seamstream/kernel';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { type Candidate, type Job, sequenceOf } from './candidate.js';
import { DecodeBatch, type Group, waveKind } from './decode-batch.js';
import type { WeightFeeds } from './decode-step.js';
import type { GenerationProgress, TokensWritten } from './generation.types.js';
import type { GenerationSessions } from './prefill.js';

/** Candidates of one wave: enough to fill matrix products, few enough that a layer's caches stay near the processor. */
const WAVE_CANDIDATES = 128;
/** Tokens of prompts that are computed before callers are heard again: a call can be ended between two runs only. */
const ADMITTED_PROMPT_TOKENS = 4096;
/** Between two reports on one call. */
const PROGRESS_EVERY_MS = 250;

export interface QueueCall {
  /** Calls with the same key have the same sessions and the same feeds. */
  readonly weightsKey: string;
  readonly sessions: GenerationSessions;
  readonly feeds: WeightFeeds;
  readonly jobs: readonly { readonly job: Job; readonly candidates: readonly Candidate[] }[];
  /** Ends the call: what is not written yet is not written any more. */
  readonly signal?: AbortSignal | undefined;
  /** Is called with new tokens after each run that made some. */
  readonly onTokens?: ((written: readonly TokensWritten[]) => void) | undefined;
  /** Is called with the progress of the call, a few times a second, and once more when the signal ends it. */
  readonly onProgress?: ((progress: GenerationProgress) => void) | undefined;
}

interface Waiting {
  readonly call: QueueCall;
  /** Calls are counted in the order in which they came. */
  readonly number: number;
  /** Places of the jobs that a listener knows to have ended, and when it was called last. */
  readonly toldJobs: Set<number>;
  toldAtMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface QueuedGroup extends Group {
  readonly owner: Waiting;
  /** Its part of the time of its waves, in milliseconds. */
  tookMs: number;
}

export class GenerationQueue {
  readonly #config: ModelConfig;
  /** Tokens whose keys and values the caches of a wave may hold. */
  readonly #cacheTokens: number;
  readonly #unanswered = new Set<Waiting>();
  #queue: QueuedGroup[] = [];
  #calls = 0;
  #isDriving = false;

  /** @param cacheBytes memory for the keys and values of a wave; one group is always let in. */
  constructor(config: ModelConfig, cacheBytes: number) {
    this.#config = config;
    this.#cacheTokens = cacheTokensOf(config, cacheBytes);
  }

  /**
   * Resolves when every candidate of the call has ended.
   * @throws NON_FINITE, SESSION_FAILED; ABORTED when the signal ended it
   */
  run(call: QueueCall): Promise<void> {
    return new Promise((resolve, reject) => {
      const owner: Waiting = {
        call,
        number: this.#calls++,
        toldJobs: new Set(),
        toldAtMs: performance.now(),
        resolve,
        reject,
      };
      this.#unanswered.add(owner);
      const groups = call.jobs.flatMap(({ job, candidates }) => this.#groupsOf(owner, job, candidates));
      // Groups of like size stand together: a wave is a rectangle of groups and candidates.
      this.#queue.push(...groups.sort((a, b) => b.candidates.length - a.candidates.length));
      if (!this.#isDriving) void this.#drive();
    });
  }

  #groupsOf(owner: Waiting, job: Job, candidates: readonly Candidate[]): QueuedGroup[] {
    const running = candidates.filter(({ finishReason }) => finishReason === undefined);
    const most = mostIn(this.#cacheTokens - waveKind(job).promptColumns, job.request.sampling.maxTokens);
    return Array.from({ length: Math.ceil(running.length / most) }, (_, part) => ({
      owner,
      job,
      candidates: running.slice(part * most, (part + 1) * most),
      tookMs: 0,
    }));
  }

  /** Runs waves until no caller waits. Between two runs other calls are heard. */
  async #drive(): Promise<void> {
    this.#isDriving = true;
    let wave: DecodeBatch<QueuedGroup> | undefined;
    let kind = '';
    const fail = ({ owner }: QueuedGroup, error: unknown): void => this.#end(owner, error);
    for (;;) {
      this.#answer();
      const [first] = this.#queue;
      if (!wave?.groups.length) {
        wave = undefined;
        if (!first) break;
        const { sessions, feeds } = first.owner.call;
        wave = new DecodeBatch(this.#config, sessions, feeds, waveKind(first.job));
        kind = kindOf(first);
      }
      const joining = this.#joining(kind, wave.groups);
      const members = [...wave.groups, ...joining];
      const startedMs = performance.now();
      try {
        if (joining.length > 0) await wave.admit(joining, fail);
        else await wave.step(fail);
        shareTime(members, performance.now() - startedMs);
      } catch (error) {
        for (const { owner } of members) this.#end(owner, error);
        wave = undefined;
      }
      await turnOfEvents();
    }
    this.#isDriving = false;
  }

  /**
   * Takes the groups out of the queue that may join a wave of this kind with those that are in it. Groups of another kind
   * that arrived earlier are not overtaken by later calls, so that no caller waits for ever.
   */
  #joining(kind: string, present: readonly QueuedGroup[]): QueuedGroup[] {
    const other = this.#queue.find((group) => kindOf(group) !== kind);
    const members = [...present];
    const joining: QueuedGroup[] = [];
    const left: QueuedGroup[] = [];
    for (const group of this.#queue) {
      const isBounded =
        joining.length === 0 || (joining.length + 1) * waveKind(group.job).promptColumns <= ADMITTED_PROMPT_TOKENS;
      const isTurn = isBounded && kindOf(group) === kind && !(other && other.owner.number < group.owner.number);
      if (isTurn && (members.length === 0 || this.#fits([...members, group]))) {
        joining.push(group);
        members.push(group);
      } else {
        left.push(group);
      }
    }
    this.#queue = left;
    return joining;
  }

  /** A wave is a rectangle: every group takes the slots of the widest, and every slot the tokens of the longest. */
  #fits(groups: readonly QueuedGroup[]): boolean {
    const slots = groups.length * Math.max(...groups.map(({ candidates }) => candidates.length));
    const longest = Math.max(...groups.map(({ job }) => job.request.sampling.maxTokens));
    const held = groups.length * waveKind(groups[0]!.job).promptColumns + slots * longest;
    return slots <= WAVE_CANDIDATES && held <= this.#cacheTokens;
  }

  /** Reports to listeners what was written, answers the calls that are done and ends those that no caller waits for any more. */
  #answer(): void {
    for (const owner of this.#unanswered) {
      const { call } = owner;
      if (call.signal?.aborted) {
        tellProgress(owner);
        this.#end(owner, new SeamError('ABORTED', 'Cannot finish a generation: its caller has ended it.'));
        continue;
      }
      if (performance.now() - owner.toldAtMs >= PROGRESS_EVERY_MS) tellProgress(owner);
      const candidates = call.jobs.flatMap((part) => part.candidates);
      if (call.onTokens) tell(candidates, call.onTokens);
      if (candidates.every(({ finishReason }) => finishReason !== undefined)) {
        this.#unanswered.delete(owner);
        owner.resolve();
      }
    }
  }

  #end(owner: Waiting, error: unknown): void {
    if (!this.#unanswered.delete(owner)) return;
    this.#queue = this.#queue.filter((group) => group.owner !== owner);
    for (const { candidates } of owner.call.jobs) {
      for (const candidate of candidates) candidate.finishReason ??= 'length';
    }
    owner.reject(error);
  }
}

/** Most candidates of one prompt that are written at a time, where the prompt takes no room: a long one leaves room for fewer. */
export function candidatesAtATime(config: ModelConfig, cacheBytes: number, maxTokens: number): number {
  return mostIn(cacheTokensOf(config, cacheBytes), maxTokens);
}

function cacheTokensOf({ layers, keyValueHeads, headDimension }: ModelConfig, cacheBytes: number): number {
  return Math.floor(cacheBytes / (layers * 2 * keyValueHeads * headDimension * Float32Array.BYTES_PER_ELEMENT));
}

function mostIn(cacheTokens: number, maxTokens: number): number {
  return Math.max(1, Math.min(WAVE_CANDIDATES, Math.floor(cacheTokens / maxTokens)));
}

function kindOf({ owner, job }: QueuedGroup): string {
  const { promptColumns, chunkColumns } = waveKind(job);
  return `${owner.call.weightsKey} ${promptColumns} ${chunkColumns}`;
}

/**
 * A run of a wave takes each of its groups an equal part of its time: one is not late because others are written with it. What had its
 * time ends between two tokens, as it stands.
 */
function shareTime(members: readonly QueuedGroup[], ranForMs: number): void {
  for (const group of members) {
    group.tookMs += ranForMs / members.length;
    const { timeoutMs } = group.job.request;
    if (timeoutMs === undefined || group.tookMs < timeoutMs) continue;
    for (const candidate of group.candidates) candidate.finishReason ??= 'late';
  }
}

function tellProgress(owner: Waiting): void {
  const { call, toldJobs } = owner;
  owner.toldAtMs = performance.now();
  if (call.onProgress === undefined) return;
  let tokens = 0;
  const finished: GenerationProgress['finished'][number][] = [];
  call.jobs.forEach(({ candidates }, request) => {
    for (const { tokenIds } of candidates) tokens += tokenIds.length;
    if (toldJobs.has(request) || candidates.some(({ finishReason }) => finishReason === undefined)) return;
    toldJobs.add(request);
    finished.push({ request, candidates: candidates.map(sequenceOf) });
  });
  call.onProgress({ tokens, finished });
}

function tell(candidates: readonly Candidate[], onTokens: (written: readonly TokensWritten[]) => void): void {
  const written: TokensWritten[] = [];
  for (const candidate of candidates) {
    if (candidate.told === candidate.tokenIds.length) continue;
    written.push({
      request: candidate.job.index,
      seed: candidate.seedIndex,
      tokenIds: candidate.tokenIds.slice(candidate.told),
    });
    candidate.told = candidate.tokenIds.length;
  }
  if (written.length > 0) onTokens(written);
}
