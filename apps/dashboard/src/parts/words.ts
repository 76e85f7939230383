/** Numbers, times and ids as one reads them. */
const counts = new Intl.NumberFormat('en');

export const count = (value: number): string => counts.format(value);
export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined || Number.isNaN(share) ? '–' : `${(share * 100).toFixed(digits)} %`;
/** A difference in percentage points, with its sign. */
export const points = (difference: number): string =>
  `${difference >= 0 ? '+' : '−'}${Math.abs(difference * 100).toFixed(1)}`;
export const short = (id: string): string => id.slice(0, 8);
export const figure = (value: number): string =>
  Number.isInteger(value)
    ? count(value)
    : Math.abs(value) >= 1e-3
      ? String(Number(value.toPrecision(4)))
      : value.toExponential(2);
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** Money in the currency of the prices, of millionths: two figures behind the point at least. */
export function money(micros: number): string {
  const text = (micros / 1e6).toFixed(6);
  const zeros = [4, 3, 2, 1].find((each) => text.endsWith('0'.repeat(each))) ?? 0;
  return text.slice(0, text.length - zeros);
}

/** A word of a command line, so that a shell takes it as it is. */
export const shellWord = (text: string): string =>
  /^[\w.*@:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The command for the log as it was. @param moment as the address has it, which anyone may have written */
export const asOfMoment = (command: string, moment: string): string => `${command} --as-of ${shellWord(moment)}`;

/** As a field for a time has it: in the reader's time zone, without its name. Empty for a time that such a field cannot have. */
export function localText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  const isYear = local.getUTCFullYear() >= 0 && local.getUTCFullYear() <= 9999;
  return isYear ? local.toISOString().slice(0, 19) : '';
}

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
export const time = (at: number): string => times.format(at);
export const clock = (at: number): string => new Date(at).toTimeString().slice(0, 8);

/** How long ago, in the largest unit that fits. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}

export function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  let scaled = size;
  for (; scaled >= 1024 && unit < units.length - 1; unit++) scaled /= 1024;
  return unit === 0 ? `${size} B` : `${scaled.toFixed(1)} ${units[unit]!}`;
}

/** JSON of strangers, indented where it is JSON and as it is where not. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const STANDINGS: Readonly<Record<string, string>> = {
  solved: 'solved',
  failed: 'not solved',
  notSolved: 'not solved',
  ungraded: 'ungraded',
  expired: 'expired',
  deadLettered: 'dead letter',
  inFlight: 'in flight',
};
