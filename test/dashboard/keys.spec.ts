/**
 * The dashboard of a gateway that asks for keys, tokens or a login, in a real browser: it opens with one, stays live, and closes with a
 * revocation or when its reader signs out.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { systemClock } from '@seamstream/kernel';
import { issueKey, type Role, revokeKey } from '@seamstream/operations/access';
import { publishProblems } from '@seamstream/operations/publish';
import { freePort } from '@seamstream/testing/free-port';
import { IdentityServer, SECRET } from '@seamstream/testing/identity-server';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { openBrowser, openPage, violationsOn } from './browser.js';

const browser = await openBrowser();
afterAll(() => browser?.close());

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

(browser === undefined ? describe.skip : describe)('The dashboard with a login', () => {
  let log: LmdbEventLog;
  let gateway: GatewayProcess;
  let provider: IdentityServer;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboard-login-'));
    log = await LmdbEventLog.open({ folder: join(folder, 'log') });
    const port = String(await freePort());
    const origin = `http://127.0.0.1:${port}`;
    const page = { clientId: 'seam', origin };
    provider = await IdentityServer.start({ audience: 'https://seam.example', programs: [], page });
    gateway = await startGateway({
      ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_ACCESS: 'keys', SEAM_GATEWAY_PORT: port },
      ...{ SEAM_GATEWAY_ISSUER_URL: provider.url, SEAM_GATEWAY_ISSUER_AUDIENCE: 'https://seam.example' },
      SEAM_GATEWAY_ISSUER_ROLES: '{"staff":"viewer"}',
      ...{ SEAM_GATEWAY_LOGIN_CLIENT_ID: 'seam', SEAM_GATEWAY_LOGIN_PUBLIC_URL: origin },
      ...{ SEAM_GATEWAY_LOGIN_SCOPE: 'openid groups', SEAM_GATEWAY_LOGIN_SECRET_VARIABLE: 'CLIENT_SECRET' },
      ...{ CLIENT_SECRET: SECRET, SEAM_GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9/v1' },
      SEAM_GATEWAY_UPSTREAM_MODEL: 'none',
    });
  });
  afterAll(async () => {
    await gateway.kill();
    await provider.stop();
    await log.close();
  });

  it('opens by a click on Sign in, comes back to the page, is live, and closes by Sign out', async () => {
    const { page, complaints } = await openPage(browser!);
    const problem = { nowMs: systemClock.now(), subject: null, repeatKey: null };
    await publishProblems(log, [{ prompt: 'By login?' }], problem);
    const signIn = page.getByRole('link', { name: 'Sign in' });
    await page.goto(`${gateway.url}/problems?text=login`);
    await page.getByRole('heading', { level: 1, name: 'Sign in to this gateway' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    provider.person = { id: 'eve', groups: ['others'] };
    await signIn.click();
    await page.getByRole('button', { name: 'Continue as eve' }).click();
    await page.getByText('You have no role here. Ask an admin for one.').waitFor();
    await page.context().clearCookies();
    provider.person = { id: 'ada', groups: ['staff'] };
    await page.goto(`${gateway.url}/problems?text=login`);
    await signIn.click();
    await page.getByRole('button', { name: 'Continue as ada' }).click();
    await page.locator('.long-table').getByText('By login?').waitFor();
    expect(page.url()).toBe(`${gateway.url}/problems?text=login`);
    expect(await page.evaluate('document.cookie + JSON.stringify(sessionStorage)')).toBe('{}');
    await page.getByRole('button', { name: 'live' }).waitFor();
    await page.reload();
    await page.locator('.long-table').getByText('By login?').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(`${gateway.url}/`);
    await signIn.waitFor();
    expect(await page.getByText('By login?').count()).toBe(0);
    // Refusals are answers of status 401, which the console reports.
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });
});
