/** A world for specs of teams: hinted problems on the log, two or three agents on doubles, and the trainer's own path on demand. */

import type { PreferencePair } from '@seamstream/datasets';
import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { entrySchemas, loadPrompts } from '@seamstream/experience';
import { readTopics } from '@seamstream/log-reader';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { FakeGenerator, PROBLEMS, rule, SCHEMAS, tokenizer } from '@seamstream/rollout/testing';
import { createServiceLogger } from '@seamstream/service-kit';
import { SEQUENTIAL_TUNING, type Team, TeamEvaluation, TeamMethod, TeamRunner, teamOf } from '@seamstream/team-tuning';
import { FlakyLog, type World } from '@seamstream/testing';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { publicationOf } from '@seamstream/testing/result-log';
import { FakeEngine } from '@seamstream/training-contract/testing';
import { preferenceSetDigest, type TrainOnDemandHandler } from '@seamstream/training-runs';
import { FakeEvaluation } from '@seamstream/training-runs/testing';
import { createTrainer } from './app.module.js';
import { configOf } from './trainer-world.fake.js';

export const TEAM: Team = teamOf(
  {
    topology: 'chain',
    agents: ['concepts', 'strategy', 'pitfalls'].map((field) => ({
      ...{ name: field, path: 'models/fake', field, role: '{problem}\nExperience:\n{before}' },
    })),
  },
  'of a spec',
);

/** Small batches, and a gate that passes all steps of the double. */
export const SETTINGS = { groupSize: 4, batchSize: 8, sampling: { maxTokens: 24 }, gate: { target: 1 } };

export interface Tuner {
  readonly generator: FakeGenerator;
  readonly engine: FakeEngine;
  readonly executor: FakeExecutor;
  readonly log: FlakyLog;
  readonly onDemand: TrainOnDemandHandler;
  /** The stage of this number, to its end. */
  tune(stage: number, settings?: Record<string, unknown>): Promise<SeamEvent['type'] | undefined>;
}

/** A process that tunes: another one on the same world resumes where this one was killed. */
export async function openTuner(
  world: World,
  {
    failAt = 0,
    slot = 'team',
    name = 'team',
  }: { readonly failAt?: number; readonly slot?: string; readonly name?: string } = {},
): Promise<Tuner> {
  const log = new FlakyLog({ storage: world.storage });
  await log.createTopics(TOPICS.map((topic) => ({ name: topic.name, partitions: topic.partitions })));
  log.failAt = failAt;
  const [generator, engine, executor] = [new FakeGenerator(tokenizer), new FakeEngine(), new FakeExecutor(rule)];
  const drivers = { log, objects: new InMemoryObjectStore(world.objects) };
  const environment = new PromptInjection(executor, await loadPrompts());
  const schemaFor = entrySchemas(SCHEMAS);
  const team = { ...TEAM, slot };
  const evaluation = new TeamEvaluation({
    ...{ team, schemaFor, models: team.agents.map(() => generator), environmentOf: async () => environment },
    ...{ terms: { responseMaxTokens: 32, entryMaxTokens: 24 }, problemSet: 'validation', problems: PROBLEMS.slice(18) },
  });
  const runner = new TeamRunner({
    ...{ ...drivers, team, schemaFor, environment, evaluation, clock: { now: () => 7 } },
    agents: team.agents.map(() => ({ model: generator, engine })),
  });
  const { onDemand } = await createTrainer(
    {
      config: configOf({
        ...{ method: name, algorithm: SEQUENTIAL_TUNING, algorithms: {} },
        ...{ promotion: { rule: 'tolerance', tolerance: 1 }, leaseMs: 1500 },
      }),
      drivers,
      logger: createServiceLogger('trainer', 'silent'),
      onClose: () => undefined,
    },
    { engine, evaluation: new FakeEvaluation(), schemaFor, methods: [{ method: new TeamMethod(name, slot), runner }] },
  );
  return {
    ...{ generator, engine, executor, log, onDemand },
    async tune(stage, settings = {}) {
      const { ending } = await onDemand.handle(
        {
          algorithm: SEQUENTIAL_TUNING,
          settings: { ...SETTINGS, ...settings },
          iteration: { of: slot, index: stage },
        },
        new AbortController().signal,
      );
      return ending[0]?.type;
    },
  };
}

/** Appends problems of the hinted world. */
export async function publishProblems(log: EventLog, from: number, to: number): Promise<void> {
  await log.append(PROBLEMS.slice(from, to).map((problem) => encodeEvent(publicationOf(problem))));
}

/** Appends a set of preference pairs. @returns its digest */
export async function publishPairs(log: EventLog, pairs: readonly PreferencePair[]): Promise<string> {
  const setDigest = preferenceSetDigest(pairs);
  const { TeamPreferencePublished: example } = EXAMPLE_EVENTS;
  await log.append(
    pairs.map((pair, index) =>
      encodeEvent({
        ...{ ...example, meta: { ...example.meta, messageId: `${setDigest}/${index}` } },
        ...{ setDigest, index, pairs: pairs.length, row: index + 1 },
        ...pair,
      }),
    ),
  );
  return setDigest;
}

export async function teamEvents<T extends SeamEvent['type']>(log: EventLog, type: T): Promise<EventOf<T>[]> {
  const found: SeamEvent[] = [];
  const topics = [TOPIC.training, TOPIC.adapters, TOPIC.teams];
  for await (const { events } of readTopics(log, topics, { undecodable: 'throw' }))
    for (const { event } of events) found.push(event);
  return found.filter((event): event is SeamEvent & EventOf<T> => event.type === type);
}
