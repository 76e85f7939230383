import { eventsOf } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ behave: () => ({ kind: 'answer', body: chatCompletion('Four.') }) });
});
afterAll(() => gateway.stop());

const FIELDS = ['max_tokens', 'max_completion_tokens'];
const ask = (field: string, most: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: `{"model":"seam","messages":[{"role":"user","content":"How many?"}],"${field}":${most}}`,
  });

describe('the most tokens of an answer', () => {
  it.each(FIELDS.flatMap((field) => ['-1', '0', '1.5', '1e999', '"9"'].map((most) => [field, most] as const)))(
    'are refused as %s: %s, by the name of the field',
    async (field, most) => {
      const answer = await ask(field, most);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({
        error: {
          message: `${field}: expected a whole number, 1 or more`,
          ...{ type: 'invalid_request_error', param: field, code: 'invalid_value' },
        },
      });
      expect(await eventsOf(gateway.log, 'ProblemPublished')).toEqual([]);
    },
  );

  it.each(FIELDS)('may be 1 or null as %s', async (field) => {
    for (const most of ['1', 'null']) expect((await ask(field, most)).status).toBe(200);
  });
});
