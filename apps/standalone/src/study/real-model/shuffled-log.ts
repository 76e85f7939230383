/**
 * A log that holds the first round of another, with its verdicts exchanged, and what the shipped buffer and trainer make of it. The first
 * round's entries are the base model's own, so that all that is learned comes from the verdicts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import type { Environment } from '@seamstream/service-kit';
import { hostServices } from '../../host-services.js';
import { placeInStream } from '../../problem-stream.js';
import { eventsIn, lastAdapter, type StoredAdapter } from './recorded-events.js';
import { rejudged, shuffled } from './shuffled-verdicts.js';
import type { ShuffledEnding } from './study-report.js';

const LOOK_EVERY_MS = 200;

const ROUND_TOPICS = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes];

export interface ShuffledRun {
  readonly ending: ShuffledEnding;
  /** Promoted or not; null where it made none. */
  readonly adapter: StoredAdapter | null;
}

/** The events of the first round, verdicts exchanged. @param order another one is another shuffle */
export async function shuffledRound(log: EventLog, order: string): Promise<readonly SeamEvent[]> {
  const all = await eventsIn(log, ROUND_TOPICS);
  const first = all.filter((event) => 'problem' in event && placeInStream(event.problem)?.round === 1);
  return rejudged(first, shuffled(order));
}

/**
 * Hosts buffer and trainer on the log until the run of its round has ended. A log that has the round already is continued.
 * @param environment names the data folder
 * @throws as `hostServices`
 */
export async function learnShuffled(
  environment: Environment,
  round: readonly SeamEvent[],
  say: (activity: string) => void,
): Promise<ShuffledRun> {
  const host = await hostServices(environment, ['buffer', 'trainer'], {
    onTraining: ({ phase, done, total }) => say(`shuffled rewards: ${phase} ${done}/${total}`),
    beforeServices: async (log) => {
      const there = new Set((await eventsIn(log, ROUND_TOPICS)).map(({ meta }) => meta.messageId));
      await log.append(round.filter(({ meta }) => !there.has(meta.messageId)).map(encodeEvent));
    },
  });
  try {
    for (;;) {
      const ending = endingIn(await eventsIn(host.drivers.log, [TOPIC.training, TOPIC.adapters]));
      if (ending !== undefined) return { ending, adapter: await lastAdapter(host.drivers.log) };
      await Promise.race([pause(LOOK_EVERY_MS), host.ended]);
    }
  } finally {
    await host.close();
  }
}

function endingIn(events: readonly SeamEvent[]): ShuffledEnding | undefined {
  for (const event of events) {
    if (event.type === 'AdapterPromoted' || event.type === 'TrainingRunRejected')
      return {
        outcome: event.type === 'AdapterPromoted' ? 'promoted' : 'rejected',
        success: event.evaluation?.success ?? null,
        parentSuccess: event.evaluation?.parentSuccess ?? null,
      };
    if (event.type === 'TrainingRunFailed') return { outcome: 'failed', success: null, parentSuccess: null };
  }
  return undefined;
}
