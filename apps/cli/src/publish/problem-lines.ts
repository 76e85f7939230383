/**
 * A problem file is JSON Lines: one JSON object per line, UTF-8, blank lines ignored (https://jsonlines.org). This file
 * turns its lines into problems or into complaints; it records nothing and knows no log.
 */
import { derivedId, isSeamError, messageOf } from '@seamstream/kernel';
import { checkVerifiable, knownVerifiers } from '@seamstream/verifiers';
import type { z } from 'zod';
import { plural, received } from '../terminal/text.js';

export type PublishMode = 'explore' | 'deploy';

/** A problem as a line states it, ids and defaults filled in. */
export interface ProblemDraft {
  /** 1-based line of the file. */
  readonly line: number;
  readonly problemId: string;
  /** The line brought its own id; otherwise the id follows from the file's digest and the line. */
  readonly ownId: boolean;
  readonly domain: string;
  readonly prompt: string;
  readonly reference: string;
  readonly verifier: {
    readonly kind: string;
    readonly version: string;
    readonly options: Readonly<Record<string, string>>;
  };
  readonly metadata: Readonly<Record<string, string>>;
  readonly mode: PublishMode;
  readonly subject: string | null;
  readonly expiresAtMs: number | null;
}

/** What is wrong with a line: field, expectation and what came. */
interface LineFault {
  readonly line: number;
  /** "prompt", "verifier.kind", or "line" for the whole of it. */
  readonly field: string;
  readonly expected: string;
  readonly came: string;
}

/** A problem as a format reads it from a line, before ids and the command's own settings. */
interface StatedProblem {
  readonly problemId?: string | undefined;
  readonly domain: string;
  readonly prompt: string;
  readonly reference: string;
  readonly verifier: {
    readonly kind: string;
    readonly version?: string | undefined;
    readonly options?: Record<string, string> | undefined;
  };
  readonly metadata?: Record<string, string> | undefined;
  readonly mode?: PublishMode | undefined;
  readonly subject?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** How a kind of file states problems. */
export interface ProblemFormat {
  readonly name: string;
  /** One sentence and one example line, for --help. */
  readonly summary: string;
  readonly example: string;
  readonly shape: z.ZodType<StatedProblem>;
}

export interface PublishSettings {
  readonly format: ProblemFormat;
  readonly mode: PublishMode;
  /** Replaces the domain of every line. */
  readonly domain?: string | undefined;
}

/**
 * Longest line accepted. A problem travels inside its experiences and outcomes, which together with it must stay below
 * the log's limit for a record (1 MB); longer texts belong into the object store.
 */
const MAX_LINE_BYTES = 1 << 18;

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function faultsOf(line: number, value: unknown, error: z.ZodError): LineFault[] {
  return error.issues.flatMap((issue): LineFault[] => {
    const field = issue.path.length === 0 ? 'line' : issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        line,
        field: issue.path.length === 0 ? key : `${field}.${key}`,
        expected: 'no such field (see "seam publish --help" for those that exist)',
        came: received(valueAt(value, [...issue.path, key])),
      }));
    }
    return [{ line, field, expected: issue.message, came: received(valueAt(value, issue.path)) }];
  });
}

/** Version of a verifier that a line means when it names none. */
function newestVersion(kind: string): string {
  const newest = knownVerifiers.findLast((name) => name.startsWith(`${kind}@`));
  return newest?.slice(kind.length + 1) ?? '1';
}

function hasKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, key) || Object.values(value).some((inner) => hasKey(inner, key));
}

/** The problem that a line states, or what is wrong with it. */
function readProblemLine(
  text: string,
  line: number,
  settings: PublishSettings,
  idOfLine: (line: number) => string,
): { readonly problem: ProblemDraft } | { readonly faults: readonly LineFault[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      faults: [{ line, field: 'line', expected: 'one JSON object', came: `${received(text)} (${messageOf(error)})` }],
    };
  }
  // zod passes over a key of this name, and no reader of the log accepts one.
  if (text.includes('"__proto__"') && hasKey(value, '__proto__')) {
    return { faults: [{ line, field: 'line', expected: 'no field with the name __proto__', came: received(text) }] };
  }
  const parsed = settings.format.shape.safeParse(value);
  if (!parsed.success) return { faults: faultsOf(line, value, parsed.error) };
  const stated = parsed.data;
  const { kind, options = {} } = stated.verifier;
  const verifier = { kind, version: stated.verifier.version ?? newestVersion(kind), options };
  try {
    checkVerifiable(verifier, stated.reference);
  } catch (error) {
    if (isSeamError(error, 'UNKNOWN_VERIFIER')) {
      const came = stated.verifier.version === undefined ? kind : `${kind}@${verifier.version}`;
      const expected = `a verifier that exists: ${knownVerifiers.join(', ')}`;
      return { faults: [{ line, field: 'verifier', expected, came: received(came) }] };
    }
    if (!isSeamError(error, 'INVALID_INPUT')) throw error;
    const expected = `what its verifier can judge by (${error.message})`;
    return { faults: [{ line, field: 'reference', expected, came: received(stated.reference) }] };
  }
  return {
    problem: {
      line,
      problemId: stated.problemId ?? idOfLine(line),
      ownId: stated.problemId !== undefined,
      domain: settings.domain ?? stated.domain,
      prompt: stated.prompt,
      reference: stated.reference,
      verifier,
      metadata: stated.metadata ?? {},
      mode: stated.mode ?? settings.mode,
      subject: stated.subject ?? null,
      expiresAtMs: stated.expiresAt === undefined ? null : Date.parse(stated.expiresAt),
    },
  };
}

/** Most faults kept for the report; the rest is counted. */
const FAULTS_KEPT = 20;

export interface ProblemFile {
  readonly problems: readonly ProblemDraft[];
  readonly faults: readonly LineFault[];
  /** Lines with at least one fault; may exceed what `faults` shows. */
  readonly badLines: number;
  /** Lines that are not blank. */
  readonly lines: number;
}

/**
 * Reads every line of a file. `lines` are the raw bytes of each line without its line break.
 * @param limit problems to take; lines after them are not looked at
 */
export function readProblemFile(
  lines: Iterable<Uint8Array>,
  settings: PublishSettings,
  idOfLine: (line: number) => string,
  limit = Number.POSITIVE_INFINITY,
): ProblemFile {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const problems: ProblemDraft[] = [];
  const faults: LineFault[] = [];
  const lineOfId = new Map<string, number>();
  let number = 0;
  let badLines = 0;
  let filled = 0;
  const refuse = (found: readonly LineFault[]): void => {
    badLines++;
    faults.push(...found.slice(0, Math.max(0, FAULTS_KEPT - faults.length)));
  };
  for (const bytes of lines) {
    if (filled >= limit) break;
    number++;
    if (bytes.length > MAX_LINE_BYTES) {
      filled++;
      const expected = `at most ${MAX_LINE_BYTES} bytes`;
      refuse([{ line: number, field: 'line', expected, came: `${bytes.length} bytes` }]);
      continue;
    }
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      filled++;
      refuse([{ line: number, field: 'line', expected: 'UTF-8', came: 'other bytes' }]);
      continue;
    }
    if (text.trim() === '') continue;
    filled++;
    const read = readProblemLine(text, number, settings, idOfLine);
    if ('faults' in read) {
      refuse(read.faults);
      continue;
    }
    const { problem } = read;
    const earlier = lineOfId.get(problem.problemId);
    if (earlier !== undefined) {
      const expected = `an id of its own (line ${earlier} has this one)`;
      refuse([{ line: number, field: 'problemId', expected, came: received(problem.problemId) }]);
      continue;
    }
    lineOfId.set(problem.problemId, number);
    problems.push(problem);
  }
  return { problems, faults, badLines, lines: filled };
}

/**
 * Id of a line's problem: from the file's digest and the line's number, so that the same file published twice is
 * recognised. `pass` 0 is the first publication, 1 the first repetition, …
 */
export function problemIdOf(fileDigest: string, line: number, pass: number): string {
  return derivedId(fileDigest, pass === 0 ? 'problem' : `problem/again-${pass}`, line);
}

/** The faults as lines of text: number, field, what was expected, what came. */
export function renderFaults(file: ProblemFile): string {
  const shown = file.faults.map((fault) =>
    fault.field === 'line'
      ? `  line ${fault.line}: expected ${fault.expected}, came ${fault.came}`
      : `  line ${fault.line}: ${fault.field}: expected ${fault.expected}, came ${fault.came}`,
  );
  const linesShown = new Set(file.faults.map((fault) => fault.line)).size;
  if (linesShown < file.badLines) shown.push(`  … and ${plural(file.badLines - linesShown, 'more bad line')}`);
  return shown.join('\n');
}
