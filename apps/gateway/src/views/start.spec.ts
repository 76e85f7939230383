import type { StartFacts } from '@seamstream/gateway-contract';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { HostedStart } from './start.controller.js';

describe('the run that a gateway is hosted for', () => {
  let gateway: GatewayUnderTest;
  let report: string | null = null;
  const facts = { method: 'attributes', seed: 7, commands: ['seam start'], hasReport: false } as unknown as StartFacts;
  beforeAll(async () => {
    const start = new HostedStart(
      () => Promise.resolve({ start: facts, unread: null }),
      () => Promise.resolve(report),
    );
    gateway = await startGateway({ start });
  });
  afterAll(() => gateway.stop());

  it('is shown as its host says it, and is nothing where no host says any', async () => {
    expect(await (await fetch(`${gateway.url}/api/views/start`)).json()).toEqual({ start: facts, unread: null });
    const other = await startGateway();
    expect(await (await fetch(`${other.url}/api/views/start`)).json()).toEqual({ start: null, unread: null });
    await other.stop();
  });

  it('has a report when it has ended, which may run nothing and ask for nothing', async () => {
    expect((await fetch(`${gateway.url}/api/views/report`)).status).toBe(404);
    report = '<!doctype html><title>report</title>';
    const answer = await fetch(`${gateway.url}/api/views/report`);
    expect(await answer.text()).toBe(report);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|connect-src|img-src|https?:/);
    const index = await fetch(`${gateway.url}/api/views/start`);
    expect(index.headers.get('content-security-policy')).not.toContain('unsafe-inline');
  });

  it('is not shown to other sites, and not to those without a key where keys are asked for', async () => {
    const foreign = await fetch(`${gateway.url}/api/views/report`, { headers: { origin: 'http://elsewhere.example' } });
    expect(foreign.status).toBe(403);
    const locked = await startGateway({ gateway: { access: 'keys' } });
    for (const view of ['start', 'report']) expect((await fetch(`${locked.url}/api/views/${view}`)).status).toBe(401);
    await locked.stop();
  });
});
