/**
 * `npm run study:real-model` on the shipped models, killed with SIGKILL again and again: what it reports is what an undisturbed study
 * reports, and nothing that was paid for is asked again.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { allEventsOf, ofType, recordedRun, repeatedIds } from '../support/recorded-run.js';

jest.setTimeout(900_000);

const STUDY = fileURLToPath(new URL('../studies/real-model.mjs', import.meta.url));
const SIZES = ['--rounds', '2', '--round-size', '8', '--validation', '24', '--held-out', '20'];
/** Lines of progress after which a study is killed: in the loop, in the shuffled run, between two pieces, within the last. */
const KILLED_AFTER = [
  /training/,
  /shuffled rewards: training/,
  /16 of 20 held-out problems measured/,
  /held-out problems from 17: trained/,
] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-real-model-study-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a study that is killed', () => {
  it('reports what an undisturbed one does, and repeats nothing that is done', async () => {
    expect(await study('whole')).toMatchObject({ code: 0 });
    for (const killAfter of KILLED_AFTER) {
      const { code, said } = await study('killed', killAfter);
      expect({ code, said }).toMatchObject({ code: null, said: expect.stringMatching(killAfter) });
    }
    const before = await timesOf('killed');
    expect([...before.keys()].toSorted()).toEqual(['loop.json', 'piece-0.json', 'shuffled.json']);
    const { code, said } = await study('killed');
    expect(code).toBe(0);
    expect(said).not.toMatch(/held-out problems from 1:/);
    const after = await timesOf('killed');
    for (const [file, time] of before) expect(after.get(file)).toBe(time);

    expect(await reportOf('killed')).toEqual(await reportOf('whole'));
    const [killed, whole] = [await logsOf('killed'), await logsOf('whole')];
    for (const part of ['loop', 'shuffled'] as const) {
      expect(killed[part].run.adapterDigests).toEqual(whole[part].run.adapterDigests);
      expect(killed[part].run.experiences.length).toBe(whole[part].run.experiences.length);
      expect(repeatedIds(killed[part].run.experiences)).toEqual([]);
    }
  });

  it('gives the shuffled run the entries of the first round, and as many successes, at other entries', async () => {
    const { loop, shuffled } = await logsOf('whole');
    const verdicts = (events: typeof loop.events): ReadonlyMap<string, boolean> =>
      new Map(ofType(events, 'OutcomeRecorded').map(({ experienceId, success }) => [experienceId, success]));
    const [earned, given] = [verdicts(loop.events), verdicts(shuffled.events)];
    const ofFirstRound = ofType(loop.events, 'OutcomeRecorded').filter(({ problem }) => problem.metadata.round === '1');
    expect([...given.keys()].toSorted()).toEqual(ofFirstRound.map(({ experienceId }) => experienceId).toSorted());
    expect(given.size).toBeLessThan(earned.size);
    const rows = [...given].map(([id, success]) => ({ earned: earned.get(id), given: success }));
    const first = ofType(shuffled.events, 'ExperienceGenerated');
    expect(first.every(({ adapterDigest }) => adapterDigest === null)).toBe(true);
    expect(rows.filter((row) => row.earned).length).toBe(rows.filter((row) => row.given).length);
    expect(rows.some((row) => row.earned !== row.given)).toBe(true);
  });

  it('is refused with other settings, and leaves its files', async () => {
    const before = await timesOf('whole');
    const other = await study('whole', undefined, [...SIZES.slice(0, -1), '21']);
    expect(other.code).toBe(1);
    expect(other.said).toContain('expected the settings that it was begun with');
    expect(await timesOf('whole')).toEqual(before);
  });
});

/** @param killAfter kills the process once it says so. @returns its exit code, null when it was killed, and what it said */
async function study(name: string, killAfter?: RegExp, sizes = SIZES): Promise<{ code: number | null; said: string }> {
  const args = ['--task', 'embedded', '--seed', '1', ...sizes, '--folder', join(folder, name), '--json'];
  const child = spawn(process.execPath, [STUDY, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (killAfter?.test(said) === true) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

async function reportOf(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, name, 'report.json'), 'utf8'));
}

/** What a study's logs hold, the loop's and the shuffled run's. */
async function logsOf(name: string) {
  const read = async (part: string) => {
    const log = await LmdbEventLog.open({ folder: join(folder, name, part, 'log'), readOnly: true });
    try {
      return { events: await allEventsOf(log), run: await recordedRun(log) };
    } finally {
      await log.close();
    }
  };
  return { loop: await read('loop'), shuffled: await read('shuffled') };
}

async function timesOf(name: string): Promise<ReadonlyMap<string, number>> {
  const kept = (await readdir(join(folder, name))).filter((file) => /^(piece|loop|shuffled).*\.json$/.test(file));
  return new Map(
    await Promise.all(kept.map(async (file) => [file, (await stat(join(folder, name, file))).mtimeMs] as const)),
  );
}
