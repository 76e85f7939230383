/**
 * Makes every committed version of the buffer again, from the outcomes in the log and the rules in its manifest, and
 * compares digests. Nothing that the buffer service stored besides (its snapshots, its files) is believed.
 */

import type { EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { readEvents } from '@seamstream/log-reader';
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
import { readManifest } from '../buffer/read-buffer.js';
import type { Progress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { count, shortId } from '../terminal/text.js';

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
  readonly progress: Progress;
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
  let state: BufferState | undefined;
  for (const version of commits) {
    signal.throwIfAborted();
    const { config, refused = [] } = await readManifest(objects, version);
    const shard = { index: version.shard, of: version.shards };
    state = state === undefined ? initialState(config, shard) : withRules(state, config);
    for (const { topic, partition, to } of version.inputs) {
      const from = nextOffsets.get(`${topic}/${partition}`) ?? 0;
      if (from >= to) continue;
      for await (const { events, records } of readEvents(log, [{ topic, partition, from, to }], {
        undecodable: 'skip',
      })) {
        for (const { event, record } of events) {
          // What did not count then, by the version's own word, does not now.
          if (refused.some((range) => range.partition === partition && isWithin(range, record.offset))) continue;
          if (event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed')
            state = evolve(state, event, record);
        }
        progress.advance(records.length);
      }
      nextOffsets.set(`${topic}/${partition}`, to);
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

function isWithin({ from, to }: { readonly from: number; readonly to: number }, offset: number): boolean {
  return from <= offset && offset < to;
}

/** Records that the last versions were made from: of each shard all. */
export function recordsToReplay(commits: readonly EventOf<'BufferCommitted'>[]): number {
  const inputs = newestVersions(commits).flatMap((last) => last.inputs);
  return inputs.filter(({ topic }) => topic === TOPIC.outcomes).reduce((sum, { to }) => sum + to, 0);
}

export function renderVerifiedVersions(versions: readonly VerifiedVersion[], style: Style): string {
  const hasShards = new Set(versions.map(({ shard }) => shard)).size > 1;
  const table = renderTable(
    [
      ...(hasShards ? [{ title: 'SHARD' }] : []),
      { title: 'VERSION', align: 'right' },
      { title: 'ROWS', align: 'right' },
      { title: 'RECORDED' },
      { title: 'REPLAYED' },
      { title: '' },
    ],
    versions.map(({ shard, sequence, rows, recordedDigest, replayedDigest, equal }) => [
      ...(hasShards ? [shard] : []),
      String(sequence),
      count(rows),
      shortId(recordedDigest),
      shortId(replayedDigest),
      equal ? style.green('equal') : style.red('DIFFERENT'),
    ]),
    style,
  );
  const different = versions.filter(({ equal }) => !equal).length;
  return different === 0
    ? `${table}The log gives every version of the buffer again.\n`
    : `${table}${different} of ${versions.length} versions differ: records are missing, or the rules are not those that made them.\n`;
}
