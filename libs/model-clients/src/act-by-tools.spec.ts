import { actingCompletionSchema } from '@seamstream/openai-endpoint';
import { chatCompletion, toolCalls } from '@seamstream/testing/model-server';
import type { ToolBox, ToolResult } from '@seamstream/tool-servers';
import fc from 'fast-check';
import { type ActingSettings, type AskedModel, actingByTools } from './act-by-tools.js';

const DECODING = { temperature: 0, topP: 1, maxTokens: 8, seed: null, stop: [], extraBody: {} };
const LIMITS = { maxTurns: 4, maxCalls: 5, maxTokens: 200, maxWrongCalls: 1 };

describe('a model that acts by tools', () => {
  it('ends within its bounds and calls what is allowed alone, for any answers and any results', async () => {
    const call = fc.tuple(
      fc.constantFrom('look', 'fly', '', '__proto__', 'look'),
      fc.constantFrom<unknown>({}, { a: 1 }, '[]', '{', 'null', '"x"', ''),
    );
    const turn = fc.oneof(
      { weight: 4, arbitrary: fc.array(call, { maxLength: 4 }).map((calls) => toolCalls(calls, { promptTokens: 20 })) },
      { weight: 1, arbitrary: fc.constantFrom('', 'words').map((said) => chatCompletion(said)) },
      { weight: 1, arbitrary: fc.constant(toolCalls([['look', {}]], { finishReason: 'length' })) },
    );
    const limits = fc.record({
      maxTurns: fc.integer({ min: 1, max: 5 }),
      maxCalls: fc.integer({ min: 1, max: 6 }),
      maxTokens: fc.integer({ min: 1, max: 120 }),
      maxWrongCalls: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 8 }), fc.string(), limits, async (turns, told, bounds) => {
        const answers = turns.filter((each) => actingCompletionSchema.safeParse(each).success);
        const model = modelOf([...answers, chatCompletion('at last')]);
        const box = boxOf(() => ({ kind: 'result', text: told, isError: false }));
        const answer = await answerBy(model, box, bounds);
        if (answer.status !== 'answered') throw new Error('expected an answer');
        const { promptTokens, responseTokens, toolCalls: calls = [], finished, ended } = answer;
        expect(model.asked.length).toBeLessThanOrEqual(bounds.maxTurns);
        expect(calls.length).toBeLessThanOrEqual(bounds.maxCalls);
        expect(calls.filter(({ outcome }) => outcome === 'refused').length).toBeLessThanOrEqual(bounds.maxWrongCalls);
        const lastTurn = model.asked.length === 0 ? 0 : 23;
        expect(promptTokens + responseTokens - lastTurn).toBeLessThan(bounds.maxTokens);
        expect(box.called.every(([name]) => name === 'look')).toBe(true);
        expect(box.called).toHaveLength(calls.filter(({ outcome }) => outcome !== 'refused').length);
        expect(finished).toBe(ended === undefined);
      }),
    );
  });

  it('gets results, and why calls were not made, each next to its call', async () => {
    const model = modelOf([
      toolCalls([
        ['look', { at: 'it' }],
        ['fly', {}],
      ]),
      chatCompletion('seen'),
    ]);
    const answer = await answerBy(
      model,
      boxOf(() => ({ kind: 'result', text: 'a <|im_end|>', isError: true })),
    );
    const [, called, first, second] = model.asked[1]!.messages as unknown as Record<string, unknown>[];
    expect(called).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call_0' }, { id: 'call_1' }] });
    expect(first).toEqual({ role: 'tool', tool_call_id: 'call_0', content: 'a <|im_end|>' });
    expect(second).toMatchObject({ tool_call_id: 'call_1', content: 'The call was not made: no tool fly.' });
    expect(answer).toMatchObject({
      text: 'seen',
      finished: true,
      promptTokens: 18,
      toolCalls: [
        { turn: 1, tool: 'look', arguments: '{"at":"it"}', outcome: 'error', result: 'a <|im_end|>' },
        { turn: 1, tool: 'fly', outcome: 'refused' },
      ],
    });
  });

  it('has failed where it called wrongly too often, and says how; nothing of that turn is called', async () => {
    const box = boxOf(() => ({ kind: 'result', text: 'x', isError: false }));
    const wrong = toolCalls([
      ['look', {}],
      ['fly', {}],
    ]);
    const answer = await answerBy(modelOf([wrong]), box, { ...LIMITS, maxWrongCalls: 0 });
    expect(answer).toMatchObject({ status: 'answered', finished: false, ended: 'it called fly wrongly: no tool fly' });
    expect(box.called).toEqual([]);
  });

  it('that runs into its time, or whose server fails, has not failed: there is no answer', async () => {
    const slow = boxOf(
      (signal) =>
        new Promise((_, reject) =>
          signal!.addEventListener('abort', () => reject(signal!.reason as Error), { once: true }),
        ),
    );
    const late = await answerBy(modelOf([toolCalls([['look', {}]])]), slow, LIMITS, { timeMs: 50 });
    expect(late).toMatchObject({ status: 'failed', code: 'ENDPOINT_FAILED', retryable: true });
    const failing = {
      kind: 'failed',
      code: 'ENDPOINT_UNAVAILABLE',
      reason: 'gone',
      retryable: true,
      halts: false,
    } as const;
    const failed = await answerBy(
      modelOf([toolCalls([['look', {}]])]),
      boxOf(() => failing),
    );
    expect(failed).toEqual({ status: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason: 'gone', retryable: true });
    const stopping = new AbortController();
    const stopped = answerBy(modelOf([toolCalls([['look', {}]])]), slow, LIMITS, { signal: stopping.signal });
    stopping.abort();
    await expect(stopped).rejects.toBeDefined();
  });

  it('is recorded with the beginning of long texts and the digest of the whole', async () => {
    const model = modelOf([toolCalls([['look', { text: 'y'.repeat(5000) }]]), chatCompletion('seen')]);
    const answer = await answerBy(
      model,
      boxOf(() => ({ kind: 'result', text: 'x'.repeat(9000), isError: false })),
    );
    const [call] = answer.status === 'answered' ? answer.toolCalls! : [];
    expect([call!.arguments, call!.result].map((text) => Buffer.byteLength(text))).toEqual([1024, 2048]);
    expect(call!.resultDigest).toMatch(/^[0-9a-f]{64}$/);
    expect((model.asked[1]!.messages.at(-1) as { content: string }).content).toHaveLength(9000);
  });
});

/** Answers in turn, as an endpoint reads them. */
function modelOf(answers: readonly unknown[]): AskedModel & { readonly asked: Parameters<AskedModel['ask']>[0][] } {
  const asked: Parameters<AskedModel['ask']>[0][] = [];
  return {
    asked,
    ask: (request, signal) => {
      asked.push({ ...request, messages: [...request.messages] });
      signal?.throwIfAborted();
      return Promise.resolve({ status: 'completed', completion: request.schema.parse(answers[asked.length - 1]) });
    },
  };
}

/** With one tool, `look`. */
function boxOf(
  act: (signal?: AbortSignal) => ToolResult | Promise<ToolResult>,
): ToolBox & { readonly called: (readonly [string, unknown])[] } {
  const called: (readonly [string, unknown])[] = [];
  return {
    called,
    offered: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
    digest: 'd',
    fault: (name) => (name === 'look' ? undefined : `no tool ${name}`),
    call: async (name, args, signal) => {
      called.push([name, args]);
      return act(signal);
    },
  };
}

function answerBy(
  model: AskedModel,
  box: ToolBox,
  limits: ActingSettings['limits'] = LIMITS,
  { timeMs = 60_000, signal }: { readonly timeMs?: number; readonly signal?: AbortSignal } = {},
): ReturnType<ReturnType<typeof actingByTools>['answer']> {
  const way = actingByTools(box, { limits, timeMs, concurrency: 1 });
  return way.answer(model, 'What is it?', { ...DECODING, maxTokensField: 'max_tokens' }, signal);
}
