import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilesTracker, MlflowTracker, type TrackedRun } from './index.js';

const run: TrackedRun = {
  ...{ id: 'run-1', name: 'one', startedAt: 1e12, endedAt: null, status: 'running', parameters: { a: '1' } },
  points: [1, 2].map((step) => ({ metric: 'reward/mean', step, value: step / 4, at: 1e12 + step })),
};

describe('files', () => {
  it('hold a run and its figures, the same however often it is given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'seam-tracked-'));
    const tracker = new FilesTracker(folder);
    expect(await tracker.track({ ...run, points: run.points.slice(0, 1) })).toMatchObject({ added: 1 });
    expect(await tracker.track(run)).toEqual({ added: 1, where: join(folder, 'run-1') });
    expect(await tracker.track(run)).toMatchObject({ added: 0 });
    expect((await readdir(join(folder, 'run-1'))).toSorted()).toEqual(['metrics.jsonl', 'plots.svg', 'run.json']);
    const lines = (await readFile(join(folder, 'run-1', 'metrics.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(run.points);
    const written = JSON.parse(await readFile(join(folder, 'run-1', 'run.json'), 'utf8')) as object;
    expect({ ...written, points: run.points }).toEqual({ version: 1, ...run });
  });

  it('lie in the folder alone, also where a run has an odd name', async () => {
    const tracker = new FilesTracker(await mkdtemp(join(tmpdir(), 'seam-tracked-')));
    for (const id of ['..', '../other', '', 'a/b'])
      await expect(tracker.track({ ...run, id })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a server that is not as MLflow', () => {
  let server: Server;
  let answer: { readonly status: number; readonly body: string };
  const told: (string | undefined)[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      told.push(request.headers.authorization);
      response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['answers something else', 200, '{"runs": 3}', 'INVALID_CONFIGURATION'],
    ['answers no JSON', 200, '<html>', 'INVALID_CONFIGURATION'],
    ['refuses', 403, '{"error_code": "PERMISSION_DENIED", "message": "no"}', 'INVALID_CONFIGURATION'],
    ['leads elsewhere', 302, '', 'INVALID_CONFIGURATION'],
    ['is busy', 503, '', 'ENDPOINT_UNAVAILABLE'],
    ['answers without end', 200, ' '.repeat(9_000_000), 'INVALID_CONFIGURATION'],
  ])('is refused where it %s', async (_, status, body, code) => {
    answer = { status, body };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tracker = new MlflowTracker({ url, experiment: 'e', headers: { authorization: 'Bearer secret' } });
    const tracked = tracker.track(run);
    await expect(tracked).rejects.toMatchObject({ code });
    await expect(tracked).rejects.not.toThrow(/secret/);
    if (body.length > 8_388_608) await expect(tracked).rejects.toThrow('expected at most 8 MiB, got more');
    expect(told.at(-1)).toBe('Bearer secret');
  });
});
