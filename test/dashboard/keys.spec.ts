/** The dashboard of a gateway that asks for keys or tokens, in a real browser: it opens with one, stays live, and closes with a revocation. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { systemClock } from '@seamstream/kernel';
import { issueKey, type Role, revokeKey } from '@seamstream/operations/access';
import { publishProblems } from '@seamstream/operations/publish';
import { IdentityServer } from '@seamstream/testing/identity-server';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { openBrowser, openPage } from './browser.js';

const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The dashboard with keys', () => {
  let log: LmdbEventLog;
  let gateway: GatewayProcess;
  let provider: IdentityServer;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-keys-'));
    log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    const programs = [{ id: 'page', groups: ['staff'] }];
    provider = await IdentityServer.start({ audience: 'https://seam.example', programs });
    gateway = await startGateway({
      ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_ACCESS: 'keys' },
      ...{ SEAM_GATEWAY_ISSUER_URL: provider.url, SEAM_GATEWAY_ISSUER_AUDIENCE: 'https://seam.example' },
      SEAM_GATEWAY_ISSUER_ROLES: '{"staff":"viewer"}',
      ...{ SEAM_GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9/v1', SEAM_GATEWAY_UPSTREAM_MODEL: 'none' },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway.kill();
    await provider.stop();
    await log.close();
  });
  const issue = (role: Role) => issueKey(log, { name: 'page', role, by: 'ada', expiresAt: null }, systemClock);
  const publish = (prompt: string) =>
    publishProblems(log, [{ prompt }], { nowMs: systemClock.now(), subject: null, repeatKey: null });

  it('shows nothing without a key, is live with one, and asks again when it is revoked', async () => {
    const { page, complaints } = await openPage(browser!);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const { key, keyId } = await issue('viewer');
    await publish('First?');
    await page.goto(`${gateway.url}/problems`);
    const field = page.getByLabel('key', { exact: true });
    await field.fill('sk-seam-of-nobody');
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'This gateway asks for a key' }).waitFor();
    expect(await page.getByText('First?').count()).toBe(0);
    await field.fill(key);
    await field.press('Enter');
    await page.locator('.long-table').getByText('First?').waitFor();
    await page.getByRole('button', { name: 'live' }).waitFor();
    await publish('Second?');
    await page.locator('.long-table').getByText('Second?').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'live' }).waitFor();
    await revokeKey(log, keyId, { by: 'ada', reason: 'it leaked' }, systemClock);
    await page.getByRole('heading', { level: 1, name: 'This gateway asks for a key' }).waitFor();
    expect(asked.filter((url) => url.includes(key.slice(-43)) || url.includes(keyId))).toEqual([]);
    // Refusals are answers of status 401, which the console reports.
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });

  it('opens with a token of an OpenID provider, and no address holds it', async () => {
    const { page, complaints } = await openPage(browser!);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const token = await provider.tokenOf('page');
    await publish('By token?');
    await page.goto(`${gateway.url}/problems`);
    const field = page.getByLabel('key', { exact: true });
    await field.fill(token);
    await field.press('Enter');
    await page.locator('.long-table').getByText('By token?').waitFor();
    await page.getByRole('button', { name: 'live' }).waitFor();
    expect(asked.filter((url) => url.includes(token.slice(-43)))).toEqual([]);
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });
});
