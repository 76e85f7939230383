/** A shift to late attributes, as folders, rounds and commands have it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { readStartOptions, type StartOptions } from './config.js';
import { worldFiles } from './embedded-environment.js';
import { attributeSource } from './problem-stream.js';
import { readStart, type Start } from './read-start.js';
import { commandsOf } from './report/commands-of.js';
import { assertHosted, assertRounds, settingsOfFolder, streamOf, writeRunFile } from './run-settings.js';
import { validationOf, writeWorldFiles } from './world-files.js';
import { problemsOfSet } from './world-sets.js';

const SHIFTING = { method: 'attributes', seed: 4, lateAttributes: true } as const;
const PLAIN = { method: 'attributes', seed: 4 } as const;
type Phase = 'base' | 'shifted';
const published = (phase: Phase, startIndex = 0, count = 600, of: Parameters<typeof attributeSource>[0] = SHIFTING) =>
  attributeSource(of)({ round: 3, phase, roundSize: 64, startIndex, count, occurredAt: 0 });
const problemsIn = (events: ReturnType<typeof published>): readonly Problem[] =>
  events.flatMap((event) => (event.type === 'ProblemPublished' ? [event.problem] : []));
const isLate = ({ domain }: Pick<Problem, 'domain'>): boolean => domain.startsWith('late-');

describe('the rounds of a world with late attributes', () => {
  it('have no late problem before the shift, and then every second one on average', () => {
    expect(problemsIn(published('base')).filter(isLate)).toEqual([]);
    const late = problemsIn(published('shifted')).filter(isLate).length / 600;
    expect(Math.abs(late - 0.5)).toBeLessThan(0.08);
  });

  it('are the same in parts as at once, and have early problems where they would have been', () => {
    const whole = published('shifted', 64, 64);
    expect(published('shifted', 70, 10)).toEqual(whole.slice(6, 16));
    const before = problemsIn(published('base', 64, 64));
    for (const [at, problem] of problemsIn(whole).entries())
      if (!isLate(problem)) expect(problem.prompt).toBe(before[at]!.prompt);
  });

  it.each([
    [1, '886bde3fded96434709cbbe6cb8b23a5a3be8eb47991acb6077187ad2fb0995a'],
    [11, '3b2537073f8b65842613fa074592da79cfeaaa273d1d43bccb10aeee39063640'],
    [12, '9cf21879d76a3e93988618ea000f9e0abbcb8e2631fbd8ecdcbbf4776c4a043b'],
  ])('are without late attributes, on seed %s, what they were before there were such worlds', (seed, digest) => {
    const round = { round: 2, phase: 'base', roundSize: 64, startIndex: 64, count: 64, occurredAt: 0 } as const;
    expect(sha256(canonicalJson(attributeSource({ method: 'attributes', seed })(round)))).toBe(digest);
  });
});

describe('the problems that decide and are measured on', () => {
  it.each([
    [1, 'e79ffe3f1f23cf58a6867685d584ae2e9899c2435e1d6f571c23e357c0e12318'],
    [11, '4888bcd73ecc8d4e612b8a0ddce154e54b80700b837ca4c1b8231e417a97bb4e'],
  ])('are without late attributes, on seed %s, what they were', (seed, digest) => {
    expect(sha256(canonicalJson(validationOf({ method: 'attributes', seed })))).toBe(digest);
  });

  it('are of late domains too, with no plan that rounds ask for', () => {
    const asked = new Set(problemsIn(published('shifted', 0, 900)).map(({ metadata: { facts } }) => facts));
    const sets = [validationOf(SHIFTING), problemsOfSet('shifted', SHIFTING)];
    for (const problems of sets) {
      const late = problems.filter(isLate);
      expect(new Set(late.map(({ domain }) => domain))).toEqual(new Set(['late-lathe', 'late-kiln', 'late-press']));
      expect(late.filter(({ metadata: { facts } }) => asked.has(facts))).toEqual([]);
    }
    expect(problemsOfSet('shifted', SHIFTING).every(isLate)).toBe(true);
    expect(problemsOfSet('held-out', SHIFTING).some(isLate)).toBe(false);
    expect(() => problemsOfSet('shifted', PLAIN)).toThrow('(held-out, new-words, validation), got --set shifted');
  });
});

describe('a folder of a world with late attributes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-late-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const start = (...argv: string[]): Promise<Start> =>
    readStart(readStartOptions(['--data-dir', folder, ...argv]) as StartOptions, {});
  const begin = async (...argv: string[]): Promise<Start> => {
    const begun = await start(...argv);
    await writeRunFile(folder, begun.run);
    return begun;
  };

  it('is begun by rounds for a shift, and stays one when they are changed or left out', async () => {
    const { run } = await begin('--seed', '4', '--max-shifted-rounds', '3');
    expect(run.settings).toMatchObject(SHIFTING);
    expect(await settingsOfFolder(folder)).toMatchObject(SHIFTING);
    expect((await start()).run).toEqual(run);
    const later = (await start('--max-shifted-rounds', '0')).run;
    expect(later.settings).toEqual(run.settings);
    expect(later.limits.map(({ maxShiftedRounds }) => maxShiftedRounds)).toEqual([3, 0]);
    const [first] = commandsOf({ run, heldOutProblems: 300, testFile: null });
    expect(first).toContain('--max-shifted-rounds 3');
  });

  it('does not exist without such rounds, which a folder that was begun without them refuses', async () => {
    const { run } = await begin('--seed', '4', '--max-shifted-rounds', '0');
    expect(Object.keys(run.settings)).not.toContain('lateAttributes');
    await expect(start('--max-shifted-rounds', '3')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('expected a folder that was begun with rounds for a shift'),
    });
  });

  it('says of what it was made where services are only hosted, and is begun so later', async () => {
    await writeWorldFiles(folder, PLAIN);
    await writeWorldFiles(folder, SHIFTING);
    expect(await settingsOfFolder(folder)).toMatchObject(SHIFTING);
    const schemas = JSON.parse(await readFile(worldFiles(folder).entrySchemas, 'utf8')) as Record<string, unknown>;
    expect(schemas['late-press']).toEqual(schemas.press);
    expect(await readFile(worldFiles(folder).validation, 'utf8')).toContain('"late-press"');
    expect((await start()).run).toMatchObject({ settings: SHIFTING, limits: [{ maxShiftedRounds: 10 }] });
  });

  it('goes with no log of the world without a shift', async () => {
    const { settings } = (await start('--seed', '4', '--max-shifted-rounds', '3')).run;
    const { lateAttributes: _, ...plain } = settings;
    const logOf = (of: typeof settings) => ({
      streams: new Set([streamOf(of)]),
      roundSize: 64,
      algorithms: new Set<string>(),
    });
    for (const own of [settings, plain]) expect(() => assertRounds(folder, own, logOf(own))).not.toThrow();
    expect(() => assertRounds(folder, plain, logOf(settings))).toThrow(
      'its log holds rounds of --method attributes --seed 4 with --max-shifted-rounds, got --method attributes --seed 4.',
    );
    expect(() => assertHosted(folder, settings, logOf(plain).streams)).toThrow(
      'its log holds rounds of --method attributes --seed 4, got --method attributes --seed 4 with --max-shifted-rounds',
    );
  });
});
