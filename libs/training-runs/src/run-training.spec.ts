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

/** Of a method that this version does not have: the run fails at once. */
const PLAN = { runId: 'run', method: 'none', algorithm: 'none', parentAdapter: null, configuration: {} } as never;

function holder(record: RunHolder['record']): RunHolder {
  return { signal: new AbortController().signal, record };
}

function world({ isWritable = true } = {}) {
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
  const run = { status: 'started', started, plan: started, queue: null, checkpoints: [] };
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const history = {
    read: () => Promise.resolve({ runs: new Map([['run', run]]), published: new Map(), slots: new Map() }),
  };
  const dependencies = { objects, history, clock: { now: () => 0 }, logger: quiet, methods: new Map() };
  const retrying = { maxAttempts: 1, firstRetryMs: 1, maxRetryMs: 1 };
  return { training: new RunTraining(dependencies as never, { checkpointEverySteps: 1, retrying }), stored };
}
