import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent } from '@seamstream/events';
import { StatusReader } from '@seamstream/operations/status';
import { answerTo, attempted, endOf, published, recorded } from '@seamstream/testing/log-of';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { adapterPublished, EXAMPLE_LINEAGE } from '@seamstream/testing/training-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { NO_PROGRESS } from '../terminal/progress.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam status', () => {
  it('counts problems, says what is not answered yet, and what the last run came to', async () => {
    await world.log.append(
      [published('p1'), published('p2'), recorded('p1', true), ...EXAMPLE_LINEAGE].map(encodeEvent),
    );
    expect(await world.seam('status')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^problems +2: 1 solved, 0 not, 1 in flight/m);
    expect(shown).toMatch(/^generator +2 records of seam\.problems to go$/m);
    expect(shown).toMatch(/^executor +has all of seam\.experiences$/m);
    expect(shown).toMatch(/^last run +r2 grpo: rejected, worse than its parent$/m);
    expect(shown).toMatch(/^served +/m);
    expect(await world.seam('status', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ ledger: { published: 2 }, runs: { all: 1 } }]);
  });

  it('says what share of the entries quotes its problem truly, of all and of what is served', async () => {
    await world.log.append([published('p1'), recorded('p1', true)].map(encodeEvent));
    await world.seam('status');
    expect(world.takeOutput()).not.toContain('faithful');
    const written = [
      ...[true, false].map((faithful, index) => recorded('p2', true, { index, size: 2, faithful })),
      ...[true, true, true, false].map((faithful, index) =>
        recorded('p3', true, { index, size: 4, faithful, adapterDigest: 'z' }),
      ),
    ];
    await world.log.append(written.map(encodeEvent));
    await world.seam('status');
    // The bare base model is served.
    expect(world.takeOutput()).toMatch(/^entries +faithful 66\.7 % of 6, of what is served 50\.0 % of 2$/m);
    await world.log.append(promotedByRun({ adapterDigest: 'z' }).map((event) => encodeEvent(event)));
    await world.seam('status', '--json');
    expect(world.takeJson()).toMatchObject([
      { served: 'z', entries: { all: { quoting: 6, faithful: 4 }, served: { quoting: 4, faithful: 3 } } },
    ]);
  });

  it('says what the run of the folder was begun with, and the command that repeats it', async () => {
    await world.seam('status', '--json');
    expect(world.takeJson()).toMatchObject([{ start: null }]);
    world.dataFolder = await mkdtemp(join(tmpdir(), 'seam-status-'));
    await begin(world.dataFolder);
    await world.seam('status');
    const shown = world.takeOutput();
    expect(shown).toMatch(/^begun with +method attributes, seed 7, algorithm curriculum, rounds of 64, at most 3$/m);
    expect(shown.replace(/\s+/g, ' ')).toContain('the same again seam start --exit --method attributes --seed 7');
    await world.seam('status', '--json');
    expect(world.takeJson()).toMatchObject([{ start: { ...settings, hasReport: false } }]);
    await rm(world.dataFolder, { recursive: true });
  });

  it('says what is wrong with run.json where it cannot be read, and all the rest', async () => {
    world.dataFolder = await mkdtemp(join(tmpdir(), 'seam-status-'));
    await writeFile(join(world.dataFolder, 'run.json'), '{"format":2}');
    expect(await world.seam('status')).toBe(0);
    const shown = world.takeOutput();
    expect(shown.replace(/\s+/g, ' ')).toMatch(
      /begun with Cannot read .*run\.json: expected what this folder was begun with/,
    );
    expect(shown).toMatch(/^problems +0: /m);
    expect(await world.seam('status', '--json')).toBe(0);
    const startUnread = expect.stringMatching(/^Cannot read .*run\.json/) as string;
    expect(world.takeJson()).toMatchObject([{ ledger: { published: 0 }, start: null, startUnread }]);
    await rm(world.dataFolder, { recursive: true });
  });

  it('counts the answers that wait for feedback, and not those whose end has its result', async () => {
    await world.seam('status');
    expect(world.takeOutput()).not.toContain('wait');
    const ends = [Date.UTC(2030, 1, 2), Date.UTC(2030, 1, 1, 6, 30), 1];
    const answers = ends.map((feedbackUntil, index) => ({
      ...answerTo(attempted(`asked-${index}`, true, { arm: 'deploy' })),
      feedbackUntil,
    }));
    const [withoutResult] = endOf(answers[0]!);
    await world.log.append([...answers, ...endOf(answers[2]!), withoutResult, answers[0]!].map(encodeEvent));
    await world.seam('status');
    expect(world.takeOutput()).toMatch(
      /^answers +2 answers wait for feedback \(seam feedback\), the first until 2030-02-01 06:30 UTC$/m,
    );
    await world.seam('status', '--json');
    expect(world.takeJson()).toMatchObject([{ waiting: { answers: 2, firstEndsAt: ends[1] } }]);
  });

  it('reads only what is new, and returns the same as a reader of all', async () => {
    const reader = new StatusReader({ log: world.log, snapshots: null });
    const reading = { signal: new AbortController().signal, progress: () => NO_PROGRESS };
    for (const event of [
      published('p1'),
      ...EXAMPLE_LINEAGE,
      recorded('p1', true),
      adapterPublished('z', null, 'r9'),
    ]) {
      await world.log.append([encodeEvent(event)]);
      expect(await reader.read(reading)).toEqual(
        await new StatusReader({ log: world.log, snapshots: null }).read(reading),
      );
    }
  });

  it('watches until Ctrl-C, which is no failure, and prints only changes to a stream', async () => {
    const watching = world.seam('status', '--watch', '--every', '1', '--json');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await world.log.append([encodeEvent(published('p1'))]);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    world.interrupt();
    expect(await watching).toBe(0);
    expect(world.takeJson()).toMatchObject([{ ledger: { published: 0 } }, { ledger: { published: 1 } }]);
  });

  it('says while it watches what the folder was begun with since', async () => {
    world.dataFolder = await mkdtemp(join(tmpdir(), 'seam-status-'));
    const watching = world.seam('status', '--watch', '--every', '1', '--json');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await begin(world.dataFolder);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    world.interrupt();
    expect(await watching).toBe(0);
    expect(world.takeJson()).toMatchObject([{ start: null }, { start: settings }]);
    await rm(world.dataFolder, { recursive: true });
  });
});

const settings = { method: 'attributes', seed: 7, algorithm: 'curriculum', roundSize: 64 };

/** As a start does. */
async function begin(folder: string): Promise<void> {
  const run = {
    ...{ format: 1, begunAt: '2030-01-31T12:00:00.000Z', version: '0.1.0' },
    settings: { ...settings, preset: null, problems: null, validation: null },
    limits: [{ since: '2030-01-31T12:00:00.000Z', maxRounds: 3, maxShiftedRounds: 0 }],
  };
  await writeFile(join(folder, 'run.json'), JSON.stringify(run));
}
