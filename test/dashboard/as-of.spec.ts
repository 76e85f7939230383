/** The first page as of a moment in a real browser, next to the commands with the same moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { guardedProblems } from '@seamstream/testing/release-log';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const browser = await openBrowser();
const work = (domain: string) =>
  [true, false].flatMap((treated) =>
    guardedProblems({ guardId: 'g', controlShare: 0.1, domain, treated, solved: treated ? 60 : 1, failed: 6 }),
  );

(browser === undefined ? describe.skip : describe)('The first page as of a moment', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    demonstration = await Demonstration.of(work('sums'));
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });

  it('shows what the commands say of that moment, keeps it in the address, and comes back to now', async () => {
    const { page, complaints } = await openPage(browser!);
    await sleep(1_100);
    // A whole second, as the field takes it.
    const moment = `${new Date().toISOString().slice(0, 19)}Z`;
    await sleep(1_100);
    await demonstration.append(work('words'));
    await page.goto(demonstration.url);
    await settled(page);
    const published = page.locator('[data-value="published"]');
    await published.getByText('146').waitFor();
    await page.getByLabel('as of').fill(localOf(moment));
    await published.getByText('73').waitFor();
    await settled(page);
    const ledger = await demonstration.seam<{ published: number; solved: number }>('ledger', '--as-of', moment);
    expect(await published.textContent()).toBe(String(ledger.published));
    const { modes } = await demonstration.seam<{ modes: { lift: { value: number } | null }[] }>(
      'lift',
      '--as-of',
      moment,
    );
    const points = `+${(modes[0]!.lift!.value * 100).toFixed(1)}`;
    expect(await page.locator('[data-value="lift"]').first().textContent()).toBe(points);
    expect(new URL(page.url()).searchParams.get('asOf')).toBe(new Date(moment).toISOString());
    expect(await violationsOn(page)).toEqual([]);
    await page.reload();
    await published.getByText('73').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await published.getByText('146').waitFor();
    expect(complaints).toEqual([]);
  });

  it('that is refused because too many ask says so, and asks again when the gateway says', async () => {
    const { page } = await openPage(browser!);
    const refusals = ['0', '2'];
    const askedAt: number[] = [];
    await page.route(/views\/adapters\?/, (route) => {
      askedAt.push(Date.now());
      const retryAfter = refusals.shift();
      return retryAfter === undefined
        ? route.continue()
        : route.fulfill({
            ...{ status: 429, headers: { 'retry-after': retryAfter }, contentType: 'application/json' },
            body: '{"error":{"message":"Too many ask."}}',
          });
    });
    await page.goto(`${demonstration.url}/adapters?asOf=2030-01-01T00:00:00Z`);
    await page.getByText('Too many ask. The page asks again in 2 s (2 of 20).').first().waitFor();
    await page.getByText('Too many ask.').first().waitFor({ state: 'detached' });
    expect(askedAt).toHaveLength(3);
    expect(askedAt[2]! - askedAt[1]!).toBeGreaterThanOrEqual(1_900);
  });
});

function localOf(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
