const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * The lines of a text as slices of its bytes (no copies): broken at LF or CRLF, the last with or without a break, a
 * UTF-8 byte order mark at the start passed over.
 */
export function* splitLines(bytes: Uint8Array): Iterable<Uint8Array> {
  let start = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    const withoutReturn = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    yield bytes.subarray(start, withoutReturn);
    start = end + 1;
  }
}
