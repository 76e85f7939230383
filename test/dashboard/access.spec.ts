/** The page of access in a real browser, next to the commands on the same log: open, with keys, and for a viewer of one tenant. */
import { jest } from '@jest/globals';
import type { SeamEvent } from '@seamstream/events';
import type { Act } from '@seamstream/operations/audit';
import type { ClientLimits, ListedTenant } from '@seamstream/operations/quotas';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import type { Page } from 'playwright-core';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { openBrowser, openPage, settled, violationsOn, type Watched } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of access', () => {
  let demonstration: Demonstration;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    demonstration = await Demonstration.of([]);
    await demonstration.serve();
    gateway = await startGateway({
      ...{ SEAM_DATA_FOLDER: demonstration.folder, SEAM_GATEWAY_ACCESS: 'keys' },
      ...{ SEAM_GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9/v1', SEAM_GATEWAY_UPSTREAM_MODEL: 'none' },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway.kill();
    await demonstration.close();
  });
  const seam = <Answer>(...args: readonly string[]) => demonstration.seam<Answer>(...args);
  const issue = (name: string, role: string, tenant: string) =>
    seam<Issued>('gateway', 'keys', 'issue', name, '--role', role, '--tenant', tenant, '--by', 'ada');
  /** A page that was opened with a key, as a person does. */
  const openedWith = async ({ key }: Issued, scheme?: 'light' | 'dark'): Promise<Watched> => {
    const watched = await openPage(browser!, scheme);
    watched.page.setDefaultTimeout(15_000);
    await watched.page.goto(`${gateway.url}/access`);
    await watched.page.getByLabel('key', { exact: true }).fill(key);
    await watched.page.keyboard.press('Enter');
    await watched.page.getByText('You are').waitFor();
    await settled(watched.page);
    return watched;
  };

  it('says of an open gateway that it asks for no key, and how one is made; then shows the key that was made', async () => {
    const { page, complaints } = await openPage(browser!);
    await page.goto(demonstration.url);
    await settled(page);
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByText('This gateway asks for no key').waitFor();
    await page.getByText('seam gateway keys issue "my page" --role admin --by me').waitFor();
    await page.getByText('No key was issued yet.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    const { keyId } = await issue('first', 'viewer', 'default');
    await page.locator(`[data-key="${keyId}"]`).getByText('open').waitFor();
    await page.locator('.long-table').getByText(`${keyId} viewer for first`).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows an admin what the commands print, live, and follows a tenant, a filter and the keys of the keyboard', async () => {
    const [admin, bot] = [await issue('root', 'admin', 'default'), await issue('bot', 'publisher', 'acme')];
    const limit = (client: string, ...rest: readonly string[]) =>
      seam('gateway', 'quotas', 'set', client, ...rest, '--by', 'ada', '--reason', 'trial');
    await limit(`acme/${bot.keyId}`, '--measure', 'tokens', '--limit', '1000', '--per', 'month');
    await limit('acme/whole', '--measure', 'requests', '--limit', '1', '--per', 'month', '--shadow');
    const { page, complaints } = await openedWith(admin);
    const row = page.locator(`[data-client="acme/${bot.keyId}"]`);
    await row.getByText('1,000').first().waitFor();
    await demonstration.append([
      reserved(bot.keyId, 'one', 300),
      reserved(bot.keyId, 'two', 200),
      settled40(bot.keyId),
    ]);
    await row.locator('[data-value="used"]').getByText('240', { exact: true }).waitFor();
    const { clients } = await seam<{ clients: ClientLimits[] }>('gateway', 'quotas', 'use');
    for (const { client, limits } of clients)
      for (const { measure, per, used, reserved: part, left } of limits) {
        const cells = page.locator(`[data-client="${client}"][data-limit="${measure}/${per}"]`);
        const told = ['used', 'reserved', 'left'].map((name) => cells.locator(`[data-value="${name}"]`).textContent());
        expect([client, ...(await Promise.all(told))]).toEqual([client, ...[used, part, left].map(String)]);
      }
    expect(clients.some(({ limits }) => limits.some(({ reserved: part, left }) => part === 200 && left === 760))).toBe(
      true,
    );
    await page.getByText('shadow: refuses nothing').first().waitFor();
    const { tenants } = await seam<{ tenants: ListedTenant[] }>('gateway', 'tenants', 'list');
    for (const { tenant, openKeys } of tenants)
      expect(await page.locator(`[data-tenant="${tenant}"] [data-value="open keys"]`).textContent()).toBe(
        `${openKeys}`,
      );
    await page.locator('[data-tenant="acme"] button').click();
    expect(new URL(page.url()).search).toBe('?tenant=acme');
    expect(await page.locator(`[data-key="${admin.keyId}"]`).count()).toBe(0);
    await page.locator(`[data-key="${bot.keyId}"]`).waitFor();
    await page.getByRole('combobox', { name: 'acts' }).selectOption('set limit');
    await page.locator('.long-table').getByText('1 requests per month of acme/whole').waitFor();
    await settled(page);
    const { acts } = await seam<{ acts: Act[] }>('audit', '--act', 'set limit', '--tenant', 'acme');
    expect(await page.locator('[data-value="acts"]').textContent()).toBe(String(acts.length));
    await page.locator('h1').click();
    await page.keyboard.press('j');
    const peek = page.getByRole('complementary', { name: 'The chosen act' });
    expect(await peek.locator('[data-value="what"]').textContent()).toBe(acts.at(-1)!.what);
    await page.reload();
    await peek.getByText(acts.at(-1)!.what).waitFor();
    await seam('gateway', 'keys', 'revoke', bot.keyId, '--by', 'bob', '--reason', 'it leaked');
    await page.locator(`[data-key="${bot.keyId}"]`).getByText('by bob: it leaked').waitFor();
    expect(await textOf(page)).not.toContain(admin.key.slice(-43));
    // The first answer to a page without a key is of status 401, which the console reports.
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });

  it('shows a viewer of a tenant their own limits and those of the whole, read again by itself, and no more', async () => {
    const [viewer, other] = [await issue('desk', 'viewer', 'acme'), await issue('secret-name', 'viewer', 'globex')];
    const { page, complaints } = await openedWith(viewer);
    await page.getByText('viewer in acme').waitFor();
    const whole = page.locator('[data-client="acme/whole"]');
    expect(await whole.locator('[data-value="used"]').textContent()).toBe('0');
    await demonstration.append([reserved('whole', 'three', 5)]);
    await whole.locator('[data-value="used"]').getByText('1', { exact: true }).waitFor();
    await whole.getByText('! full').waitFor();
    const text = await textOf(page);
    for (const hidden of [other.keyId, 'secret-name', 'globex', 'Who changed what']) expect(text).not.toContain(hidden);
    await page.getByRole('button', { name: 'not live' }).waitFor();
    // The stream is of the whole system, which is refused with 403.
    expect(complaints.filter((each) => !/40[13]/.test(each))).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('breaks no rule of axe, %s', async (scheme) => {
    const { page } = await openedWith(await issue(scheme, 'admin', 'default'), scheme);
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'The chosen act' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});

interface Issued {
  readonly key: string;
  readonly keyId: string;
}

const textOf = (page: Page): Promise<string> => page.evaluate<string>('document.body.innerText');

const meta = () => ({ ...EXAMPLE_EVENTS.UsageReserved.meta, tenant: 'acme', occurredAt: Date.now() });

const reserved = (keyId: string, reservationId: string, tokens: number): SeamEvent => ({
  ...EXAMPLE_EVENTS.UsageReserved,
  ...{ meta: meta(), keyId, reservationId, tokens, limits: [], lapsesAt: Date.now() + 600_000 },
});

const settled40 = (keyId: string): SeamEvent => ({
  ...EXAMPLE_EVENTS.UsageSettled,
  ...{ meta: meta(), keyId, reservationId: 'one', tokens: 40 },
});
