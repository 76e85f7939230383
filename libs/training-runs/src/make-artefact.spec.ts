import { InMemoryEventLog } from '@seamstream/event-log';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { MakeArtefact } from './make-artefact.js';

describe('an artefact', () => {
  it('is not made where the runner of the method carries out jobs of another kind', async () => {
    const jobs: string[] = [];
    const run = ({ kind }: { readonly kind: string }) => {
      jobs.push(kind);
      return Promise.resolve({ status: 'refused', reason: 'it is only counted', metrics: {} });
    };
    await expect(makingOf('gradient', run)).resolves.toMatchObject({ reason: 'it is only counted' });
    await expect(makingOf('library', run)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('expected one of kind library, got gradient'),
    });
    expect(jobs).toEqual(['gradient']);
  });
});

/** Of a method whose jobs are of the kind gradient. */
function makingOf(kind: string, run: unknown): Promise<unknown> {
  const method = {
    recipes: new Map([['any', { reads: 'problems' }]]),
    plan: () => ({ status: 'ready', job: { kind: 'gradient' } }),
  };
  const methods = new Map([['any', { method, runner: { kind, run, baseModelDigest: 'b' } }]]);
  const quiet = { warn: () => undefined };
  const parts = { log: new InMemoryEventLog(), objects: new InMemoryObjectStore(), methods, logger: quiet };
  const plan = { runId: 'run', method: 'any', algorithm: 'any', baseModelDigest: 'b', inputs: [], configuration: {} };
  const making = new MakeArtefact({ ...parts, lines: quiet, onProgress: () => undefined } as never);
  const signal = new AbortController().signal;
  return making.make(plan as never, null, { signal, checkpoints: [] });
}
