/** Both writers of self-edits: a generator's model with its adapter, and a teacher behind an endpoint. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeamError } from '@seamstream/kernel';
import type { GeneratorModel } from '@seamstream/rollout';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import {
  type EditOutcome,
  type EditRequest,
  type EditWriter,
  ownSelfEditKind,
  selfEditKind,
} from '@seamstream/self-edits';
import { chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { openTeacher, type TeacherSettings } from './edit-writer.endpoint.adapter.js';
import { LanguageModelEditWriter } from './edit-writer.language-model.adapter.js';
import { openSimilarity } from './similarity.endpoint.adapter.js';

const request = (passage: string, changes: Partial<EditRequest> = {}): EditRequest => ({
  kind: selfEditKind('implications'),
  passage: { title: null, passage },
  sampling: { temperature: 1, topP: 1, maxTokens: 40 },
  seed: passage,
  ...changes,
});

async function outcomesOf(
  writer: EditWriter,
  requests: readonly EditRequest[],
  changes: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<EditOutcome[]> {
  const outcomes: EditOutcome[] = [];
  await writer.write(requests, {
    timeoutMs: 30_000,
    ...changes,
    onOutcome(index, outcome) {
      expect(outcomes[index]).toBeUndefined();
      outcomes[index] = outcome;
    },
  });
  return outcomes;
}

describe('a generator that writes edits', () => {
  const tokenizer = fakeTokenizer(['Ada was born in 1815.']);
  const generator = (): FakeGenerator => new FakeGenerator(tokenizer);

  it('writes the same edit for the same seed, regardless of what else is asked, and with an adapter what that has learned', async () => {
    const model = generator();
    const adapter = model.teach('edits', () => JSON.stringify({ edit: 'Ada is old.\nShe wrote.' }));
    const bare = new LanguageModelEditWriter(model, { adapter: null, batch: 2 });
    const [alone] = await outcomesOf(bare, [request('Ada.')]);
    const [, among] = await outcomesOf(bare, [request('Bob.'), request('Ada.')]);
    expect(alone).toMatchObject({ status: 'written' });
    expect(among).toEqual(alone);
    expect(await outcomesOf(bare, [request('Ada.', { seed: 'other' })])).not.toEqual([alone]);
    const taught = new LanguageModelEditWriter(model, { adapter, batch: 2 });
    expect(
      await outcomesOf(taught, [request('Ada.', { sampling: { temperature: 0, topP: 1, maxTokens: 60 } })]),
    ).toEqual([{ status: 'written', text: 'Ada is old.\nShe wrote.' }]);
    expect(taught.identity).toEqual({ ...bare.identity, adapter: adapter.digest });
  });

  it('says of a passage that does not fit that no try will help, and writes the others', async () => {
    const writer = new LanguageModelEditWriter(generator(), { adapter: null, batch: 2 });
    const [long, short] = await outcomesOf(writer, [request('long '.repeat(500)), request('Ada.')]);
    expect(long).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG', retryable: false });
    expect(short).toMatchObject({ status: 'written' });
  });

  it('keeps what is finished when the time is over, and says of the rest that it was late', async () => {
    const model = generator();
    const slow: GeneratorModel = {
      ...{ digest: model.digest, config: model.config, tokenizer: model.tokenizer },
      async generate(requests, { onProgress, signal } = {}) {
        const [candidates] = await model.generate(requests.slice(0, 1));
        onProgress?.({ tokens: 1, finished: [{ request: 0, candidates: candidates! }] });
        if (signal?.aborted === false) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new SeamError('ABORTED', 'ended');
      },
    };
    const writer = new LanguageModelEditWriter(slow, { adapter: null, batch: 2 });
    const [first, second] = await outcomesOf(writer, [request('Ada.'), request('Bob.')], { timeoutMs: 50 });
    expect(first).toMatchObject({ status: 'written' });
    expect(second).toMatchObject({ status: 'failed', code: 'DEADLINE_EXCEEDED', retryable: true });
    const stop = AbortSignal.abort();
    await expect(outcomesOf(writer, [request('Ada.')], { signal: stop })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('takes the end of a thread for a failure, and a fault of the model for one of all edits', async () => {
    const model = generator();
    const writer = new LanguageModelEditWriter(model, { adapter: null, batch: 2 });
    model.generate = () => Promise.reject(new SeamError('SESSION_FAILED', 'a thread ended'));
    expect(await outcomesOf(writer, [request('Ada.')])).toMatchObject([{ code: 'SESSION_FAILED', retryable: true }]);
    model.generate = () => Promise.reject(new SeamError('ADAPTER_INVALID', 'another base'));
    await expect(outcomesOf(writer, [request('Ada.')])).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
  });
});

describe('a teacher behind an endpoint', () => {
  let server: ModelServer;
  const writers: EditWriter[] = [];
  beforeEach(async () => {
    server = await ModelServer.start(() => ({
      kind: 'answer',
      body: chatCompletion(' It follows.\r\nAnd <|im_end|>. '),
    }));
  });
  afterEach(async () => {
    for (const writer of writers.splice(0)) await writer.close();
    await server.stop();
  });
  const teacher = (changes: Partial<TeacherSettings> = {}): EditWriter => {
    const writer = openTeacher({ url: server.url, model: 'big', timeoutMs: 2_000, ...changes }, { KEY: 'sk-1' });
    writers.push(writer);
    return writer;
  };

  it('is asked with messages, sampling and a seed, and its text is made plain', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'kind-')), 'brief.json');
    const examples = [{ passage: 'Bob died.', edit: 'Bob: dead.' }];
    writeFileSync(file, JSON.stringify({ template: 'Sum up: {passage}', system: 'You are brief.', examples }));
    const kind = ownSelfEditKind(file);
    expect(await outcomesOf(teacher({ keyVariable: 'KEY' }), [request('Ada.', { kind, seed: 'x' })])).toEqual([
      { status: 'written', text: 'It follows.\nAnd < |im_end| >.' },
    ]);
    const [{ body, headers }] = server.seen as [(typeof server.seen)[number]];
    expect(headers.authorization).toBe('Bearer sk-1');
    expect(body).toMatchObject({ model: 'big', temperature: 1, top_p: 1, max_tokens: 40, seed: expect.any(Number) });
    expect(body!.messages).toEqual([
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: 'Sum up: Bob died.' },
      { role: 'assistant', content: 'Bob: dead.' },
      { role: 'user', content: 'Sum up: Ada.' },
    ]);
  });

  it('fails by request: a hang ends with its time, a blank text and a refusal are no edits', async () => {
    server.behave = ({ body }) => {
      const { content } = (body!.messages as { content: string }[]).at(-1)!;
      if (content.includes('hang')) return { kind: 'hang' };
      if (content.includes('blank')) return { kind: 'answer', body: chatCompletion(' \n') };
      if (content.includes('filter'))
        return { kind: 'answer', body: chatCompletion('x', { finishReason: 'content_filter' }) };
      return { kind: 'answer', body: chatCompletion('Fine.') };
    };
    const asked = ['hang', 'blank', 'filter', 'well'].map((each) => request(each));
    expect(await outcomesOf(teacher({ timeoutMs: 300 }), asked)).toMatchObject([
      { status: 'failed', code: 'ENDPOINT_FAILED', retryable: true },
      { status: 'failed', code: 'ENDPOINT_FAILED', retryable: true },
      { status: 'failed', code: 'ENDPOINT_REFUSED', retryable: false },
      { status: 'written', text: 'Fine.' },
    ]);
    expect(server.seen).toHaveLength(4);
  });

  it('compares meanings by the cosine of embeddings, and says why it cannot', async () => {
    server.behave = ({ body }) => {
      const vectors = (body!.input as string[]).map((text, index) => ({
        index,
        embedding: text.startsWith('Ada') ? [1, 1] : [1, 0],
      }));
      return { kind: 'answer', body: { data: vectors.reverse(), usage: { prompt_tokens: 1 } } };
    };
    const similarity = openSimilarity({ url: server.url, model: 'e', keyVariable: 'KEY' }, { KEY: 'sk-1' });
    const measured = await similarity.similarities([
      ['Ada.', 'Ada wrote.'],
      ['Ada.', 'Bob.'],
    ]);
    expect(measured.map((each) => Number(each.toFixed(6)))).toEqual([1, 0.707107]);
    expect(server.seen[0]).toMatchObject({
      url: '/v1/embeddings',
      body: { model: 'e', input: ['Ada.', 'Ada wrote.'] },
    });
    server.behave = () => ({ kind: 'answer', status: 400, body: { error: { message: 'no' } } });
    await expect(similarity.similarities([['a', 'b']])).rejects.toMatchObject({ code: 'ENDPOINT_REFUSED' });
    await similarity.close();
  });

  it('halts with a key that is refused and with a budget that is spent', async () => {
    expect(await outcomesOf(teacher({ budgetTokens: 10 }), [request('a')])).toMatchObject([
      { status: 'failed', code: 'BUDGET_SPENT', halts: true },
    ]);
    server.behave = () => ({ kind: 'answer', status: 401, body: '' });
    expect(await outcomesOf(teacher(), [request('a')])).toMatchObject([{ code: 'INVALID_CONFIGURATION', halts: true }]);
    expect(() => teacher({ keyVariable: 'NONE' })).toThrow('the environment variable NONE, which is not set');
  });

  it('keeps so many requests under way as it may', async () => {
    server.behave = async () => {
      await sleep(20);
      return { kind: 'answer', body: chatCompletion('Fine.') };
    };
    const writer = teacher({ concurrency: 3 });
    await outcomesOf(
      writer,
      Array.from({ length: writer.batch }, (_, index) => request(`p${index}`)),
    );
    expect(server.mostAtOnce).toBe(3);
  });
});
