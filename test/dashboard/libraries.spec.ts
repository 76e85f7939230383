/** The pages of libraries in a real browser, next to `seam library` on the same log, while a run publishes one more. */
import { join } from 'node:path';
import { jest } from '@jest/globals';
import {
  consolidate,
  DEFAULT_LIMITS,
  type ExperienceLibrary,
  encodeLibrary,
  libraryKey,
  type Proposal,
  successorOf,
} from '@seamstream/experience-library';
import { FsObjectStore } from '@seamstream/object-store-fs';
import type { HistoryStep, ListedLibrary } from '@seamstream/operations/library';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const HOSTILE = '<img src=x onerror="document.title=1">';
const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of libraries', () => {
  let demonstration: Demonstration;
  let [first, second]: (ExperienceLibrary | undefined)[] = [];
  beforeAll(async () => {
    demonstration = await Demonstration.of([]);
    first = await published(demonstration, null, FIRST);
    second = await published(demonstration, first, SECOND);
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });
  const visit = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${demonstration.url}${path}`);
    await settled(page);
  };
  const listed = () => demonstration.seam<{ libraries: ListedLibrary[] }>('library', 'list');

  it('leads by keys from the list to a version, its operations, an item and its groups', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Libraries', exact: true }).click();
    await settled(page);
    await page.keyboard.press('j');
    const peek = page.getByRole('complementary', { name: 'The chosen library' });
    const { libraries } = await listed();
    expect(await peek.locator('[data-value="size"]').textContent()).toBe('4 of 100');
    expect(libraries[1]).toMatchObject({ items: 4, maxItems: 100, status: 'served' });
    expect(await peek.locator('[data-value="changes"]').textContent()).toBe(
      'add 1, modify 1, merge 1, delete 1, keep 1',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Library v2' }).waitFor();
    await settled(page);
    for (const { operation, reason } of second!.changes.filter((each) => each.operation !== 'keep'))
      await page.locator(`tr[data-operation="${operation}"]`).getByText(reason).waitFor();
    await page.getByText('1 item kept').click();
    await page.locator('tr[data-operation="keep"]').getByText('it still holds').waitFor();
    const modified = page.locator('tr[data-operation="modify"]');
    expect(await modified.locator('del').textContent()).toBe('gold');
    expect(await modified.locator('ins').textContent()).toBe('silver');
    await page.keyboard.press('j');
    const item = page.getByRole('complementary', { name: 'The chosen item' });
    await item.getByRole('link', { name: 'group-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe("groupId = 'group-1'");
    expect(complaints).toEqual([]);
  });

  it('shows between any two versions what "seam library diff" prints, and keeps the choice in the address', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, `/libraries/${second!.digest}`);
    for (const against of ['base', first!.digest]) {
      await page.getByLabel('from').selectOption(against);
      await settled(page);
      const { diff } = await demonstration.seam<{ diff: Record<string, unknown[]> }>(
        ...['library', 'diff', against, second!.digest],
      );
      const counts = ['added', 'removed', 'changed'].map((name) => `${diff[name]!.length} ${name}`);
      await page.getByText(`${counts.join(', ')}.`).waitFor();
    }
    await page.getByLabel('from').selectOption('base');
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('from').inputValue()).toBe('base');
    expect(complaints).toEqual([]);
  });

  it('answers what the commands print, and counts operations as the libraries themselves do', async () => {
    expect(await demonstration.view('libraries')).toEqual(await listed());
    expect(await demonstration.view(`libraries/${second!.digest}`)).toEqual(
      await demonstration.seam('library', 'show', 'served'),
    );
    expect(await demonstration.view(`libraries/served/diff?before=${first!.digest}`)).toEqual(
      await demonstration.seam('library', 'diff', first!.digest, 'served'),
    );
    const history = await demonstration.seam<HistoryStep[]>('library', 'history');
    for (const [at, { changes }] of (await listed()).libraries.entries())
      for (const [operation, times] of Object.entries(changes))
        expect(history[at]!.changes.filter((each) => each.operation === operation)).toHaveLength(times);
  });

  it.each(['light', 'dark'] as const)('breaks no rule of axe, and shows texts as text, %s', async (scheme) => {
    const { page, complaints } = await openPage(browser!, scheme);
    const own = `/libraries/${second!.digest}`;
    for (const path of [`/libraries?peek=${first!.digest}`, `${own}?peek=e1`, '/libraries/none']) {
      await visit(page, path);
      expect([path, await violationsOn(page)]).toEqual([path, []]);
      expect(await page.locator('main img').count()).toBe(0);
    }
    // A library that is not there is an answer of status 400, which the console reports.
    expect(complaints.filter((each) => !/40[04]/.test(each))).toEqual([]);
  });

  it('shows a library that is published while one looks', async () => {
    const { page } = await openPage(browser!);
    await visit(page, '/libraries');
    expect(await page.locator('[data-value="libraries"]').textContent()).toBe('2');
    await published(demonstration, second!, [add('cool the iron')]);
    await page.locator('[data-value="libraries"]').getByText('3').waitFor();
  });
});

const because = (reason: string, groups: readonly string[] = ['group-1']) => ({ reason, groups, calls: [] });
const add = (text: string): Proposal => ({
  ...{ operation: 'add', text, domain: 'metals', field: 'strategy' },
  ...because(`${text} helps`),
});
const FIRST = ['weigh gold', 'heat lead', 'melt tin slowly', 'melt tin at noon', HOSTILE].map(add);
const idOf = (text: string): string =>
  `e${[...FIRST].sort(byText).findIndex((each) => 'text' in each && each.text === text) + 1}`;
const byText = (a: Proposal, b: Proposal): number => ('text' in a && 'text' in b && a.text < b.text ? -1 : 1);
const SECOND: readonly Proposal[] = [
  { operation: 'modify', id: idOf('weigh gold'), text: 'weigh silver', ...because('gold is too soft') },
  { operation: 'delete', id: idOf('heat lead'), ...because('it misleads') },
  {
    ...{ operation: 'merge', ids: [idOf('melt tin slowly'), idOf('melt tin at noon')], text: 'melt tin' },
    ...because('they say the same'),
  },
  { operation: 'keep', id: idOf(HOSTILE), ...because('it still holds') },
  add('quench iron'),
];

/** What a run makes of proposals, stored and promoted by it. */
async function published(
  demonstration: Demonstration,
  parent: ExperienceLibrary | null,
  proposals: readonly Proposal[],
): Promise<ExperienceLibrary> {
  const begin = successorOf(parent, { baseModelDigest: 'b' });
  const { library, changes } = consolidate(begin, proposals, DEFAULT_LIMITS);
  const objects = await FsObjectStore.open({ folder: join(demonstration.folder, 'objects') });
  const key = libraryKey(library.digest);
  await objects.put(key, encodeLibrary(library), { contentType: 'application/json' });
  const made = Map.groupBy(changes, ({ operation }) => `${operation}Items`);
  const metrics = Object.fromEntries([...made].map(([name, all]) => [name, all.length]));
  const events = promotedByRun({
    ...{ adapterDigest: library.digest, parent: parent?.digest ?? null, key, algorithm: 'contrast', success: 0.75 },
    configuration: JSON.stringify({ algorithm: DEFAULT_LIMITS }),
  });
  await demonstration.append(
    events.map((event) =>
      event.type === 'AdapterPublished' ? { ...event, metrics: { ...metrics, items: library.items.length } } : event,
    ),
  );
  return library;
}
