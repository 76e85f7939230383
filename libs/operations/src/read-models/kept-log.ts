/** A log whose read models are kept between two readings. */
import type { EventLog } from '@seamstream/event-log';
import type { ReadingProgress } from '@seamstream/log-reader';
import { codeDigest, KeptReading, type SnapshotPlace } from '@seamstream/snapshots';

export interface KeptLog {
  readonly log: EventLog;
  /** Null: none are kept. */
  readonly snapshots: SnapshotPlace | null;
  /** Reads from the first record on; what is folded replaces the snapshots. */
  readonly fromScratch?: boolean | undefined;
}

export interface ReadingOptions {
  readonly signal: AbortSignal;
  readonly progress: (total: number) => ReadingProgress;
}

/** Libraries that an answer depends on, apart from the log. */
const FOLDING_LIBRARIES = [
  'events',
  'evidence',
  'experience-groups',
  'kernel',
  'log-reader',
  'operations',
  'read-models',
  'release',
  'snapshots',
];

let code: string | undefined;

export function openReading({ log, snapshots, fromScratch }: KeptLog): Promise<KeptReading> {
  code ??= codeDigest(FOLDING_LIBRARIES);
  return KeptReading.open(log, { place: snapshots, code, fromScratch });
}
