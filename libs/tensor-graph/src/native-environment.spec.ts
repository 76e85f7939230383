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

/** What a process of the library has in its environment, as native code sees it: a process that it starts inherits that. */
const SEEN = `
import { execFileSync } from 'node:child_process';
import ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
process.stdout.write(execFileSync('/bin/sh', ['-c', 'echo $NVIDIA_TF32_OVERRIDE']));
`;

describe('ONNX Runtime', () => {
  it('collects nothing about its users', async () => {
    expect(await filesLeft({})).toEqual([]);
  });

  it('would, and does where a setting asks for it', async () => {
    expect((await filesLeft({ ORT_DISABLE_TELEMETRY: '0' })).join()).toContain('deviceid');
  });
});

describe('products on a graphics processor', () => {
  it('are not rounded to TF32', async () => {
    expect(await overrideSeen({})).toBe('0');
  });

  it('are where a setting allows it', async () => {
    expect(await overrideSeen({ NVIDIA_TF32_OVERRIDE: '1' })).toBe('1');
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

async function overrideSeen(environment: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SEEN], {
    env: { PATH: process.env.PATH, ...environment },
  });
  return stdout.trim();
}
