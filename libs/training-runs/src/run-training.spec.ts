/** What becomes of a run's folder at its end. */
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore, type InMemoryObjects } from '@seamstream/object-store';
import type { RunHolder } from './hold-run.js';
import { RunTraining } from './run-training.js';

describe('the end of a run', () => {
  it('is recorded first, and then its folder is deleted', async () => {
    const { training, stored } = world();
    const kept: number[] = [];
    await training.carryOut(
      PLAN,
      holder(async () => void kept.push(stored.size)),
    );
    expect([kept, stored.size]).toEqual([[2], 0]);
  });

  it('leaves the folder alone where this worker has lost the run: checkpoints and lease are of the new holder', async () => {
    const { training, stored } = world();
    const fenced = new SeamError('FENCED', 'Cannot commit: another holds the run.');
    await expect(
      training.carryOut(
        PLAN,
        holder(() => Promise.reject(fenced)),
      ),
    ).rejects.toBe(fenced);
    expect(stored.size).toBe(2);
  });

  it('stands where its folder cannot be deleted', async () => {
    const { training, stored } = world({ isWritable: false });
    const recorded: unknown[] = [];
    const ending = await training.carryOut(
      PLAN,
      holder(async (events) => recorded.push(...events)),
    );
    expect([recorded, stored.size]).toEqual([[ending], 2]);
  });
});

describe('a published artefact that must not be served', () => {
  it('is refused for what it is, without being measured: an earlier release may have published it', async () => {
    const hindranceTo = (artefact: unknown, parent: unknown): string => `${String(artefact)} over ${String(parent)}`;
    const { training } = world({
      completed: { runner: { hindranceTo, load: ({ key }: { key: string }) => Promise.resolve(`the library ${key}`) } },
    });
    const ending = await training.carryOut(
      PLAN,
      holder(async () => undefined),
    );
    expect(ending).toMatchObject({
      type: 'TrainingRunRejected',
      evaluation: null,
      reason: 'the library k over null',
    });
  });
});

/** Of a method that this version does not have: the run fails at once. */
const PLAN = { runId: 'run', method: 'none', algorithm: 'none', parentAdapter: null, configuration: {} } as never;

function holder(record: RunHolder['record']): RunHolder {
  return { signal: new AbortController().signal, record };
}

function world({ isWritable = true, completed }: { isWritable?: boolean; completed?: { runner: unknown } } = {}) {
  const stored: InMemoryObjects = new Map();
  const objects = new InMemoryObjectStore(stored);
  for (const name of ['step-000002.safetensors', 'lease.json'])
    stored.set(`training/run/${name}`, { body: new Uint8Array(), etag: name });
  if (!isWritable) objects.delete = () => Promise.reject(new SeamError('OBJECT_STORE_UNAVAILABLE', 'Cannot delete.'));
  const meta = { messageId: 'm', correlationId: 'c', causationId: null, occurredAt: 0, source: 's' };
  const started = {
    type: 'TrainingRunStarted',
    runId: 'run',
    meta,
    algorithm: 'none',
    configuration: { algorithm: {} },
  };
  const stands =
    completed === undefined
      ? { status: 'started', checkpoints: [] }
      : { status: 'completed', adapter: { adapterDigest: 'a', key: 'k' }, metrics: {} };
  const run = { ...stands, started, plan: started, queue: null };
  const methods = new Map(completed === undefined ? [] : [['none', { method: {}, ...completed }]]);
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const history = {
    read: () => Promise.resolve({ runs: new Map([['run', run]]), published: new Map(), slots: new Map() }),
  };
  const dependencies = { objects, history, clock: { now: () => 0 }, logger: quiet, methods };
  const retrying = { maxAttempts: 1, firstRetryMs: 1, maxRetryMs: 1 };
  return { training: new RunTraining(dependencies as never, { checkpointEverySteps: 1, retrying }), stored };
}
