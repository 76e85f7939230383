// The thread of one target: makes inputs, gives them to the target, reports what is wrong. See run.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { ERROR_CODES, isSeamError, Random } from '@seamstream/kernel';
import { damaged } from './damage.mjs';

const { path, shared, seed, limits, corpus, round } = workerData;
const head = new Int32Array(shared, 0, 3);
const place = new Uint8Array(shared, 12);
const begin = performance.now();

const target = await import(pathToFileURL(path));
const files = existsSync(corpus)
  ? readdirSync(corpus)
      .sort()
      .map((file) => readFileSync(join(corpus, file)))
  : [];
const seeds = [...files, ...(await target.seeds)].map((each) => Uint8Array.from(each));
if (seeds.length === 0) throw new Error(`target ${target.name}: expected seeds, found none`);
const random = Random.of('fuzz', target.name, seed);
const refused = {};
let slowestMs = 0;
let current = new Uint8Array();

const fault = (error) =>
  parentPort.postMessage({ kind: 'fault', text: String(error?.stack ?? error), bytes: current.slice() });
process.on('unhandledRejection', (error) => fault(new Error(`an unhandled rejection: ${error?.stack ?? error}`)));

async function give(bytes) {
  current = bytes.subarray(0, place.length);
  place.set(current);
  head[1] = current.length;
  head[2] = 1;
  const cpu = process.threadCpuUsage();
  try {
    await target.run(current.slice());
  } catch (error) {
    if (isSeamError(error) && Object.hasOwn(ERROR_CODES, error.code) && error.code !== 'INTERNAL')
      refused[error.code] = (refused[error.code] ?? 0) + 1;
    else fault(error);
  }
  // Unhandled rejections are reported between two turns of the event loop: while this input is the current one.
  await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.threadCpuUsage(cpu);
  slowestMs = Math.max(slowestMs, (user + system) / 1000);
  head[2] = 0;
  head[0]++;
}

// A thread that takes the place of one that hung does not give the same again.
if (round === 0) for (const bytes of seeds) await give(bytes);
while (head[0] < limits.most && performance.now() - begin < limits.endsAt)
  await give(
    target.mutate === undefined || random.int(4) === 0 ? damaged(random, seeds) : await target.mutate(random, seeds),
  );
await new Promise((resolve) => setTimeout(resolve, 20));
parentPort.postMessage({ kind: 'done', refused, slowestMs });
