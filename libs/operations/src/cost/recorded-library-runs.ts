/** The runs that asked a model to bring a library on, as the log has them. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, LIBRARY_METHOD, TOPIC } from '@seamstream/events';
import { isReadable } from '@seamstream/experience-library';
import { readTopics } from '@seamstream/log-reader';
import { z } from 'zod';
import {
  LIBRARY_STAGES,
  type LibraryRunPlan,
  type LibraryStage,
  type ReplyFigures,
} from './library-estimate.decide.js';

/** Of a recorded configuration, what decides calls and their lengths. Any release may have written it. */
const settingsSchema = z.object({
  evidence: z.enum(['groups', 'attempts', 'problems']).catch('groups'),
  maxOperations: z.int().positive().catch(3),
  maxWords: z.int().positive().catch(32),
  batchSize: z.int().positive().catch(64),
  epochs: z.int().positive().catch(1),
  maxTokens: z.int().positive().catch(1024),
  attempts: z.int().positive().catch(3),
});

type PlannedSettings = z.infer<typeof settingsSchema>;

/** Of a run that nothing is said of. */
export const USUAL_SETTINGS: PlannedSettings = settingsSchema.parse({});

interface TimedReply extends ReplyFigures {
  readonly model: string;
  /** When it was recorded, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** When it was asked for and when it was there; null where the record does not say. */
  readonly busy: Stretch | null;
}

type Stretch = readonly [fromMs: number, toMs: number];

export interface RecordedLibraryRun {
  readonly runId: string;
  readonly settings: PlannedSettings;
  /** In the order of the log. */
  readonly replies: readonly TimedReply[];
  /** Groups that counted, and attempts of one of them in the mean; null where the run has not ended, and before the releases that say it. */
  readonly groups: number | null;
  readonly groupSize: number | null;
}

interface ReadRun {
  settings: PlannedSettings;
  readonly replies: TimedReply[];
  metrics: Readonly<Record<string, number>>;
}

/** Those with a reply; last the one with the latest. */
export async function recordedLibraryRuns(log: EventLog): Promise<readonly RecordedLibraryRun[]> {
  const read = new Map<string, ReadRun>();
  const runOf = (runId: string): ReadRun => {
    const run = read.get(runId) ?? { settings: USUAL_SETTINGS, replies: [], metrics: {} };
    read.set(runId, run);
    return run;
  };
  for await (const { events } of readTopics(log, [TOPIC.training], { undecodable: 'skip' }))
    for (const { event } of events) {
      if (event.type === 'TrainingRunPlanned' && event.method === LIBRARY_METHOD)
        runOf(event.runId).settings = settingsIn(event.configuration);
      else if (event.type === 'LibraryReplyRecorded' && isStage(event.stage)) {
        const { replies, settings } = runOf(event.runId);
        replies.push(timed(event, event.stage, settings));
      } else if (event.type === 'TrainingRunCompleted' || event.type === 'TrainingRunRejected') {
        const run = read.get(event.runId);
        if (run !== undefined) run.metrics = event.metrics;
      }
    }
  return [...read]
    .filter(([, { replies }]) => replies.length > 0)
    .sort(([, a], [, b]) => a.replies.at(-1)!.at - b.replies.at(-1)!.at)
    .map(([runId, run]) => recordedRun(runId, run));
}

function recordedRun(runId: string, { settings, replies, metrics }: ReadRun): RecordedLibraryRun {
  const { liveGroups = 0, liveAttempts = 0 } = metrics;
  return {
    ...{ runId, settings, replies },
    groups: liveGroups > 0 ? liveGroups : null,
    groupSize: liveGroups > 0 && liveAttempts > 0 ? liveAttempts / liveGroups : null,
  };
}

function timed(
  event: EventOf<'LibraryReplyRecorded'>,
  stage: LibraryStage,
  { maxOperations }: PlannedSettings,
): TimedReply {
  const { model, promptTokens, responseTokens, latencyMs = null, meta } = event;
  return {
    ...{ stage, model, promptTokens, responseTokens, at: meta.occurredAt },
    isRead: isReadable(stage, event, maxOperations),
    busy: latencyMs === null ? null : [meta.occurredAt - latencyMs, meta.occurredAt],
  };
}

/** What its plan asked for; null where the log does not say how many groups counted. */
export function planOf({ settings, groups, groupSize }: RecordedLibraryRun): Partial<LibraryRunPlan> {
  const counted = groups === null ? {} : { groups };
  const compared = groupSize === null || settings.evidence !== 'groups' ? {} : { groupSize };
  return { ...settings, ...counted, ...compared };
}

/** Seconds in which a model was at work on these replies: requests side by side count once, and pauses do not. Null: no record says it. */
export function busySeconds(replies: readonly TimedReply[]): number | null {
  const stretches = replies.flatMap(({ busy }) => (busy === null ? [] : [busy])).sort(([a], [b]) => a - b);
  if (stretches.length === 0) return null;
  let [total, reached] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of stretches) {
    total += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return total / 1000;
}

/** Tokens written in a second by the replies that say how long they took; null where none does. */
export function recordedSpeed(replies: readonly TimedReply[]): number | null {
  const seconds = busySeconds(replies);
  if (seconds === null || seconds === 0) return null;
  const written = replies.reduce((total, { busy, responseTokens }) => total + (busy === null ? 0 : responseTokens), 0);
  return written / seconds;
}

function settingsIn(configuration: string): PlannedSettings {
  const { algorithm } = z.object({ algorithm: z.unknown() }).catch({ algorithm: {} }).parse(parsed(configuration));
  return settingsSchema.catch(USUAL_SETTINGS).parse(algorithm);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStage = (stage: string): stage is LibraryStage => (LIBRARY_STAGES as readonly string[]).includes(stage);
