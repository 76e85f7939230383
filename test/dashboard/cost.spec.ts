/** The page of costs in a real browser, next to `seam cost` on the same log. */
import { jest } from '@jest/globals';
import type { SeamEvent } from '@seamstream/events';
import type { CostReport, ProblemCost } from '@seamstream/operations/cost';
import { asWritten } from '@seamstream/testing/log-of';
import { guardedProblems } from '@seamstream/testing/release-log';
import { all, explored, problemAbout } from '@seamstream/testing/result-log';
import type { Page } from 'playwright-core';
import { partText } from '../../apps/cli/src/cost/money.js';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const HOSTILE = '<img src=x onerror="document.title=1">';
const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of costs', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    demonstration = await Demonstration.of([...BORNE_OUT, ...['sums', HOSTILE].flatMap((domain) => workOn(domain))]);
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });
  const setPrice = (model: string, from: string) =>
    demonstration.seam(
      ...['cost', 'prices', 'set', model, '--prompt', '2', '--completion', '3', '--currency', 'USD', '--from', from],
      ...['--by', 'ada', '--reason', HOSTILE],
    );
  const visit = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${demonstration.url}${path}`);
    await settled(page);
  };

  it('says how a price is declared, and shows each one with the time for which it is valid', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Cost', exact: true }).click();
    await page.getByText('0 prices: without one no money is known.').waitFor();
    for (const from of ['1970-01-01', '2020-01-01', '2100-01-01']) await setPrice('e', from);
    await setPrice('b', '1970-01-01');
    await visit(page, '/cost');
    const states = page.locator('[data-price="e"] .badge');
    expect(await states.allTextContents()).toEqual(['replaced', 'valid', 'later']);
    const { prices } = await demonstration.seam<{ prices: unknown[] }>('cost', 'prices', 'list');
    expect(await page.locator('[data-price]').count()).toBe(prices.length);
    await page.locator('[data-price="b"]').getByText(`by ada: ${HOSTILE}`).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows by each group what the command prints, and for each problem that is solved in addition', async () => {
    const { page, complaints } = await openPage(browser!);
    for (const by of ['arm', 'domain', 'key'] as const) {
      await visit(page, '/cost');
      await page.locator('.filters select').selectOption(by);
      await page.getByRole('heading', { name: `Spent by ${by}` }).waitFor();
      await settled(page);
      const { rows, extra } = await demonstration.seam<CostReport>('cost', 'spent', by);
      expect(await cells(page, 'spent', ['attempts', 'money'])).toEqual(
        rows.map(({ attempts, money }) => [count(attempts), moneyOf(money)]),
      );
      expect(await cells(page, 'extra', ['generator', 'each'])).toEqual(
        (extra?.rows ?? []).map(({ extraCost, perExtra, shown }): unknown[] => [
          moneyOf(extraCost.generator!),
          perExtra === null ? expect.stringMatching(shown) : rangeOf(perExtra),
        ]),
      );
    }
    expect(complaints).toEqual([]);
  });

  it('names the command that prints the same of a day and a tenant, and keeps both in the address', async () => {
    const { page } = await openPage(browser!);
    await visit(page, '/cost?by=domain&tenant=acme&since=1970-01-01');
    await page.getByText('No attempt of an executor of the tenant acme since 1970-01-01 is in the log.').waitFor();
    await page.getByRole('textbox', { name: 'tenant' }).fill('default');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Spent by domain' }).waitFor();
    await page
      .getByRole('button', { name: /how it is counted: seam cost spent/i })
      .first()
      .click();
    await page.getByText('seam cost spent domain --since 1970-01-01 --tenant default').first().waitFor();
    expect(new URL(page.url()).search).toBe('?by=domain&tenant=default&since=1970-01-01');
  });

  it('shows no answer under the question that was asked after it', async () => {
    const { page } = await openPage(browser!);
    const { promise: isHeld, resolve: release } = Promise.withResolvers<null>();
    await page.route('**/api/views/cost?by=key', async (route) => {
      await isHeld;
      await route.continue();
    });
    await visit(page, '/cost?by=domain');
    const old = page.getByRole('heading', { name: 'Spent by domain' });
    await old.waitFor();
    await page.locator('.filters select').selectOption('key');
    await old.waitFor({ state: 'detached', timeout: 10_000 });
    release(null);
    await page.getByRole('heading', { name: 'Spent by key' }).waitFor();
  });

  it('is on the page of a problem too, and breaks no rule of axe', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, complaints } = await openPage(browser!, scheme);
      await visit(page, '/problems');
      await visit(page, '/cost?by=domain');
      expect([scheme, await violationsOn(page)]).toEqual([scheme, []]);
      expect(await page.locator('main img, main script').count()).toBe(0);
      await visit(page, '/problems/borne-out');
      const fact = page.locator('dt').filter({ hasText: 'attempts, USD' }).locator('+ dd');
      const { cost } = await demonstration.seam<{ cost: ProblemCost }>('show', 'borne-out');
      expect(await fact.textContent()).toBe(partText(cost.executor));
      expect(complaints).toEqual([]);
    }
  });
});

/** The cost of a problem is of results and entries that the rest of the log bears out. */
const BORNE_OUT = all(explored(problemAbout('borne-out'))).map((event) =>
  event.type === 'OutcomeRecorded' ? { ...event, executor: { ...event.executor, model: 'e' } } : event,
);

/** Entries help, and cost something. */
function workOn(domain: string): readonly SeamEvent[] {
  const drawn = { guardId: 'g', controlShare: 0.1, domain };
  return asWritten([
    ...guardedProblems({ ...drawn, treated: true, solved: 60, failed: 0 }),
    ...guardedProblems({ ...drawn, treated: false, solved: 0, failed: 12 }),
  ]).map((event) =>
    event.type === 'ExperienceGenerated' ? { ...event, promptTokenIds: [1, 2], tokenIds: [3] } : event,
  );
}

/** Cells of each row by their values. */
const cells = (page: Page, row: 'spent' | 'extra', values: readonly string[]): Promise<string[][]> =>
  page.evaluate(`Array.from(document.querySelectorAll('[data-${row}]'), (each) =>
    ${JSON.stringify(values)}.map((name) => each.querySelector('[data-value="' + name + '"]').textContent))`);

const count = (value: number): string => value.toLocaleString('en');

/** As the command writes money: two figures behind the point at least. */
const moneyOf = (micros: number): string => {
  const text = (Math.round(Math.abs(micros)) / 1e6).toFixed(6).replace(/0{1,4}$/, '');
  return `${micros < 0 ? '−' : ''}${text}`;
};

const rangeOf = ({ value, interval: [low, high] }: { value: number; interval: readonly [number, number] }): string =>
  `${moneyOf(value)} (${moneyOf(low)} to ${moneyOf(high)})`;
