/** Answers within brackets: tuples, intervals, sets, vectors and matrices. */
import { bracketed, splitTopLevel } from '../scan.js';
import { type Form, MAX_PARTS, type Readings, type Scope } from './form.js';
import { flattened, outerSplit } from './lists.js';

export function setOperationReading(text: string, scope: Scope): Form | null {
  for (const [token, op] of [
    ['\\cup', 'union'],
    ['\\setminus', 'difference'],
    ['\\cap', 'intersection'],
  ] as const) {
    const { parts } = splitTopLevel(text, (each) => each === token);
    if (parts.length > 1) return { kind: 'setOperation', op, parts: parts.map((part) => scope.read(asSet(part))) };
  }
  const minus = /^(\\mathbb\{R\})\s*-\s*(\\\{.*\\\})$/.exec(text);
  if (minus !== null)
    return { kind: 'setOperation', op: 'difference', parts: [scope.read(minus[1]!), scope.read(minus[2]!)] };
  return null;
}

/** {1, 2} between the operators of sets is the set \{1, 2\}. */
function asSet(text: string): string {
  const bracket = bracketed(text.trim());
  return bracket?.open === '{' ? `\\{${bracket.inner}\\}` : text;
}

/** ]1, 2[ */
export function frenchInterval(text: string, scope: Scope): Form | null {
  const found = /^([\][])([^[\]()]*)([\][])$/.exec(text);
  if (found === null || (found[1] === '[' && found[3] === ']')) return null;
  const parts = found[2]!.split(/[,;]/);
  if (parts.length !== 2) return null;
  return {
    kind: 'tuple',
    parts: parts.map((part) => scope.read(part)),
    open: found[1] === ']' ? '(' : '[',
    close: found[3] === '[' ? ')' : ']',
  };
}

/** [1, 2) : its brackets do not pair. */
export function mixedBrackets(text: string, scope: Scope): Form | null {
  const found = /^([[(])([\s\S]*)([\])])$/.exec(text);
  if (found === null) return null;
  const bracket = bracketed(text);
  if (bracket === null) return null;
  const pairs = bracket.open + bracket.close;
  if (pairs !== '[)' && pairs !== '(]') return null;
  const parts = splitTopLevel(bracket.inner, (token) => token === ',' || token === ';').parts;
  if (parts.length !== 2) return null;
  return { kind: 'tuple', parts: parts.map((part) => scope.read(part)), open: bracket.open, close: bracket.close };
}

const MATRIX = /^\\begin\{([pbBvV]?matrix|smallmatrix|array|cases)\*?\}/;

const vector = (parts: readonly Readings[], shape: 'row' | 'column'): Form => ({
  kind: 'tuple',
  parts,
  open: '<',
  close: '>',
  shape,
});

/** A matrix between `\begin` and `\end`; one with a single row or column is a vector. */
function environmentReadings(open: string, inner: string, scope: Scope): Readings | null {
  const environment = /\{([a-zA-Z]+)\*?\}/.exec(open)?.[1] ?? '';
  if (!/^(?:[pbB]?matrix|smallmatrix|array)$/.test(environment)) return null;
  const rows = inner
    .replace(/^\s*(?:\[[^\]]*\])?\s*\{[lcr|\s]*\}/, '')
    .replaceAll(/\\hline/g, '')
    .split(/\\\\(?:\[[^\]]*\])?/)
    .map((row) => row.trim())
    .filter((row) => row !== '')
    .map((row) => splitTopLevel(row, (token) => token === '&').parts);
  if (rows.length === 0 || rows.length > MAX_PARTS) return null;
  const isVector = rows.every((row) => row.length === 1);
  if (isVector)
    return [
      vector(
        rows.map((row) => scope.read(row[0]!)),
        'column',
      ),
    ];
  if (rows.length === 1)
    return [
      vector(
        rows[0]!.map((cell) => scope.read(cell)),
        'row',
      ),
    ];
  return [
    {
      kind: 'tuple',
      open: 'matrix',
      close: 'matrix',
      parts: rows.map(
        (row): Readings => [
          vector(
            row.map((cell) => scope.read(cell)),
            'row',
          ),
        ],
      ),
    },
  ];
}

export function bracketReadings(
  bracket: { readonly open: string; readonly inner: string; readonly close: string },
  scope: Scope,
): Readings | null {
  const { open, inner, close } = bracket;
  if (open.startsWith('\\begin')) return environmentReadings(open, inner, scope);
  if (/^\\[lr]?(?:floor|ceil)/.test(open) || open === '\\lfloor' || open === '\\lceil') return null;
  if (MATRIX.test(inner.trim()) && bracketed(inner.trim()) !== null) return scope.read(inner);
  const parts = splitTopLevel(inner, (token) => token === ',' || token === ';').parts.map((part) => part.trim());
  if (open === '\\{') {
    const builder = splitTopLevel(inner, (token) => token === '\\mid' || token === '|' || token === ':');
    if (builder.parts.length === 2) return scope.read(builder.parts[1]!);
    const members = outerSplit(inner)
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return members.length > MAX_PARTS
      ? null
      : [{ kind: 'list', parts: flattened(members.map((part) => scope.read(part))), by: 'braces' }];
  }
  if (parts.length > MAX_PARTS) return null;
  if (parts.length === 1) {
    // (C) and (9+1): brackets around one thing say nothing, unless it is followed by more.
    if (open === '(' || open === '[') return scope.read(inner);
    return null;
  }
  const rows = open === '[' ? rowsOf(parts) : null;
  if (rows !== null) {
    const row = (cells: readonly string[]): Form =>
      vector(
        cells.map((cell) => scope.read(cell)),
        'row',
      );
    return [{ kind: 'tuple', open: 'matrix', close: 'matrix', parts: rows.map((cells): Readings => [row(cells)]) }];
  }
  const style = open === '\\langle' ? ['<', '>'] : [open, close];
  const tuple: Form = {
    kind: 'tuple',
    parts: parts.map((part) => scope.read(part)),
    open: style[0]!,
    close: style[1]!,
  };
  return [tuple];
}

/** The rows of a matrix as programs print it, [[1, 2], [3, 4]]; null where the parts are no rows of one length. */
function rowsOf(parts: readonly string[]): readonly (readonly string[])[] | null {
  const rows: (readonly string[])[] = [];
  for (const part of parts) {
    const row = bracketed(part);
    if (row?.open !== '[' || row.close !== ']') return null;
    rows.push(splitTopLevel(row.inner, (token) => token === ',' || token === ';').parts);
  }
  return rows.every((row) => row.length === rows[0]!.length) ? rows : null;
}
