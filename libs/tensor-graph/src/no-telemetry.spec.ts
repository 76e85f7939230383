import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Computes an exponential in a process that has a separate home folder. */
const PROGRAM = `
import { Graph, Session } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
const graph = new Graph();
const x = graph.input('x', 'float32', [1]);
graph.output('y', graph.apply('Exp', [x]));
const session = await Session.create(graph, { threads: 1 });
await session.run({ x: { data: Float32Array.of(1), dims: [1] } });
await session.close();
`;

describe('ONNX Runtime', () => {
  it('collects nothing about its users', async () => {
    expect(await filesLeft({})).toEqual([]);
  });

  it('would, and does where a setting asks for it', async () => {
    expect((await filesLeft({ ORT_DISABLE_TELEMETRY: '0' })).join()).toContain('deviceid');
  });
});

/** What stands below the home afterwards. */
async function filesLeft(environment: Record<string, string>): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'telemetry-'));
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      env: { PATH: process.env.PATH, HOME: home, ...environment },
    });
    return await readdir(home, { recursive: true });
  } finally {
    await rm(home, { recursive: true });
  }
}
