/** Answers of a cluster's interface that are endless, slow or cut. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RayJobs } from './cluster-jobs.ray.adapter.js';
import { jsonRequest, requestedEnd } from './json-request.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('an answer', () => {
  it('is given up after a time, also where bytes come all along', async () => {
    const url = await answering((_, response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    for (const asking of [jsonRequest({ method: 'GET', url }, 200), requestedEnd({ method: 'GET', url }, 10, 200)])
      await expect(asking).rejects.toThrow('no answer within 200 ms');
  });

  it('of more bytes than any list has is refused', async () => {
    let sent = 0;
    const url = await answering((_, response) => {
      const timer = setInterval(() => {
        if (sent++ < 200) response.write('x'.repeat(2 ** 20));
        else response.end();
      }, 1);
      response.on('close', () => clearInterval(timer));
    });
    await expect(jsonRequest({ method: 'GET', url })).rejects.toThrow('expected at most 16777216 bytes');
  });

  it('that is cut off is an error', async () => {
    const url = await answering((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(jsonRequest({ method: 'GET', url })).rejects.toThrow();
  });

  it.each([1, 200_000])('of a log of Ray of %d lines is reported by its end', async (lines) => {
    const logs = `${'step "done" \u00fc\n'.repeat(lines)}the last "word"`;
    const dashboard = await answering(({ url }, response) =>
      response.end(JSON.stringify(url!.endsWith('/logs') ? { logs } : { status: 'FAILED', message: 'exit code 1' })),
    );
    const report = await new RayJobs({ dashboard, command: ['x'], gpus: 0 }).reportOf('seam-1');
    expect(report.endsWith('step "done" \u00fc\nthe last "word"\nexit code 1')).toBe(true);
    expect(report.length).toBeLessThan(140_000);
  });
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
