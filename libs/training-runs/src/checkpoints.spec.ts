import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { Checkpoints, runFolder } from './checkpoints.js';
import type { Resumable } from './job-runner.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (state: Uint8Array): string => new TextDecoder().decode(state);

describe('the checkpoints of a run', () => {
  it('lie in its folder, named by their step, and the newest is restored', async () => {
    const { objects, checkpoints, newestFirst } = await saved('first', 'second');
    expect(newestFirst.map(({ key }) => key)).toEqual(
      ['000020', '000010'].map((step) => `training/run/step-${step}.safetensors`),
    );
    const work = new Writing();
    expect(await checkpoints.restoreInto(work, newestFirst)).toEqual(newestFirst[0]);
    expect(work.state).toBe('second');
    await checkpoints.deleteAll();
    for await (const { key } of objects.list(runFolder('run'))) throw new Error(key);
  });

  it.each(['OBJECT_CORRUPT', 'CHECKPOINT_INVALID', 'OBJECT_NOT_FOUND'] as const)(
    'give way to the one before where restoring says %s',
    async (code) => {
      const { checkpoints, newestFirst } = await saved('first', 'second');
      const work = new Writing({ second: new SeamError(code, 'Cannot restore.') });
      expect(await checkpoints.restoreInto(work, newestFirst)).toEqual(newestFirst[1]);
      expect(work.state).toBe('first');
    },
  );

  it('give way where the object is gone, or is not the one that was recorded', async () => {
    const { objects, checkpoints, newestFirst } = await saved('first', 'second', 'third');
    await objects.delete(newestFirst[0]!.key);
    await objects.put(newestFirst[1]!.key, bytes('another'));
    const work = new Writing();
    expect(await checkpoints.restoreInto(work, newestFirst)).toEqual(newestFirst[2]);
    expect(await checkpoints.restoreInto(work, newestFirst.slice(0, 2))).toBeUndefined();
    expect(work.state).toBe('first');
  });

  it('end the run where restoring fails for another reason', async () => {
    const { checkpoints, newestFirst } = await saved('first', 'second');
    for (const error of [new SeamError('SESSION_FAILED', 'Cannot compute.'), new TypeError('no state')])
      await expect(checkpoints.restoreInto(new Writing({ second: error }), newestFirst)).rejects.toBe(error);
  });
});

async function saved(...states: readonly string[]) {
  const objects = new InMemoryObjectStore();
  const checkpoints = new Checkpoints(objects, 'run');
  const all = [];
  for (const [index, state] of states.entries())
    all.unshift(await checkpoints.save(Object.assign(new Writing(), { steps: 10 * (index + 1), state })));
  return { objects, checkpoints, newestFirst: all };
}

/** Work whose state is a text; one of `refused` is no state of it. */
class Writing implements Resumable {
  steps = 0;
  state = 'nothing';
  constructor(private readonly refused: Readonly<Record<string, Error>> = {}) {}

  async saveState(): Promise<Uint8Array> {
    return bytes(this.state);
  }

  async restoreState(state: Uint8Array): Promise<void> {
    const refusal = this.refused[textOf(state)];
    if (refusal !== undefined) throw refusal;
    this.state = textOf(state);
  }
}
