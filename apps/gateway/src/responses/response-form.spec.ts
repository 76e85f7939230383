import { responsesRequestSchema } from '@seamstream/gateway-contract';
import { chatChunks } from '@seamstream/testing/model-server';
import fc from 'fast-check';
import { responseForm } from './response-form.decide.js';

interface SeenEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly item_id?: string;
  readonly item?: { readonly id: string };
  readonly response?: { readonly output: readonly object[]; readonly usage: unknown; readonly status: string };
}

const asked = responsesRequestSchema.parse({ model: 'seam', input: 'Why?' });
const form = responseForm(asked, 7);
const eventsIn = (frames: readonly string[]): SeenEvent[] =>
  frames.map((frame) => JSON.parse(frame.split('data: ')[1]!) as SeenEvent);
const chunk = (delta: Readonly<Record<string, unknown>>, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});

describe('a response', () => {
  it('is shown in events whose pieces make up what the last of them says, in one order', () => {
    const piece = fc.oneof(
      fc.record({ content: fc.string({ unit: 'grapheme' }) }),
      fc.record({ refusal: fc.string() }),
      fc.record({
        tool_calls: fc.array(
          fc.record({
            index: fc.nat(3),
            id: fc.string(),
            function: fc.record({ name: fc.string(), arguments: fc.string() }),
          }),
          { maxLength: 3 },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const stream = form.stream('p1');
        const events = eventsIn([...pieces.flatMap((each) => stream.part(chunk(each))), ...stream.end()]);
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
        const { response } = events.at(-1)!;
        const pieceTexts = new Map<string, string>();
        const begun = new Set<string>();
        for (const { type, delta, item, item_id: id } of events) {
          if (type === 'response.output_item.added') begun.add(item!.id);
          if (delta === undefined) continue;
          expect(begun.has(id!)).toBe(true);
          const place = `${id!} ${type.includes('refusal') ? 'refusal' : 'text'}`;
          pieceTexts.set(place, (pieceTexts.get(place) ?? '') + delta);
        }
        const whole = JSON.stringify(response!.output);
        for (const text of pieceTexts.values()) expect(whole).toContain(JSON.stringify(text));
        expect(begun.size).toBe(response!.output.length);
      }),
    );
  });

  it('that stopped at its longest is incomplete, also as a stream', () => {
    const stream = form.stream('p1');
    const events = eventsIn([...stream.part(chunk({ content: 'Fo' }, 'length')), ...stream.end()]);
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } });
  });

  it('has no use of tokens that the executor did not report, and no detail of it', () => {
    const silent = form.whole({ choices: [{ message: { content: '4' } }] }, 'p1') as SeenEvent['response'];
    expect(silent!.usage).toBeNull();
    const stream = form.stream('p1');
    const chunks = chatChunks(['Four.']).filter((each) => typeof each === 'object') as Parameters<
      typeof stream.part
    >[0][];
    const events = eventsIn([...chunks.flatMap((each) => stream.part(each)), ...stream.end()]);
    expect(events.at(-1)!.response!.usage).toEqual({
      ...{ input_tokens: 9, output_tokens: 1, total_tokens: 10 },
      ...{ input_tokens_details: { cached_tokens: null }, output_tokens_details: { reasoning_tokens: null } },
    });
  });

  it('that fails says so after it began, with what it had', () => {
    const stream = form.stream('p1');
    const error = { message: 'broke off', type: 'server_error', param: null, code: 'endpoint_failed' };
    const events = eventsIn([...stream.part(chunk({ content: 'Fo' })), ...stream.failed(error)]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'endpoint_failed', message: 'broke off' }, output: [{}] },
    });
    expect(eventsIn(form.stream('p2').failed(error)).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
  });
});
