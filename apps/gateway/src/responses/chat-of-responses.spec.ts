import { responsesRequestSchema } from '@seamstream/gateway-contract';
import fc from 'fast-check';
import { ZodError } from 'zod';
import { ApiError } from '../http/api-error.js';
import { asApiError } from '../http/errors.filter.js';
import { chatOf } from './chat-of-responses.decide.js';

const read = (fields: object) => chatOf(responsesRequestSchema.parse({ model: 'seam', input: 'Why?', ...fields }));
const faultOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('a request for a response', () => {
  it('is the chat request that says the same', () => {
    const parameters = { type: 'object' };
    const asked = {
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Add.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I add.', annotations: [] }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'add', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'add', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '1' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'And this?' },
            { type: 'input_image', image_url: 'data:x', detail: 'low' },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'add', parameters, strict: true }],
      tool_choice: { type: 'function', name: 'add' },
      text: { format: { type: 'json_schema', name: 'sum', schema: parameters, strict: true }, verbosity: 'low' },
      reasoning: { effort: 'low' },
      max_output_tokens: 9,
      ...{ temperature: 0.5, stream: true, seam: { domain: 'sums' }, top_k: 3 },
      ...{ store: false, include: ['reasoning.encrypted_content'], truncation: 'disabled', previous_response_id: null },
    };
    const call = (id: string) => ({ id, type: 'function', function: { name: 'add', arguments: '{}' } });
    expect(read(asked)).toEqual({
      ...{ model: 'seam', temperature: 0.5, stream: true, seam: { domain: 'sums' }, top_k: 3 },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Add.' },
        { role: 'assistant', content: 'I add.', tool_calls: [call('c1'), call('c2')] },
        { role: 'tool', tool_call_id: 'c1', content: '1' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And this?' },
            { type: 'image_url', image_url: { url: 'data:x', detail: 'low' } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'add', parameters, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'add' } },
      response_format: { type: 'json_schema', json_schema: { name: 'sum', schema: parameters, strict: true } },
      ...{ verbosity: 'low', reasoning_effort: 'low', max_completion_tokens: 9 },
    });
  });

  it.each([
    ['store', { store: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['truncation', { truncation: 'auto' }],
    ['prompt', { prompt: { id: 'p' } }],
    ['include', { include: ['web_search_call.results'] }],
    ['reasoning.summary', { reasoning: { summary: 'auto' } }],
    ['messages', { messages: [{ role: 'user', content: 'Another question' }] }],
  ])('that needs %s is refused by the name of the field', (param, fields) => {
    const error = { param, code: 'unsupported_parameter' };
    expect(faultOf(() => read(fields))).toMatchObject({ status: 400, body: { error } });
  });

  it.each([
    [
      'input.1.call_id',
      {
        input: [
          { role: 'user', content: 'a' },
          { type: 'function_call', name: 'f' },
        ],
      },
    ],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input.0.content.0.image_url', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
  ])('with a fault in %s says where it is', (param, fields) => {
    const { error } = responsesRequestSchema.safeParse({ model: 'seam', input: 'Why?', ...fields });
    expect(asApiError(error).body.error.param).toBe(param);
  });

  it('of any shape is translated or refused by a complaint about it, and its words stay its own', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const text = fc.string({ unit: 'grapheme' });
    const part = fc.record({
      type: fc.constantFrom('input_text', 'output_text', 'refusal', 'input_image', 'other'),
      text,
      refusal: text,
      image_url: text,
    });
    const item = fc.record(
      {
        type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning'),
        role: fc.constantFrom('user', 'assistant', 'developer', 'tool'),
        content: fc.oneof(text, fc.array(part)),
        ...{ call_id: text, name: text, arguments: text, output: fc.oneof(text, fc.array(part)) },
      },
      { requiredKeys: [] },
    );
    const keys = fc.constantFrom(
      'tools',
      'text',
      'store',
      'include',
      'reasoning',
      'tool_choice',
      '__proto__',
      'n',
      'odd',
    );
    const body = fc.tuple(fc.oneof(text, fc.array(item, { minLength: 1 })), fc.dictionary(keys, json));
    fc.assert(
      fc.property(body, ([input, more]) => {
        try {
          const { messages } = read({ ...more, input });
          const items = typeof input === 'string' ? [{ content: input }] : input;
          const said = items.map(({ content }) => content).filter((each) => typeof each === 'string');
          const shown = JSON.stringify(messages);
          for (const each of said) expect(shown).toContain(JSON.stringify(each));
          expect(messages.every(({ role }) => role !== 'system')).toBe(true);
        } catch (error) {
          if (!(error instanceof ApiError) && !(error instanceof ZodError)) throw error;
        }
      }),
    );
  });
});
