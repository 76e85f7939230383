/** Unit tests: the reference holds them, the response the code that has to pass. Both run in sandboxes; see code-sandbox.ts. */
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

const MAX_CODE_LENGTH = 131_072;
/** Beyond the time for answer and tests: two sandboxes start, on a machine that may be busy. */
const START_ALLOWANCE_MS = 35_000;

const LANGUAGES = ['python', 'javascript'] as const;
const NAMES = { python: /^(?:python3?|py)$/i, javascript: /^(?:javascript|js|node|mjs|cjs)$/i } as const;

export const codeVerifier: Verifier = {
  kind: 'code',
  version: '1',
  options: {
    language: 'python or javascript, required',
    timeLimitMs: 'time for answer and tests together, 100 to 60000, default 10000',
    memoryMb: "memory of the answer's process, 64 to 4096, default 256",
  },
  prepare(reference, options) {
    const read = new OptionReader('code@1', options);
    const named = read.text('language') ?? '';
    const language = LANGUAGES.find((each) => each === named);
    if (language === undefined) throw read.bad('language', LANGUAGES.join(' or '), named);
    const timeLimitMs = read.whole('timeLimitMs', { low: 100, high: 60_000, otherwise: 10_000 });
    const memoryMb = read.whole('memoryMb', { low: 64, high: 4096, otherwise: 256 });
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
      const task = { language, code, tests: reference, timeLimitMs, memoryMb };
      const limits = { signal, deadlineMs: deadlineMs ?? timeLimitMs + START_ALLOWANCE_MS };
      const { passed, detail } = await means.runCode(task, limits);
      return { success: passed, extractedAnswer: code, detail };
    };
  },
};

/** The last fenced block of the language, else the last that names none, else a response without any fence. */
function codeOf(text: string, names: RegExp): string | null {
  const blocks = [...text.matchAll(/^[ \t]*```[ \t]*([a-zA-Z0-9+#]*)[^\n]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)];
  const block = blocks.findLast(([, name]) => names.test(name!)) ?? blocks.findLast(([, name]) => name === '');
  if (block !== undefined) return block[2]!;
  return blocks.length > 0 || text.includes('```') || text.trim() === '' ? null : text;
}
