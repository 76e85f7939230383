/** Colours and emphasis as ANSI escapes (ECMA-48 SGR), or nothing at all. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const plain = (text: string): string => text;
const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001b[${on}m${text}\u001b[${off}m`;

export const PLAIN_STYLE: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

const COLOURED_STYLE: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

/** Colours only on a terminal, and never when NO_COLOR is set and not empty (https://no-color.org). */
export function styleFor(isTty: boolean, environment: Readonly<Record<string, string | undefined>>): Style {
  const refused = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  return isTty && !refused ? COLOURED_STYLE : PLAIN_STYLE;
}
