/**
 * Text from outside in a template of sections: `Experience:` on a line of its own says where the entry stands, so no line of a problem or an
 * entry may say so too. Such a line is quoted with `> `. And an entry is advice, not a way out: addresses in it lead nowhere.
 */

/** Longer than any heading; only so much of a line is compared. */
const COMPARED = 400;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * The lines that divide a template's texts: those that end, before a placeholder or at all, with a colon, and Markdown's headings.
 * @returns finds them at the beginning of a line, or null where there are none
 */
export function headingsIn(texts: readonly string[]): RegExp | null {
  const headings = new Set(
    texts
      .flatMap((text) => text.split('\n'))
      .map((line) => line.split('{')[0]!.trim())
      .filter((line) => /[:：]$/.test(line) || /^#+\s*\S/.test(line))
      .map((line) =>
        plainLine(line)
          .split(/[^\p{L}\p{N}]+/u)
          .filter(Boolean)
          .map((word) => RegExp.escape(word)),
      )
      .filter((words) => words.length > 0)
      .map((words) => words.join('[^\\p{L}\\p{N}]+')),
  );
  if (headings.size === 0) return null;
  // A sentence that begins with the word is no heading: "Experience shows that …".
  return new RegExp(
    `^(?:${[...headings].join('|')})[^\\p{L}\\p{N}]*$|^(?:${[...headings].join('|')})\\s*[^\\p{L}\\p{N}\\s]`,
    'u',
  );
}

/** The text with every line quoted that a reader could take for one of the headings, whatever letters, marks or case it is written in. */
export function withoutHeadings(text: string, headings: RegExp | null): string {
  if (headings === null) return text;
  return text
    .split('\n')
    .map((line) => (headings.test(plainLine(line)) && !/^\s*>/.test(line) ? `> ${line}` : line))
    .join('\n');
}

/** From its first letter on, in one case, without marks and other forms of letters. */
function plainLine(line: string): string {
  const at = line.search(LETTER);
  if (at < 0) return '';
  return line
    .slice(at, at + COMPARED)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
}

/** Top level domains that addresses without a scheme are known by. */
const DOMAINS = 'com|net|org|info|biz|io|ai|dev|app|xyz|top|ru|cn|de|uk|eu|us|co|tk|sh|site|online|onion';
/** Each with a part that stays and one that a blank is put before. JSON may write a slash with a backslash before it. */
const ADDRESSES = new RegExp(
  [
    String.raw`(?<=[a-z][a-z0-9+.-]{0,20}:)(?=\\?\/\\?\/)`, // https://, ftp://
    String.raw`(?<=\\?\/)(?=\\?\/[a-z0-9-]{1,63}\.[a-z0-9])`, // //host.example
    String.raw`(?<=(?:mailto|javascript|data|vbscript|file|tel):)(?=\S)`,
    String.raw`(?<=www\.)(?=\S)`,
    String.raw`(?<=[a-z0-9-]\.)(?=(?:${DOMAINS})(?![a-z0-9]))`,
    String.raw`(?<=\d{1,3}\.\d{1,3}\.\d{1,3}\.)(?=\d{1,3}[:\/])`,
  ].join('|'),
  'giu',
);

/** The entry with a blank inside each address: nothing that opens addresses finds one. */
export function withoutAddresses(entry: string): string {
  return entry.replaceAll(ADDRESSES, ' ');
}

/** Each line end, with the white space around it, as one blank. Line by line: a pattern of blanks around a line end is quadratic in blanks. */
export function onOneLine(text: string): string {
  const lines = text.split('\n');
  const last = lines.length - 1;
  return lines
    .map((line, i) => (i === 0 ? (last === 0 ? line : line.trimEnd()) : i === last ? line.trimStart() : line.trim()))
    .filter((line, i) => line !== '' || i === 0 || i === last)
    .join(' ');
}
