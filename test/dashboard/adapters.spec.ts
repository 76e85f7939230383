/** The pages of adapters and of requests in a real browser, next to the commands and /metrics. */
import { jest } from '@jest/globals';
import type { AdapterChanges, ListedUse } from '@seamstream/operations/read-models';
import type { AgainstBase } from '@seamstream/operations/show';
import { generated } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { explored, problemAbout } from '@seamstream/testing/result-log';
import { adapterPublished } from '@seamstream/testing/training-log';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const HOSTILE = '<img src=x onerror="document.title=1">';
const ADAPTER = 'a'.repeat(64);
const differences = [true, false].map((rescued) => ({
  ...{ problemId: `v-${rescued}`, domain: 'sums', question: HOSTILE, rescued },
  ...{ parentEntry: '{"hint":"guess"}', parentAnswer: null, entry: HOSTILE, answer: '4' },
}));
const compared = { ...evaluationOf(0.75, 0.5), problems: 8, rescued: 3, broken: 1, differences };
const SERVED = 'b'.repeat(64);
/** A problem with two entries of the base model and two of what is served, and one with an entry of the base model alone. */
const explorations = [
  explored(problemAbout('both'), { solved: [1, 2, 3], entryOf: () => HOSTILE }),
  explored(problemAbout('one')),
];
const attempted = explorations.flatMap(({ published, experiences, outcomes }) => {
  const by = published.problem.problemId === 'both' ? [null, SERVED, null, SERVED] : [null, null, null, null];
  const writes = <T extends { readonly candidateIndex: number }>(event: T) => ({
    ...{ ...event, adapterDigest: by[event.candidateIndex]!, baseModelDigest: 'b' },
  });
  return [published, ...experiences.map(writes), ...outcomes.map(writes)];
});
const written = (adapterDigest: string | null, times: number) =>
  Array.from({ length: times }, (_, at) => generated(`${adapterDigest}-${at}`, { adapterDigest, arm: 'deploy' }));

const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The pages of adapters and requests', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    const adapter = [adapterPublished(ADAPTER, null, 'r'), evaluatedByPerson(ADAPTER, compared)];
    demonstration = await Demonstration.of([...adapter, ...written(null, 3), ...written(ADAPTER, 2)]);
    await demonstration.append([...promotedByRun({ adapterDigest: SERVED }), ...attempted]);
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });

  it('show what an adapter changed and what it wrote, as the commands do', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, complaints } = await openPage(browser!, scheme);
      await page.goto(`${demonstration.url}/adapters/${ADAPTER}`);
      await settled(page);
      const { rescued, broken, onlyCounted } = await demonstration.seam<AdapterChanges>('adapters', 'changes', ADAPTER);
      const shown = ['rescued', 'broken', 'only-counted'].map((name) => page.locator(`[data-value="${name}"]`));
      expect(await Promise.all(shown.map((each) => each.textContent()))).toEqual(
        [rescued, broken, onlyCounted].map(String),
      );
      await page.locator('[data-difference="v-false"] summary').click();
      await page.locator('[data-difference="v-false"]').getByText('"hint": "guess"').waitFor();
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect([scheme, await violationsOn(page)]).toEqual([scheme, []]);
      await page.goto(`${demonstration.url}/adapters`);
      await settled(page);
      const { uses } = await demonstration.seam<{ uses: ListedUse[] }>('adapters', 'use');
      for (const { adapterDigest, experiences } of uses) {
        const cell = page.locator(`[data-use="${adapterDigest ?? 'base'}"] [data-value="experiences"]`);
        expect(await cell.textContent()).toBe(String(experiences));
      }
      expect(uses).toHaveLength(3);
      expect([scheme, await violationsOn(page), complaints]).toEqual([scheme, [], []]);
    }
  });

  it('show one problem with the base and with what is served, as the command does, and say where the log has one alone', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, complaints } = await openPage(browser!, scheme);
      await page.goto(`${demonstration.url}/problems/both`);
      await settled(page);
      const { againstBase } = await demonstration.seam<{ againstBase: AgainstBase }>('show', 'both');
      const { base, adapter } = againstBase;
      const shown = ['base-solved', 'base-judged', 'served-solved', 'served-judged'].map((name) =>
        page.locator(`[data-value="${name}"]`).textContent(),
      );
      expect(await Promise.all(shown)).toEqual(
        [base!.solved, base!.judged, adapter!.solved, adapter!.judged].map(String),
      );
      expect([base!.solved, adapter!.solved]).toEqual([1, 2]);
      const sides = page.locator('[data-before-and-after] .candidate');
      for (const [at, standing] of ['failed', 'solved'].entries())
        expect(await sides.nth(at).getAttribute('class')).toBe(`candidate ${standing}`);
      expect(await sides.first().textContent()).toContain(HOSTILE);
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect([scheme, await violationsOn(page), complaints]).toEqual([scheme, [], []]);
      await page.goto(`${demonstration.url}/problems/one`);
      await page.getByText('The log has no judged answer to this problem with an entry of').waitFor();
    }
  });

  it('show the requests of this gateway since its start, with their errors', async () => {
    await fetch(`${demonstration.url}/api/problems/none`);
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await openPage(browser!, scheme);
      await page.goto(`${demonstration.url}/requests`);
      await settled(page);
      const { routes, errors } = await demonstration.view<{ routes: Counted[]; errors: Counted[] }>('requests');
      const [own] = routes.filter(({ route }) => route === '/api/problems/:id');
      const cells = page.locator('[data-route="GET /api/problems/:id"] [data-value]');
      expect((await cells.allTextContents()).slice(0, 5)).toEqual(['1', '0', '0', '1', '0']);
      expect(own).toMatchObject({ requests: 1, byStatus: { '4xx': 1 } });
      const [error] = errors.filter(({ code }) => code === 'not_found');
      const counted = page.locator('[data-error="404 not_found"] [data-value="requests"]');
      expect(await counted.textContent()).toBe(String(error!.requests));
      expect(await page.getByText('No chat request was answered yet.').count()).toBe(1);
      expect([scheme, await violationsOn(page)]).toEqual([scheme, []]);
    }
  });

  it('keep the moment from page to page, and say which ones are of now alone', async () => {
    const { page, complaints } = await openPage(browser!);
    await page.goto(`${demonstration.url}/?asOf=2001-01-01T00:00:00.000Z`);
    await settled(page);
    await page.getByRole('link', { name: 'Adapters', exact: true }).click();
    await page.getByText('No adapter yet.').waitFor();
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByText('This page is of now alone').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('link', { name: 'Adapters', exact: true }).click();
    await page.getByLabel('or up to a record').fill('seam.adapters/0/0');
    await page.keyboard.press('Enter');
    await page.getByText('up to the record seam.adapters/0/0').waitFor();
    await page.locator('.node', { hasText: 'v1' }).waitFor();
    expect(await page.getByText('No experience was written yet.').count()).toBe(0);
    await page.getByLabel('or up to a record').fill('seam.adapters/0/99');
    await page.keyboard.press('Enter');
    await page.getByText('where the log holds none').first().waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.locator(`[data-use="${ADAPTER}"]`).waitFor();
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
  });
});

interface Counted {
  readonly route?: string;
  readonly code?: string;
  readonly requests: number;
}
