// Makes the mutants of a file, and the one text that holds them all: each is dormant until a process, its threads and its children find its
// name in their environment. So a mutant is tried without compiling anything, also in threads that run compiled code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { wordsOnly } from './words-only.mjs';

/** The variable that names the mutant, read by the code that the instrumenter writes. */
export const ACTIVE = '__STRYKER_ACTIVE_MUTANT__';

const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn() {} };
const OPTIONS = { plugins: null, ignorers: [wordsOnly], excludedMutations: [], noHeader: false };

/** The library is put together by an injector; it needs no more of one than this. */
const instrumenter = createInstrumenter(
  (function injector(values) {
    return {
      provideValue: (token, value) => injector({ ...values, [token]: value }),
      injectClass: (Class) => new Class(...Class.inject.map((token) => values[token])),
    };
  })({ logger: silent }),
);

/**
 * @param file from the root
 * @returns `text` with every mutant in it, and `mutants` that count, in the order of the text:
 *   { id, file, line, mutator, from, to, within }: `within` is the line's text, `from` and `to` are on one line each
 */
export async function mutantsOf(root, file) {
  const source = readFileSync(join(root, file), 'utf8');
  const { files, mutants } = await instrumenter.instrument([{ name: file, mutate: true, content: source }], OPTIONS);
  const lines = source.split('\n');
  return {
    text: files[0].content.replaceAll(
      /(stry(?:MutAct|Cov)_\w+\()("\d+"(?:, "\d+")*)\)/g,
      (_, call, ids) => `${call}${ids.replaceAll(/"(\d+)"/g, (_id, id) => JSON.stringify(`${file}#${id}`))})`,
    ),
    mutants: mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, mutatorName, location: { start, end }, replacement }) => ({
        id: `${file}#${id}`,
        file,
        line: start.line + 1,
        mutator: mutatorName,
        from: onOneLine(textBetween(lines, start, end)),
        to: onOneLine(replacement),
        within: lines[start.line].trim(),
      })),
  };
}

function textBetween(lines, start, end) {
  if (start.line === end.line) return lines[start.line].slice(start.column, end.column);
  return [
    lines[start.line].slice(start.column),
    ...lines.slice(start.line + 1, end.line),
    lines[end.line].slice(0, end.column),
  ].join('\n');
}

const onOneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();
