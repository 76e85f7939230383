/** How text may be shown: colours and emphasis as ANSI escapes (ECMA-48 SGR) or nothing at all, and how wide a line may be. */
export interface Style {
  /** Cells of a line; infinite where lines have no limit, as in a file. */
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
 * Colours only on a terminal, and never when NO_COLOR is set and not empty (https://no-color.org). What is piped goes to programs, and
 * its lines have an end only where COLUMNS asks for one.
 * @param columns of the terminal; undefined or 0 where it does not know
 */
export function styleFor(
  isTty: boolean,
  environment: Readonly<Record<string, string | undefined>>,
  columns = 0,
): Style {
  const width = { columns: (isTty && columns > 0 ? columns : askedColumns(environment)) ?? Number.POSITIVE_INFINITY };
  if (!isTty) return { ...PLAIN_STYLE, ...width };
  const refused = (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  return { ...(refused ? PLAIN_STYLE : COLOURED_STYLE), ...width };
}

/** The width that COLUMNS sets (POSIX, chapter 8); undefined where it holds no width. */
function askedColumns({ COLUMNS = '' }: Readonly<Record<string, string | undefined>>): number | undefined {
  return /^[1-9]\d{0,5}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}
