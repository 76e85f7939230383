/** Unit tests: the reference holds them, the response the code that has to pass. Both run in sandboxes; see code-sandbox.ts. */
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

const MAX_CODE_LENGTH = 131_072;
/** Beyond the time for answer and tests: two sandboxes start, on a machine that may be busy. */
const START_ALLOWANCE_MS = 35_000;

const LANGUAGES = ['python', 'javascript'] as const;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const NAMES = { python: /^(?:python3?|py)$/i, javascript: /^(?:javascript|js|node|mjs|cjs)$/i } as const;

export const codeVerifier: Verifier = {
  kind: 'code',
  version: '1',
  options: {
    language: 'python or javascript, required',
    timeLimitMs: 'time for answer and tests together, 100 to 60000, default 10000',
    memoryMb: "memory of the answer's process, 64 to 4096, default 256",
    entryPoint: 'name of what the answer has to define: what check(candidate) gets; default its only function',
    inPlace:
      'procedures or always: which calls may change their arguments, those that return nothing or all; default procedures',
  },
  prepare(reference, options) {
    const read = new OptionReader('code@1', options);
    const named = read.text('language') ?? '';
    const language = LANGUAGES.find((each) => each === named);
    if (language === undefined) throw read.bad('language', LANGUAGES.join(' or '), named);
    const timeLimitMs = read.whole('timeLimitMs', { low: 100, high: 60_000, otherwise: 10_000 });
    const memoryMb = read.whole('memoryMb', { low: 64, high: 4096, otherwise: 256 });
    const entryPoint = read.text('entryPoint') ?? null;
    if (entryPoint !== null && !IDENTIFIER.test(entryPoint)) throw read.bad('entryPoint', 'a name', entryPoint);
    const inPlace = read.choice('inPlace', ['procedures', 'always']);
    if (reference.trim() === '' || reference.length > MAX_CODE_LENGTH)
      throw badReference(
        'code@1',
        `unit tests of at most ${MAX_CODE_LENGTH} characters`,
        reference,
        'Publish the problem with its tests.',
      );
    return async (text, { means, signal, deadlineMs }) => {
      const code = codeOf(text, NAMES[language]);
      if (code === null) return { success: false, extractedAnswer: null, detail: 'the response holds no code' };
      if (code.length > MAX_CODE_LENGTH)
        return {
          success: false,
          extractedAnswer: null,
          detail: `the code has more than ${MAX_CODE_LENGTH} characters`,
        };
      const task = { language, code, tests: reference, timeLimitMs, memoryMb, entryPoint, inPlace };
      const limits = { signal, deadlineMs: deadlineMs ?? timeLimitMs + START_ALLOWANCE_MS };
      const { passed, detail } = await means.runCode(task, limits);
      return { success: passed, extractedAnswer: code, detail };
    };
  },
};

/**
 * The last fenced block of the language, else the last that names none, else a response without any fence. A block ends at the first
 * line that is nothing but a fence; without such a line it is not a block. Time linear in the text: each line is looked at once.
 */
export function codeOf(text: string, names: RegExp): string | null {
  let open: { readonly name: string; readonly from: number } | null = null;
  let ofLanguage: string | null = null;
  let unnamed: string | null = null;
  let isFenced = false;
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(from, newline < 0 ? text.length : newline).trim();
    if (line.startsWith(FENCE)) {
      const isBare = line.length === FENCE.length;
      if (open === null) {
        if (newline >= 0) open = { name: languageOf(line), from: next };
      } else if (isBare) {
        isFenced = true;
        const block = text.slice(open.from, from);
        if (names.test(open.name)) ofLanguage = block;
        else if (open.name === '') unnamed = block;
        open = null;
      }
    }
    from = next;
  }
  if (ofLanguage !== null || unnamed !== null) return ofLanguage ?? unnamed;
  return isFenced || text.includes(FENCE) || text.trim() === '' ? null : text;
}

const FENCE = '```';
const LONGEST_NAME = 32;

/** The word after a fence. */
function languageOf(line: string): string {
  return /^[ \t]*([a-zA-Z0-9+#]{0,32})/.exec(line.slice(FENCE.length, FENCE.length + 2 * LONGEST_NAME))![1]!;
}
