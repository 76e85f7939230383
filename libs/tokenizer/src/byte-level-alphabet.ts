/**
 * The byte-level alphabet of GPT-2 (bytes_to_unicode in openai/gpt-2 src/encoder.py): each byte is written as a visible
 * character, printable Latin-1 bytes as themselves and the other 68 as U+0100 and up, so that tokens are text.
 */
function isItself(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

/** The character of each byte. */
export const byteToUnicode: readonly string[] = (() => {
  let shifted = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isItself(byte) ? byte : 0x100 + shifted++));
})();

const BYTES = new Map(byteToUnicode.map((character, byte) => [character.charCodeAt(0), byte]));

/** The byte of each character, by its UTF-16 code; -1 where the alphabet has none. */
export const BYTE_BY_CODE: Int16Array = Int16Array.from(
  { length: Math.max(...BYTES.keys()) + 1 },
  (_, code) => BYTES.get(code) ?? -1,
);
