/** `seam train sat-seq` as a process that is killed again and again, while a team is sampled and while an agent is updated. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { worldProblems } from '@seamstream/embedded-world';
import type { EventLog } from '@seamstream/event-log';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { totalRecords } from '@seamstream/testing';
import { publicationOf } from '@seamstream/testing/result-log';
import { allEventsOf, ofType } from '../support/recorded-run.js';
import { seamCommand } from '../support/seam-command.js';

// Some twenty-five starts of a process that loads models, on a machine that may be busy.
jest.setTimeout(900_000);

const KILLS = 20;
/** Kills that wait until the process has written another record; the others come at any time, its start included. */
const KILLS_BETWEEN_RECORDS = 6;
const AGENTS = ['one', 'two', 'three', 'four'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'team-killed-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('R43: a stage that is killed twenty times ends at the same team, and samples no recorded batch again', async () => {
  const calm = await tuned('calm', 0);
  const killed = await tuned('killed', KILLS);

  expect(calm.kills).toBe(0);
  expect(killed.kills).toBe(KILLS);
  expect(calm.digests).toHaveLength(1);
  expect(killed.digests).toEqual(calm.digests);
  expect(killed.promoted).toEqual(calm.promoted);
  expect(calm.turns.length).toBeGreaterThan(0);
  for (const kind of ['turns', 'judged', 'batches', 'updates'] as const) expect(killed[kind]).toEqual(calm[kind]);

  const { code, output } = await seam('killed', ['replay', '--verify-adapter', calm.digests[0]!, '--json']).ended;
  expect([code, JSON.parse(output)]).toMatchObject([0, { equal: true, replayedDigest: calm.digests[0] }]);
});

const modelAt = (name: string): string => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

function seam(name: string, args: readonly string[]) {
  return seamCommand(args, {
    ...{ SEAM_PRESET: 'sat-seq', SEAM_DATA_FOLDER: join(folder, name, 'data'), SEAM_LOGGING_LEVEL: 'warn' },
    SEAM_TRAINER_TEAM: join(folder, name, 'team.json'),
    SEAM_TRAINER_MODEL_FOLDER: modelAt('generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: modelAt('executor'),
    SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, name, 'validation.jsonl'),
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '16',
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    SEAM_TRAINER_THREADS: '1',
  });
}

/** One stage on a new log, by a process that is killed so often before it may end. */
async function tuned(name: string, kills: number) {
  await mkdir(join(folder, name, 'data'), { recursive: true });
  const agents = AGENTS.map((agent) => ({ name: agent, path: modelAt('executor'), role: '{problem}\nSolution:' }));
  await writeFile(join(folder, name, 'team.json'), JSON.stringify({ agents }));
  const validation = problems('validation', 4).map((problem) => `${JSON.stringify(problem)}\n`);
  await writeFile(join(folder, name, 'validation.jsonl'), validation.join(''));
  const log = await LmdbEventLog.open({ folder: join(folder, name, 'data', 'log') });
  try {
    await log.createTopics(TOPICS.map((topic) => ({ name: topic.name, partitions: topic.partitions })));
    await log.append(published());
    const done = await train(log, name, kills);
    const events = await allEventsOf(log);
    // By content: when something happened is another matter.
    const texts = (...types: Parameters<typeof ofType<'TeamTurnTaken'>>[1][]) =>
      ofType(events, ...types)
        .map((event) => JSON.stringify({ ...event, meta: event.meta.messageId }))
        .sort();
    return {
      kills: done,
      digests: ofType(events, 'AdapterPublished').map(({ adapterDigest }) => adapterDigest),
      promoted: ofType(events, 'AdapterPromoted').map(({ adapterDigest }) => adapterDigest),
      turns: texts('TeamTurnTaken'),
      judged: texts('TeamRolloutJudged' as 'TeamTurnTaken'),
      batches: texts('TeamBatchSampled' as 'TeamTurnTaken'),
      updates: [...new Set(texts('AgentUpdated' as 'TeamTurnTaken'))],
    };
  } finally {
    await log.close();
  }
}

/** @returns how many processes were killed */
async function train(log: EventLog, name: string, kills: number): Promise<number> {
  const random = Random.of('R43', name);
  const settings = ['sampling.maxTokens=16', 'groupSize=2', 'batchSize=4'].flatMap((each) => ['--set', each]);
  for (let run = 0; ; run++) {
    const before = await written(log);
    const { child, ended } = seam(name, ['train', 'sat-seq', ...settings]);
    if (run < kills) {
      if (run % 3 === 0 && run / 3 < KILLS_BETWEEN_RECORDS)
        while ((await written(log)) === before && child.exitCode === null) await pause(2);
      else await pause(random.int(1_500));
      await pause(random.int(50));
      child.kill('SIGKILL');
    }
    const { code } = await ended;
    if (code === null) continue;
    expect(code).toBe(0);
    return run;
  }
}

async function written(log: EventLog): Promise<number> {
  return (await totalRecords(log, TOPIC.training)) + (await totalRecords(log, TOPIC.teams));
}

const problems = (seed: string, count: number) => worldProblems({ seed, split: 'heldOut', variant: 'base', count });

const published = () => problems('stage', 8).map((problem) => encodeEvent(publicationOf(problem)));
