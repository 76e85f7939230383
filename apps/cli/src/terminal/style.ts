/** How text may be shown: colours and emphasis as ANSI escapes (ECMA-48 SGR) or nothing at all, and how wide a line may be. */
export interface Style {
  /** Cells of a line; infinite where nobody looks at lines, as in a file. */
  readonly columns: number;
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

export const PLAIN_STYLE: Style = {
  columns: Number.POSITIVE_INFINITY,
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  cyan: plain,
};

const COLOURED_STYLE: Omit<Style, 'columns'> = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

/**
 * Colours only on a terminal, and never when NO_COLOR is set and not empty (https://no-color.org). Lines have an end on a terminal alone:
 * what is piped goes to programs.
 */
export function styleFor(
  isTty: boolean,
  environment: Readonly<Record<string, string | undefined>>,
  columns = Number.POSITIVE_INFINITY,
): Style {
  if (!isTty) return PLAIN_STYLE;
  const refused = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  // A terminal that does not know how wide it is says 0.
  return { ...(refused ? PLAIN_STYLE : COLOURED_STYLE), columns: columns > 0 ? columns : Number.POSITIVE_INFINITY };
}
