/**
 * Text that may be shown. What comes from a log, a file or a server is untrusted: a control character in it could move a terminal's
 * cursor, set its title or write its clipboard, and an address in it may carry a password.
 */

// C0 and C1 controls, DEL, line and paragraph separators, and the marks that reorder text (Unicode TR 36, section 3.6.1).
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with every control character written as an escape, line breaks too. */
export function onOneLine(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As {@link onOneLine}, but for line breaks: for messages of several lines. */
export function withoutControls(text: string): string {
  return text.split('\n').map(onOneLine).join('\n');
}

/** The text, cut to so many characters where it is longer; the last one then says so. */
export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Where an address begins and ends: a scheme, `://`, and what is neither white space nor a quote. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`<>]*/gi;

/** The text with user, password, query and fragment taken out of every address in it. Linear in its length. */
export function withoutUrlSecrets(text: string): string {
  return text.includes('://') ? text.replace(ADDRESS, bareAddress) : text;
}

/** `https://user:password@host/path?token=1` as `https://…@host/path?…`. Punctuation after it stays. */
function bareAddress(address: string): string {
  const start = address.indexOf('://') + 3;
  const rest = address.slice(start);
  const authorityEnd = rest.search(/[/?#]/);
  const authority = authorityEnd < 0 ? rest : rest.slice(0, authorityEnd);
  const path = authorityEnd < 0 ? '' : rest.slice(authorityEnd);
  const queryAt = path.search(/[?#]/);
  const shown = queryAt < 0 || /^[?#][).,;:\]]*$/.test(path.slice(queryAt)) ? path : `${path.slice(0, queryAt)}?…`;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return `${address.slice(0, start)}${host === authority ? '' : '…@'}${host}${shown}`;
}
