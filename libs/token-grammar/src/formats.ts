/**
 * Formats of JSON Schema (draft 2020-12, section 7.3) as patterns. Each accepts a part of its format, never more: what a model
 * writes is valid for every validator, and rare forms (quoted local parts of addresses, zone identifiers) are not written.
 */
const DAY = '(?:0[1-9]|1\\d|2[0-8])';
const DATE = `(?:\\d{4}-(?:(?:0[1-9]|1[0-2])-${DAY}|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)`;
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?';
const ZONE = '(?:[zZ]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
/** A leap second ends the day of UTC: in zones, at the hour or half an hour later. */
const LEAP_SECOND = `(?:${[
  '23:59:60(?:\\.\\d+)?(?:[zZ]|[+-]00:00)',
  ...Array.from({ length: 24 }, (_, at) => {
    const two = (hour: number): string => String(hour).padStart(2, '0');
    const west = `${two(23 - at)}:59:60(?:\\.\\d+)?-${two(at)}:00`;
    const east = `${two((at + 23) % 24)}:59:60(?:\\.\\d+)?\\+${two(at)}:00`;
    return `${east}|${west}|${two(at)}:29:60(?:\\.\\d+)?\\+${two(at)}:30|${two(23 - at)}:29:60(?:\\.\\d+)?-${two(at)}:30`;
  }),
].join('|')})`;
const TIME = `(?:${CLOCK}${ZONE}|${LEAP_SECOND})`;
/** Up to 63 characters; the third and fourth together are never `--`, which is left to internationalised names. */
const [FIRST, INNER] = ['[A-Za-z0-9]', '[A-Za-z0-9-]'];
const LABEL = `(?:${FIRST}(?:${FIRST}|${INNER}(?:${FIRST}|(?:${INNER}${FIRST}|(?:${FIRST}${INNER}|-${FIRST})${INNER}{0,58}${FIRST})))?)`;
const NAME = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?';
const HOST = `${LABEL}(?:\\.${LABEL}){0,2}`;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}`;
const HEX = '[0-9A-Fa-f]';
const GROUP = `${HEX}{1,4}`;
const IPV6 = `(?:(?:${GROUP}:){7}${GROUP}|${[0, 1, 2, 3, 4, 5, 6]
  .map((before) => {
    const head = before === 0 ? '' : `${GROUP}(?::${GROUP}){${before - 1}}`;
    const most = 6 - before;
    return `${head}::(?:${most === 0 ? GROUP : `${GROUP}(?::${GROUP}){0,${most}}`})?`;
  })
  .join('|')}|(?:${GROUP}:){6}${IPV4}|${[0, 1, 2, 3, 4]
  .map((before) => {
    const head = before === 0 ? '' : `${GROUP}(?::${GROUP}){${before - 1}}`;
    return `${head}::(?:${GROUP}:){0,${4 - before}}${IPV4}`;
  })
  .join('|')})`;
const PERCENT = `%${HEX}{2}`;
const SEGMENT = `(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|${PERCENT})`;
const TAIL = `(?:\\?(?:${SEGMENT}|[/?])*)?(?:#(?:${SEGMENT}|[/?])*)?`;
const AUTHORITY = `//(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|${PERCENT})+@)?(?:${NAME}|\\[${IPV6}\\])(?::\\d{1,5})?`;
/** Of files the authority may be empty (RFC 8089). */
const FILE = `file:///(?:${SEGMENT}+(?:/${SEGMENT}*)*)?${TAIL}`;
const URI = `(?:${FILE}|[A-Za-z][A-Za-z0-9+.-]*:(?:${AUTHORITY}(?:/${SEGMENT}*)*|/(?:${SEGMENT}+(?:/${SEGMENT}*)*)?|${SEGMENT}+(?:/${SEGMENT}*)*)${TAIL})`;
const RELATIVE = `(?://|${AUTHORITY}(?:/${SEGMENT}*)*|/(?:${SEGMENT}+(?:/${SEGMENT}*)*)?|(?:[A-Za-z0-9._~!$&'()*+,;=@-]|${PERCENT})+(?:/${SEGMENT}*)*)?${TAIL}`;
const POINTER = '(?:/(?:[^~/]|~[01])*)*';
const DURATION =
  '(?:P(?:\\d+W|(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)(?:T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S))?|T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)))';

const PATTERNS: Readonly<Record<string, string>> = {
  date: DATE,
  time: TIME,
  'date-time': `${DATE}[tT]${TIME}`,
  duration: DURATION,
  email: `(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-\\[\\]-~])+")@(?:${HOST}|\\[(?:${IPV4}|IPv6:${IPV6})\\])`,
  ipv4: IPV4,
  ipv6: IPV6,
  uri: URI,
  'uri-reference': `(?:${URI}|${RELATIVE})`,
  uuid: `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  'json-pointer': POINTER,
};
/** Formats of the standard that are no regular language, or a large one: a host's name may hold internationalised labels. */
const REFUSED = [
  'idn-email',
  'hostname',
  'idn-hostname',
  'iri',
  'iri-reference',
  'uri-template',
  'relative-json-pointer',
  'regex',
];

/** The anchored pattern of a format; undefined where the standard does not know the format, which makes it an annotation; null where it is refused. */
export function formatPattern(format: string): string | undefined | null {
  if (REFUSED.includes(format)) return null;
  return Object.hasOwn(PATTERNS, format) ? `^(?:${PATTERNS[format]!})$` : undefined;
}
