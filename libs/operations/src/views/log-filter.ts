/**
 * A filter of the log, as a small typed expression: `type = 'OutcomeRecorded' and problem.domain = 'metals' and latencyMs > 500`.
 * It is parsed into a tree and never evaluated as code. Pure.
 *
 *   filter     = term { "or" term }
 *   term       = factor { "and" factor }
 *   factor     = "not" factor | "(" filter ")" | field operator value
 *   field      = a name, or names with dots between: of the event, or of the record (type, topic, partition, offset, key, time, error)
 *   operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" (holds the text, in any case)
 *   value      = a text in quotes, a number, true, false, null
 */
import { excerpt, SeamError } from '@seamstream/kernel';
import type { DecodedRecord } from '@seamstream/log-reader';

const OPERATORS = ['=', '!=', '<=', '>=', '<', '>', '~'] as const;
type Operator = (typeof OPERATORS)[number];
type Value = string | number | boolean | null;

export type LogFilter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly LogFilter[] }
  | { readonly kind: 'not'; readonly of: LogFilter }
  | { readonly kind: 'compare'; readonly field: readonly string[]; readonly operator: Operator; readonly value: Value };

/** Longer ones are refused: a person types a line. */
export const LONGEST_FILTER = 500;
/** Parentheses and negations within each other. */
const DEEPEST = 20;

interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'operator' | 'open' | 'close';
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /\s*(?:(?<word>[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<number>-?\d+(?:\.\d+)?)|(?<operator>!=|<=|>=|[=<>~])|(?<open>\()|(?<close>\)))/y;

/** @throws INVALID_INPUT saying where it is no filter, and what was expected there; null for an empty text */
export function parseLogFilter(text: string): LogFilter | null {
  if (text.trim() === '') return null;
  if (text.length > LONGEST_FILTER)
    throw fault(text, `expected at most ${LONGEST_FILTER} characters, got ${text.length}. Look for less at once.`);
  const parser = new Parser(text, tokensOf(text));
  const filter = parser.filter(0);
  parser.expectEnd();
  return filter;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const groups: Readonly<Record<string, string | undefined>> | undefined = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw fault(
        text,
        `expected a name, an operator or a value at character ${at + 1}, got ${JSON.stringify(excerpt(text.slice(at).trim(), 12))}. Put texts in quotes.`,
      );
    const [kind, found] = Object.entries(groups).find(([, each]) => each !== undefined) as [string, string];
    tokens.push({
      kind: kind === 'single' || kind === 'double' ? 'text' : (kind as Token['kind']),
      text: found,
      at: at + 1,
    });
  }
  return tokens;
}

class Parser {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly tokens: readonly Token[],
  ) {}

  filter(depth: number): LogFilter {
    return this.joined('or', () => this.joined('and', () => this.factor(depth)));
  }

  expectEnd(): void {
    if (this.at < this.tokens.length) throw this.unexpected('"and", "or" or the end');
  }

  private joined(kind: 'and' | 'or', next: () => LogFilter): LogFilter {
    const of = [next()];
    while (this.takeWord(kind)) of.push(next());
    return of.length === 1 ? of[0]! : { kind, of };
  }

  private factor(depth: number): LogFilter {
    if (depth > DEEPEST)
      throw fault(this.source, `expected at most ${DEEPEST} levels, got more. Write it with fewer parentheses.`);
    if (this.takeWord('not')) return { kind: 'not', of: this.factor(depth + 1) };
    if (this.take('open') !== undefined) {
      const inner = this.filter(depth + 1);
      if (this.take('close') === undefined) throw this.unexpected('")"');
      return inner;
    }
    const field = this.take('word');
    if (field === undefined) throw this.unexpected('the name of a field');
    const operator = this.take('operator');
    if (operator === undefined) throw this.unexpected(`an operator (${OPERATORS.join(' ')})`);
    return {
      kind: 'compare',
      field: field.text.split('.'),
      operator: operator.text as Operator,
      value: this.value(),
    };
  }

  private value(): Value {
    const text = this.take('text');
    if (text !== undefined) return text.text;
    const number = this.take('number');
    if (number !== undefined) return Number(number.text);
    const word = this.tokens[this.at];
    const constants = { true: true, false: false, null: null } as const;
    if (word?.kind === 'word' && Object.hasOwn(constants, word.text)) {
      this.at++;
      return constants[word.text as keyof typeof constants];
    }
    throw this.unexpected("a value ('text', 42, true, false or null)");
  }

  private take(kind: Token['kind']): Token | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) return undefined;
    this.at++;
    return token;
  }

  private takeWord(word: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false;
    this.at++;
    return true;
  }

  private unexpected(expected: string): SeamError {
    const token = this.tokens[this.at];
    const got = token === undefined ? 'the end' : `"${excerpt(token.text, 20)}" at character ${token.at}`;
    return fault(
      this.source,
      `expected ${expected}, got ${got}. An example: type = 'OutcomeRecorded' and success = true.`,
    );
  }
}

function fault(text: string, what: string): SeamError {
  return new SeamError('INVALID_INPUT', `Cannot read the filter "${excerpt(text, 40)}": ${what}`, {
    details: { filter: excerpt(text, 100) },
  });
}

/** Whether a record fits. A field that it does not have equals null alone. */
export function fits(decoded: DecodedRecord, filter: LogFilter | null): boolean {
  if (filter === null) return true;
  switch (filter.kind) {
    case 'and':
      return filter.of.every((each) => fits(decoded, each));
    case 'or':
      return filter.of.some((each) => fits(decoded, each));
    case 'not':
      return !fits(decoded, filter.of);
    case 'compare':
      return compares(fieldOf(decoded, filter.field), filter.operator, filter.value);
  }
}

function fieldOf(decoded: DecodedRecord, path: readonly string[]): unknown {
  const { record } = decoded;
  const [first] = path;
  if (path.length === 1)
    switch (first) {
      case 'topic':
      case 'partition':
      case 'offset':
      case 'key':
        return record[first];
      case 'time':
        return new Date(record.timestampMs).toISOString();
      case 'error':
        return 'fault' in decoded ? decoded.fault.code : null;
      default:
    }
  let found: unknown = 'event' in decoded ? decoded.event : undefined;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return found ?? null;
}

function compares(found: unknown, operator: Operator, value: Value): boolean {
  if (operator === '~') return holds(found, String(value).toLowerCase());
  const own = typeof found === 'bigint' ? Number(found) : found;
  if (operator === '=') return own === value;
  if (operator === '!=') return own !== value;
  if (typeof own !== typeof value || own === null || value === null) return false;
  if (typeof own !== 'number' && typeof own !== 'string') return false;
  const order = own < value ? -1 : own > value ? 1 : 0;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Texts alone are looked at: tokens are numbers. */
function holds(found: unknown, text: string): boolean {
  if (typeof found === 'string') return found.toLowerCase().includes(text);
  if (typeof found !== 'object' || found === null || ArrayBuffer.isView(found)) return false;
  if (Array.isArray(found)) return typeof found[0] !== 'number' && found.some((each) => holds(each, text));
  return Object.values(found).some((each) => holds(each, text));
}
