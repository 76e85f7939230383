import { SeamError } from '@seamstream/kernel';
import type { EditOutcome, EditRequest, EditWriter } from './edit-writer.port.js';
import { selfEditKind } from './self-edit-kinds.js';
import { writeEdits } from './write-edits.js';

const SETTINGS = { timeoutMs: 30_000, tries: 3 };

describe('edits by a writer that may fail', () => {
  it('are tried three times, each time with another seed, and then given up with the last reason', async () => {
    const { asked, writer: poor } = writer((seed) =>
      seed === 'good' || seed === 'late/try-3' ? { status: 'written', text: seed } : failed({ reason: `no ${seed}` }),
    );
    const written: string[] = [];
    const outcomes = await writeEdits(poor, ['bad', 'good', 'late'].map(request), {
      ...SETTINGS,
      onWritten: (index, text) => written.push(`${index} ${text}`),
    });
    expect(asked).toEqual([
      ['bad', 'good', 'late'],
      ['bad/try-2', 'late/try-2'],
      ['bad/try-3', 'late/try-3'],
    ]);
    expect(outcomes).toEqual([
      { status: 'failed', code: 'ENDPOINT_FAILED', reason: 'no bad/try-3', tries: 3 },
      { status: 'written', text: 'good' },
      { status: 'written', text: 'late/try-3' },
    ]);
    expect(written).toEqual(['1 good', '2 late/try-3']);
  });

  it('are not tried again where that cannot help', async () => {
    const { asked, writer: poor } = writer(() => failed({ code: 'PROMPT_TOO_LONG', retryable: false }));
    expect(await writeEdits(poor, [request('a')], SETTINGS)).toEqual([
      { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'no', tries: 1 },
    ]);
    expect(asked).toHaveLength(1);
  });

  it('end with the failure that no other edit would escape, after what was written is reported', async () => {
    const { writer: poor } = writer((seed) =>
      seed === 'a' ? { status: 'written', text: 'A' } : failed({ code: 'BUDGET_SPENT', retryable: false, halts: true }),
    );
    const written: string[] = [];
    await expect(
      writeEdits(poor, ['a', 'b'].map(request), { ...SETTINGS, onWritten: (_, text) => written.push(text) }),
    ).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
    expect(written).toEqual(['A']);
  });

  it('end when they are stopped, and with a writer that says nothing about a request', async () => {
    const { writer: whole } = writer(() => failed());
    const stopped: EditWriter = { ...whole, write: () => Promise.reject(new SeamError('ABORTED', 'stopped')) };
    await expect(writeEdits(stopped, [request('a')], SETTINGS)).rejects.toMatchObject({ code: 'ABORTED' });
    const silent: EditWriter = { ...whole, write: () => Promise.resolve() };
    await expect(writeEdits(silent, [request('a')], SETTINGS)).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

function request(passage: string): EditRequest {
  return {
    kind: selfEditKind('facts'),
    passage: { title: null, passage },
    sampling: { temperature: 1, topP: 1, maxTokens: 8 },
    seed: passage,
  };
}

function failed(changes: Partial<EditOutcome> = {}): EditOutcome {
  return { status: 'failed', code: 'ENDPOINT_FAILED', reason: 'no', retryable: true, ...changes } as EditOutcome;
}

/** Writes as the function says, by the seed that it is asked with; the last request first. */
function writer(outcomeOf: (seed: string) => EditOutcome) {
  const asked: string[][] = [];
  const made: EditWriter = {
    identity: { source: 'test', model: 'm', adapter: null, form: '' },
    batch: 2,
    write(requests, { onOutcome }) {
      asked.push(requests.map(({ seed }) => seed));
      requests
        .map((_, index) => index)
        .reverse()
        .forEach((index) => onOutcome(index, outcomeOf(requests[index]!.seed)));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return { asked, writer: made };
}
