/** A consumer that is served by the transport, and what it answers. */
import { Controller, Module } from '@nestjs/common';
import { InMemoryEventLog, InMemoryLogStorage, type NewRecord } from '@seamstream/event-log';
import { type EventOf, encodeEvent, type SeamEvent, TOPIC, type TopicName } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { committedRecords, EXAMPLE_EVENTS, eventsOf, FlakyLog, openLog } from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { commonConfigSchema } from '../config/common-config.js';
import type { RunningService } from '../run-service.js';
import { ConsumeTopic } from './consume-topic.decorator.js';
import type { BatchConsumer, DeliveredBatch } from './delivery.js';
import { done } from './handler-result.js';

export const GROUP = 'seam.test';
const config = commonConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { maxAttempts: 3, firstRetryMs: 1, maxRetryMs: 5, shutdownGraceMs: 200, deadlineMs: 400 },
});

const { ProblemPublished } = EXAMPLE_EVENTS;

export function problem(id: string): EventOf<'ProblemPublished'> {
  return {
    ...ProblemPublished,
    meta: { ...ProblemPublished.meta, messageId: derivedId(id, 'problem'), correlationId: id },
    problem: { ...ProblemPublished.problem, problemId: id, prompt: `What is ${id}?` },
  };
}

export function expired({ event }: DeliveredBatch['records'][number]): EventOf<'ProblemExpired'> {
  if (event.type !== 'ProblemPublished') throw new Error('unexpected event');
  return expiredOf(event);
}

export function expiredOf({ meta, problem: subject }: EventOf<'ProblemPublished'>): EventOf<'ProblemExpired'> {
  return {
    type: 'ProblemExpired',
    meta: { ...meta, messageId: derivedId(meta.messageId, 'expired'), causationId: meta.messageId },
    problem: subject,
    expiredAt: 1,
  };
}

/** Names the problem's event as its cause, and is not one of our answers. */
export function forgedFor(id: string): EventOf<'ProblemExpired'> {
  const { meta, ...event } = expiredOf(problem(id));
  return { ...event, meta: { ...meta, messageId: derivedId(id, 'forged') } };
}

/** Answers every problem with an event that names it. */
export const answerAll: BatchConsumer = async (batch) => batch.records.map((record) => done([expired(record)]));

export const newLog = (storage = new InMemoryLogStorage()): Promise<FlakyLog> => openLog({ storage });

export async function serve(
  log: InMemoryEventLog,
  consume: BatchConsumer,
  maxBatchRecords = 100,
  topics?: readonly TopicName[],
  consuming: Partial<typeof config.consuming> = {},
): Promise<RunningService> {
  const answers = topics === undefined ? {} : { answersIn: { topics, recognise: isExpiry } };

  @Controller()
  class ProblemConsumer {
    @ConsumeTopic({ topic: TOPIC.problems, group: GROUP, maxBatchRecords, ...answers })
    consume(batch: DeliveredBatch): ReturnType<BatchConsumer> {
      return consume(batch);
    }
  }

  @Module({ controllers: [ProblemConsumer] })
  class TestModule {}

  const definition = { name: 'test', module: () => ({ module: TestModule }) };
  return startForTest(definition, { config: { ...config, consuming: { ...config.consuming, ...consuming } }, log });
}

/** As {@link expired} writes it. */
const isExpiry =
  ({ type, meta }: SeamEvent) =>
  (cause: SeamEvent): boolean =>
    type === 'ProblemExpired' && meta.messageId === derivedId(cause.meta.messageId, 'expired');

export const consumedCount = (log: InMemoryEventLog): Promise<number> => committedRecords(log, GROUP);

export const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `p-${index}`);
export const published = (names: readonly string[]): NewRecord[] => names.map((name) => encodeEvent(problem(name)));
export const answered = async (log: InMemoryEventLog): Promise<string[]> =>
  (await eventsOf(log, 'ProblemExpired')).map((event) => event.problem.problemId).sort();
