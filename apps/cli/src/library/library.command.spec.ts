/** A library is taken in, promoted, shown, compared, followed back, taken out and rolled back, as a person does it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent } from '@seamstream/events';
import {
  type Change,
  type ExperienceLibrary,
  encodeLibrary,
  type LibraryItem,
  libraryKey,
  libraryOf,
  successorOf,
} from '@seamstream/experience-library';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { answersOf, smallBaseModel } from '../adapters/small-adapters.fake.js';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const FILE = '{\n  "G0": "When a sum is asked, add.",\n  "G1": "  Read \\"it\\": twice.\\n"\n}\n';
const WHY = ['--by', 'ada', '--reason', 'measured on our problems'] as const;

let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'library-'));
  world = await fakeWorld();
  world.baseModel = await smallBaseModel(folder);
  world.files.set('youtu.json', Buffer.from(FILE));
});
afterEach(() => rm(folder, { recursive: true }));

describe('seam library import and export', () => {
  it('keep ids, texts and order over a round trip, byte for byte, and say what is lost', async () => {
    const digest = await imported('youtu.json');
    expect(await said('export', digest.slice(0, 8), '--output', 'out.json')).toBe(
      `wrote 2 items of ${digest.slice(0, 8)} to out.json\nThe form does not hold: 2 changes with their reasons.\n`,
    );
    expect(Buffer.from(world.files.get('out.json')!).toString()).toBe(FILE);
    expect(await imported('out.json')).toBe(digest);
    expect(await said('import', 'out.json')).toBe(`${digest} is in the log already: nothing was changed\n`);
  });

  it('say every kind of provenance of a learned library that the form cannot hold', async () => {
    await twoSteps();
    const { lost } = await json<{ lost: string[] }>('library', 'export', 'served', '--output', 'out.json');
    expect(lost).toEqual([
      'the groups of 2 of 2 items',
      'the calls of 2 of 2 items',
      'the operation of 2 of 2 items',
      'the domain of 2 of 2 items',
      'the field of 2 of 2 items',
      'the library that it was made from',
      '2 changes with their reasons',
    ]);
  });

  it('give a pipe the library alone, and the loss to the person', async () => {
    const digest = await imported('youtu.json');
    world.takeErrors();
    expect(await said('export', digest, '--output', '-')).toBe(FILE);
    expect(world.takeErrors()).toContain('The form does not hold: 2 changes with their reasons.');
  });

  it('replace no file that is there, and record nothing of one that is no library', async () => {
    const digest = await imported('youtu.json');
    expect(await world.seam('library', 'export', digest, '--output', 'youtu.json')).not.toBe(0);
    expect(world.takeErrors()).toContain('youtu.json');
    world.files.set('other.json', Buffer.from('["G0"]'));
    expect(await world.seam('library', 'import', 'other.json')).not.toBe(0);
    expect(world.takeErrors()).toContain('expected a JSON object of ids and texts');
    expect((await json<{ versions: unknown[] }>('adapters')).versions).toHaveLength(1);
  });
});

describe('a library is promoted and rolled back like weights', () => {
  it('serves after a promotion by name, and no longer after the rollback', async () => {
    const digest = await imported('youtu.json');
    expect(await servedNow()).toBeNull();
    expect(await world.seam('adapters', 'promote', digest, ...WHY)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected an evaluation of it on record');
    await measured(digest);
    expect(await world.seam('adapters', 'promote', digest, ...WHY)).toBe(0);
    expect(await servedNow()).toBe(digest);
    expect(await world.seam('adapters', 'pin', 'served', ...WHY)).toBe(0);
    expect(await world.seam('adapters', 'unpin', ...WHY)).toBe(0);
    expect(await world.seam('adapters', 'rollback', ...WHY)).toBe(0);
    expect(await servedNow()).toBeNull();
  });

  it('goes back to the step before it', async () => {
    const [first] = await twoSteps();
    expect(await world.seam('adapters', 'rollback', ...WHY)).toBe(0);
    expect(await servedNow()).toBe(first.digest);
  });

  it('is refused where none of its texts says anything, as an earlier release made one', async () => {
    const { digest } = await learned(null, { items: [item('e1', '…')], changes: [added('e1', '…')] });
    expect(await world.seam('adapters', 'rollback', ...WHY)).toBe(0);
    await measured(digest);
    expect(await world.seam('adapters', 'promote', digest, ...WHY)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected a text that says something, got none');
    expect(await world.seam('release', 'plan', digest, ...WHY)).not.toBe(0);
    expect(world.takeErrors()).toMatch(/Cannot release library .* expected a text that says something, got none/);
    expect(await servedNow()).toBeNull();
  });

  it('is not released where its object is gone', async () => {
    const digest = await imported('youtu.json');
    await measured(digest);
    await world.objects.delete(libraryKey(digest));
    expect(await world.seam('release', 'plan', digest, ...WHY)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected its object');
  });

  it('is refused where its object is another library', async () => {
    const digest = await imported('youtu.json');
    await measured(digest);
    await world.objects.put(libraryKey(digest), encodeLibrary(successorOf(null, { baseModelDigest: base() })));
    expect(await world.seam('adapters', 'promote', digest, ...WHY)).not.toBe(0);
    expect(world.takeErrors()).toContain(`expected digest ${digest}`);
    expect(await servedNow()).toBeNull();
  });
});

describe('seam library list', () => {
  it('has every version with its size, its changes and what promotion said, and no weights', async () => {
    await world.log.append(promotedByRun({ adapterDigest: 'ab'.repeat(32) }).map(encodeEvent));
    const [first, second] = await twoSteps();
    const digest = await imported('youtu.json');
    const { libraries } = await json<{ libraries: Record<string, unknown>[] }>('library', 'list');
    expect(libraries).toMatchObject([
      { digest: first.digest, parent: null, status: 'promoted', items: 1, maxItems: 8, changes: { add: 1, modify: 0 } },
      { digest: second.digest, parent: first.digest, status: 'served', items: 2, changes: { add: 1, modify: 1 } },
      { digest, status: 'published', items: 2, maxItems: null, changes: { add: 0, import: 2 }, evaluation: null },
    ]);
    const text = await said('list');
    expect(text).toMatch(
      new RegExp(`${second.digest.slice(0, 8)} +${first.digest.slice(0, 8)} .*served +2/8 .*modify 1`),
    );
    expect(text).toMatch(new RegExp(`${digest.slice(0, 8)} +empty .*published +2 .*import 2`));
  });

  it('says how one is made where there is not one', async () => {
    expect(await said('list')).toContain('seam train contrast');
  });
});

describe('seam library show, diff and history', () => {
  it('show the served library, with ids, domains, fields and groups', async () => {
    const [first, second] = await twoSteps();
    const text = await said('show');
    expect(text).toContain(`library ${second.digest}, served: 2 items`);
    expect(text).toContain(`made from ${first.digest.slice(0, 8)}`);
    expect(text).toMatch(/e1 +metals +strategy +1 +add +weigh it twice/);
    expect(await json('library', 'show', first.digest)).toMatchObject({ digest: first.digest, items: [{ id: 'e1' }] });
  });

  it('show what a text from a stranger says without letting it steer the terminal', async () => {
    world.files.set('evil.json', Buffer.from(JSON.stringify({ G0: 'safe\u001b[2J\nG9 forged' })));
    const text = await said('show', await imported('evil.json'));
    expect(text).not.toContain('\u001b');
    expect(text.trimEnd().split('\n')).toHaveLength(3);
  });

  it('compare two libraries, and one with the empty one', async () => {
    const [first] = await twoSteps();
    expect(await said('diff', first.digest, 'served')).toBe(
      '- e1 (metals) weigh gold\n+ e1 (metals) weigh it twice\n+ e2 (metals) heat iron\n',
    );
    expect(await said('diff', 'base', first.digest)).toBe('+ e1 (metals) weigh gold\n');
    expect(await said('diff', 'served', 'served')).toBe('No item differs.\n');
  });

  it('follow a library back, every change with its reason, the oldest step first', async () => {
    const [first, second] = await twoSteps();
    const text = await said('history');
    expect(text.indexOf(first.digest.slice(0, 8))).toBeLessThan(text.indexOf(second.digest.slice(0, 8)));
    expect(text).toContain('  modify e1: weigh gold → weigh it twice (once was too few)\n');
    const steps = await json<{ digest: string; changes: unknown[] }[]>('library', 'history');
    expect(steps.map(({ digest, changes }) => [digest, changes.length])).toEqual([
      [first.digest, 1],
      [second.digest, 2],
    ]);
  });

  it.each([
    ['nothing is served', ['show']],
    ['the log does not have it', ['history', 'abcdef']],
    ['it is the base model', ['export', 'base', '--output', 'x.json']],
  ])('say in one sentence that %s', async (_, args) => {
    expect(await world.seam('library', ...args)).not.toBe(0);
    expect(world.takeErrors()).toMatch(/expected/);
    expect(world.takeOutput()).toBe('');
  });
});

const base = (): string => world.baseModel!.checkpoint.digest;
const said = async (...args: string[]): Promise<string> => {
  world.takeOutput();
  expect(await world.seam('library', ...args)).toBe(0);
  return world.takeOutput();
};
async function json<T>(...args: string[]): Promise<T> {
  world.takeOutput();
  expect(await world.seam(...args, '--json')).toBe(0);
  return world.takeJson()[0] as T;
}
const imported = async (path: string): Promise<string> =>
  (await json<{ digest: string }>('library', 'import', path)).digest;
const measured = (digest: string) =>
  world.log.append([encodeEvent(evaluatedByPerson(digest, evaluationOf(0.75, 0.5), base()))]);
const servedNow = async (): Promise<string | null> => (await json<{ served: string | null }>('adapters')).served;

/** A library that a run made of another, promoted by it. */
async function learned(
  parent: ExperienceLibrary | null,
  { items, changes }: { readonly items: readonly LibraryItem[]; readonly changes: readonly Change[] },
): Promise<ExperienceLibrary> {
  const library = libraryOf({ ...successorOf(parent, { baseModelDigest: base() }), items, changes });
  await world.objects.put(libraryKey(library.digest), encodeLibrary(library));
  const events = promotedByRun({
    ...{ adapterDigest: library.digest, parent: parent?.digest ?? null, algorithm: 'contrast' },
    ...{ key: libraryKey(library.digest), fingerprint: answersOf() },
    configuration: JSON.stringify({ algorithm: { maxItems: 8 } }),
  });
  const made = Map.groupBy(changes, ({ operation }) => `${operation}Items`);
  const metrics = { ...Object.fromEntries([...made].map(([name, all]) => [name, all.length])), items: items.length };
  await world.log.append(
    events.map((event) =>
      encodeEvent(event.type === 'AdapterPublished' ? { ...event, metrics, baseModelDigest: base() } : event),
    ),
  );
  return library;
}

const item = (id: string, text: string, groups: readonly string[] = ['g1']): LibraryItem => ({
  ...{ id, text, domain: 'metals', field: 'strategy' },
  provenance: { groups: [...groups], operation: 'add', calls: ['c1'] },
});
const added = (id: string, after: string): Change => ({
  operation: 'add',
  id,
  before: null,
  after,
  reason: 'it helps',
});

/** Two steps of one history, the second served. */
async function twoSteps(): Promise<readonly [ExperienceLibrary, ExperienceLibrary]> {
  const first = await learned(null, { items: [item('e1', 'weigh gold')], changes: [added('e1', 'weigh gold')] });
  const second = await learned(first, {
    items: [item('e1', 'weigh it twice'), item('e2', 'heat iron')],
    changes: [
      { operation: 'modify', id: 'e1', before: 'weigh gold', after: 'weigh it twice', reason: 'once was too few' },
      added('e2', 'heat iron'),
    ],
  });
  return [first, second];
}
