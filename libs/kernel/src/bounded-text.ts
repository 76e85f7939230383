/**
 * The text of an answer over HTTP.
 * @throws RangeError at the first byte too many; nothing is read beyond it
 */
export async function textWithin(maxBytes: number, response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError(`an answer of more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
