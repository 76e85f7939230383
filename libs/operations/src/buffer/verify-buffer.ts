/**
 * Makes every committed version of the buffer again, from the outcomes in the log and the rules in its manifest, and
 * compares digests. Nothing that the buffer service stored besides (its snapshots, its files) is believed.
 */

import { type EventLog, partitionName } from '@seamstream/event-log';
import { type EventOf, isWhole, TOPIC } from '@seamstream/events';
import { contentMissing, ProblemContents, placesIn } from '@seamstream/evidence';
import { isAttemptResult } from '@seamstream/experience-groups';
import { type ReadingProgress, readEvents } from '@seamstream/log-reader';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferState,
  commit,
  type EntryValidator,
  evolve,
  initialState,
  newestVersions,
  shardNameOf,
  withRules,
} from '@seamstream/success-buffer';
import { readManifest } from './read-buffer.js';

export interface VerifiedVersion {
  /** e.g. 1of3 */
  readonly shard: string;
  readonly sequence: number;
  readonly rows: number;
  readonly recordedDigest: string;
  readonly replayedDigest: string;
  readonly equal: boolean;
}

interface VerifyOptions {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  /** Oldest first. */
  readonly commits: readonly EventOf<'BufferCommitted'>[];
  readonly validateEntry: EntryValidator;
  readonly progress: ReadingProgress;
  readonly signal: AbortSignal;
}

/** Replays the versions of each shard in their order; each takes up where the one before it ended. */
export async function verifyBuffer(options: VerifyOptions): Promise<readonly VerifiedVersion[]> {
  const verified: VerifiedVersion[] = [];
  for (const commits of Map.groupBy(options.commits, shardNameOf).values())
    verified.push(...(await verifyShard({ ...options, commits })));
  return verified;
}

async function verifyShard(options: VerifyOptions): Promise<readonly VerifiedVersion[]> {
  const { log, objects, commits, validateEntry, progress, signal } = options;
  const verified: VerifiedVersion[] = [];
  const nextOffsets = new Map<string, number>();
  const contents = new ProblemContents(log);
  let state: BufferState | undefined;
  for (const version of commits) {
    signal.throwIfAborted();
    const { config, refused = [] } = await readManifest(objects, version);
    const isRefused = placesIn(refused);
    const shard = { index: version.shard, of: version.shards };
    state = state === undefined ? initialState(config, shard) : withRules(state, config);
    for (const { topic, partition, to } of version.inputs) {
      const from = nextOffsets.get(partitionName(topic, partition)) ?? 0;
      if (from >= to) continue;
      for await (const { events, records } of readEvents(log, [{ topic, partition, from, to }], {
        undecodable: 'skip',
      })) {
        // What did not count then, by the version's own word, does not now.
        const counted = events.filter(({ event, record }) => isAttemptResult(event) && !isRefused(record));
        const filled = await contents.fill(
          counted.map(({ event }) => event),
          ({ type }) => type === 'OutcomeRecorded',
        );
        for (const [at, { record }] of counted.entries()) {
          const event = filled[at]!;
          if (!isAttemptResult(event)) continue;
          if (event.type === 'OutcomeRecorded' && !isWhole(event.problem)) throw contentMissing(event.problem);
          state = evolve(state, event, record);
        }
        progress.advance(records.length);
      }
      nextOffsets.set(partitionName(topic, partition), to);
    }
    const replayed = commit(state, { validateEntry });
    state = replayed.state;
    verified.push({
      shard: shardNameOf(version),
      sequence: version.sequence,
      rows: replayed.rows.length,
      recordedDigest: version.bufferDigest,
      replayedDigest: replayed.bufferDigest,
      equal: replayed.bufferDigest === version.bufferDigest,
    });
  }
  return verified;
}

/** Records that the last versions were made from: of each shard all. */
export function recordsToReplay(commits: readonly EventOf<'BufferCommitted'>[]): number {
  const inputs = newestVersions(commits).flatMap((last) => last.inputs);
  return inputs.filter(({ topic }) => topic === TOPIC.outcomes).reduce((sum, { to }) => sum + to, 0);
}
