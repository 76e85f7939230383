import { ledgerProjection } from '@seamstream/read-models';
import { eventsOf } from '@seamstream/testing';
import { chatChunks, chatCompletion } from '@seamstream/testing/model-server';
import OpenAI from 'openai';
import { ENTRY, type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let gateway: GatewayUnderTest | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function start(
  setting: Parameters<typeof startGateway>[0],
): Promise<{ gateway: GatewayUnderTest; client: OpenAI }> {
  gateway = await startGateway(setting);
  return { gateway, client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 }) };
}

const QUESTION = [{ role: 'user' as const, content: 'How many?' }];
const REQUEST = { model: 'seam', messages: QUESTION };

describe('a chat completion', () => {
  it('is answered with the experience in the system message, and is recorded', async () => {
    const { gateway, client } = await start({ behave: () => ({ kind: 'answer', body: chatCompletion('Four.') }) });
    const { data, response, request_id } = await client.chat.completions.create(REQUEST).withResponse();
    expect(data.choices[0]).toMatchObject({ message: { content: 'Four.' }, finish_reason: 'stop' });
    expect(request_id).toMatch(/^req_/);
    const [published] = await eventsOf(gateway.log, 'ProblemPublished');
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(published).toMatchObject({ problem: { prompt: 'How many?', verifier: null }, answeredBy: 'seam/gateway' });
    expect(answer).toMatchObject({
      response: 'Four.',
      entry: ENTRY,
      arm: 'deploy',
      promptTokens: 9,
      responseTokens: 3,
    });
    expect(response.headers.get('x-seam-problem-id')).toBe(published!.problem.problemId);
    expect(data.id).toBe(`chatcmpl-${published!.problem.problemId}`);
    const [asked] = gateway.upstream.seen;
    expect(asked!.body).toMatchObject({ model: 'tiny', messages: [{ role: 'system' }, QUESTION[0]] });
    expect(JSON.stringify(asked!.body)).toContain('count twice');
    void ledgerProjection;
  });

  it('streams, without the usage that was not asked for', async () => {
    const { gateway, client } = await start({ behave: () => ({ kind: 'events', data: chatChunks(['Fo', 'ur.']) }) });
    const stream = await client.chat.completions.create({ ...REQUEST, stream: true });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Four.');
    expect(chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(gateway.upstream.seen[0]!.body).toMatchObject({ stream_options: { include_usage: true } });
    const [answer] = await eventsOf(gateway.log, 'AnswerRecorded');
    expect(answer).toMatchObject({ response: 'Four.', promptTokens: 9, responseTokens: 2, cutBy: null });
  });
});
