/** Server-sent events of a body (https://html.spec.whatwg.org/multipage/server-sent-events.html), as the gateway writes them: lines end with \n. */

export interface Message {
  /** Of this message or of one before it; '' where none had any. */
  readonly id: string;
  readonly data: string;
}

/** @param alive is called for all that comes, comments too */
export async function* messagesIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  alive: () => void = () => undefined,
): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, id] = ['', ''];
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      alive();
      const blocks = (rest + next.value).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data: string[] = [];
        for (const line of block.split('\n')) {
          const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
          if (name === 'id') id = value;
          else if (name === 'data') data.push(value);
        }
        if (data.length > 0) yield { id, data: data.join('\n') };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
