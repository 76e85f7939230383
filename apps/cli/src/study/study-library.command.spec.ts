import { encodeEvent } from '@seamstream/events';
import { encodeLibrary, importLibrary, libraryKey } from '@seamstream/experience-library';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const HELPS = JSON.stringify({ G0: 'add 1', G1: 'sums come first' });
const OTHER = JSON.stringify({ G0: 'guess' });

let world: FakeWorld;
let digest: string;
beforeEach(async () => {
  world = await fakeWorld();
  const library = importLibrary(HELPS, world.models.generator.digest);
  ({ digest } = library);
  await world.objects.put(libraryKey(digest), encodeLibrary(library));
  await world.log.append(
    promotedByRun({ adapterDigest: digest, key: libraryKey(digest), algorithm: 'contrast' }).map(encodeEvent),
  );
  world.files.set('written.json', Buffer.from(OTHER));
});

describe('seam study library', () => {
  it('measures the served library next to every control, paired on the same problems', async () => {
    const { rows, ...facts } = await study();
    expect(facts).toMatchObject({ digest, problems: 3, items: 2 });
    expect(rows.map(([name]) => name)).toEqual([
      'no experience',
      'no library',
      'shuffled library',
      'filler',
      'library',
    ]);
    const row = Object.fromEntries(rows);
    // The entry helps with one of three problems; filler and an empty slot help with none.
    expect(row.library!.success).toBeCloseTo(1 / 3);
    expect([row['no experience']!.success, row.filler!.success]).toEqual([0, 0]);
    expect(row['no experience']!.libraryAhead!.value).toBeCloseTo(1 / 3);
    expect(row.library!.libraryAhead).toBeNull();
    for (const [, { interval95 }] of rows) expect(interval95[0]).toBeLessThanOrEqual(interval95[1]!);
  });

  it('has a row for each further library, from a file or from the log', async () => {
    const { rows } = await study('--against', 'written.json', '--against', digest.slice(0, 8), '--limit', '2');
    expect(rows.map(([name]) => name)).toEqual([
      ...['no experience', 'no library', 'shuffled library', 'filler'],
      ...['written.json', digest.slice(0, 8), 'library'],
    ]);
  });

  it('shows a table with tokens and success, and records nothing', async () => {
    const before = await world.log.watermarks('seam.adapters');
    expect(await world.seam('study', 'library')).toBe(0);
    expect(world.takeOutput()).toMatch(/^2 items on 3 problems\n.*SUCCESS.*LIBRARY AHEAD.*ENTRY TOKENS.*\n/);
    expect(await world.log.watermarks('seam.adapters')).toEqual(before);
  });

  it('says what each row costs by declared or given prices, and never guesses', async () => {
    const [executor, generator] = [world.models.executor.identity.model, world.models.generator.digest];
    const { rows: unpriced } = await study();
    expect(unpriced.map(([, { money }]) => money)).toEqual(unpriced.map(() => null));
    expect(await world.seam('study', 'library')).toBe(0);
    expect(world.takeOutput().match(/no price/g)).toHaveLength(5);
    // The executor's alone: what no generator wrote is known, and the rest is not.
    const { rows: half } = await study('--price', `${executor}=2/3`);
    expect(half.map(([, { money }]) => money === null)).toEqual([false, true, true, false, true]);
    await world.seam('cost', 'prices', 'set', executor, ...PRICE, '--prompt', '2', '--completion', '3');
    world.takeOutput();
    const { rows, currency } = await study('--price', `${generator}=5/7`);
    expect(currency).toBe('EUR');
    const row = Object.fromEntries(rows);
    const { executor: asked, generator: wrote } = row.library!.used;
    expect(wrote.completion).toBeGreaterThan(0);
    // Each part is rounded up to millionths.
    const parts = [asked.prompt * 2 + asked.completion * 3, wrote.prompt * 5 + wrote.completion * 7];
    expect(row.library!.money).toBe(parts.reduce((sum, part) => sum + Math.ceil(part), 0));
    expect(row['no experience']!.used.generator).toEqual({ prompt: 0, completion: 0 });
  });

  it('counts no price that is declared while it asks', async () => {
    const { executor } = world.models;
    const { model } = executor.identity;
    const declared = { ...EXAMPLE_EVENTS.PriceDeclared, model, validFrom: 0 };
    const answer: typeof executor.answer = async (prompts, options) => {
      await world.log.append([encodeEvent(declared)]);
      return executor.answer(prompts, options);
    };
    world.models = { ...world.models, executor: { ...executor, answer } };
    const { rows } = await study();
    expect(Object.fromEntries(rows)['no experience']!.money).toBeNull();
    const { rows: later } = await study();
    expect(Object.fromEntries(later)['no experience']!.money).not.toBeNull();
  });

  it.each([
    ['a price without two amounts', ['--price', 'executor=2'], /expected a model with two amounts/],
    ['a library that the log does not have', ['--library', 'abcdef'], /expected one of those in the log/],
    ['a file that is no library', ['--against', 'list.json'], /expected a JSON object of ids and texts/],
    ['a file that is not there', ['--against', 'absent.json'], /absent\.json/],
  ])('refuses %s', async (_, args, message) => {
    world.files.set('list.json', Buffer.from('[]'));
    expect(await world.seam('study', 'library', ...args)).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
  });
});

const PRICE = ['--currency', 'EUR', '--by', 'ada', '--reason', 'price list'] as const;

const study = async (...args: string[]): Promise<Study> => {
  expect(await world.seam('study', 'library', ...args, '--json')).toBe(0);
  return world.takeJson()[0] as Study;
};

interface Study {
  readonly digest: string;
  readonly problems: number;
  readonly items: number;
  readonly currency: string | null;
  readonly rows: readonly (readonly [
    string,
    {
      success: number;
      interval95: number[];
      libraryAhead: { value: number; interval95: number[] } | null;
      money: number | null;
      used: Record<'executor' | 'generator', { prompt: number; completion: number }>;
    },
  ])[];
}
