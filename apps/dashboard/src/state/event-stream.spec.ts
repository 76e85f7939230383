import fc from 'fast-check';
import { type Message, messagesIn } from './event-stream.js';

async function read(text: string, cuts: readonly number[]): Promise<Message[]> {
  const bytes = new TextEncoder().encode(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const [index, end] of ends.entries()) controller.enqueue(bytes.slice(ends[index - 1] ?? 0, end));
      controller.close();
    },
  });
  const messages: Message[] = [];
  for await (const message of messagesIn(body)) messages.push(message);
  return messages;
}

describe('a stream of events', () => {
  it('gives the same messages however it was cut on its way', async () => {
    const words = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ''));
    const message = fc.record({ id: words, data: words });
    await fc.assert(
      fc.asyncProperty(fc.array(message), fc.array(fc.nat()), async (messages, cuts) => {
        const text = messages.map(({ id, data }) => `event: change\nid: ${id}\ndata: ${data}\n\n: alive\n\n`).join('');
        expect(await read(`retry: 1000\n\n${text}`, cuts)).toEqual(messages);
      }),
    );
  });

  it('leaves out what its end cut off, and keeps an id for messages without one', async () => {
    expect(await read('id: 1\ndata: a\n\ndata: b\ndata: c\n\nid: 2\ndata: lost', [])).toEqual([
      { id: '1', data: 'a' },
      { id: '1', data: 'b\nc' },
    ]);
  });
});
