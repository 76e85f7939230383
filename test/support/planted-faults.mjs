// Faults of services that the chaos harness must catch (R39): per fault, which part of which compiled file becomes what.
// A pause where a fault opens a gap between two commits makes the gap wide enough for a few kills to find it.

const TRANSACT = /await log\.transact\(\{\s*records,\s*(consumed: \{[\s\S]*?\]\s*\})\s*\}\);/;
const pause = (ms) => `await new Promise((resolve) => setTimeout(resolve, ${ms}));`;
const PAUSE = pause(250);
/** Longer than a batch takes: a stopped process has one in flight, finished but not committed. */
const LONG_PAUSE = pause(1500);

/** The second net: what was answered before is skipped, regardless of its writer. A fault that it would hide is shown without it. */
const NO_SECOND_NET = [
  /transport\/partition-processor\.js$/,
  /if \(this\.answered !== undefined\)\s*items = /,
  'if (false) items = ',
];

/** The log's own: what was committed once is not committed again by any process. */
const NO_PROGRESS_CHECKED = [
  /event-log\/dist\/record-rules\.js$/,
  /if \(committed === undefined \|\| nextOffset > committed\)\s*return;/,
  'return;',
];

/** By name: rows of [file, pattern, what takes its place]. */
export const PLANTED_FAULTS = {
  'commit-before-write': [
    [
      /transport\/commit-step\.js$/,
      TRANSACT,
      `await log.transact({ records: [], $1 }); ${PAUSE} if (records.length > 0) await log.append(records);`,
    ],
  ],
  'write-before-commit': [
    NO_SECOND_NET,
    [
      /transport\/commit-step\.js$/,
      TRANSACT,
      `if (records.length > 0) await log.append(records); ${PAUSE} await log.transact({ records: [], $1 });`,
    ],
  ],
  'new-ids': [
    [
      /kernel\/dist\/ids\.js$/,
      /export function derivedId\(/,
      'export function derivedId() { return randomUUID(); } export function neverCalled(',
    ],
  ],
  'ignores-the-epoch': [
    NO_SECOND_NET,
    NO_PROGRESS_CHECKED,
    [
      /transport\/commit-step\.js$/,
      /if \(signal\.aborted\) throw new SeamError\('ABORTED', `Cannot commit/,
      `${LONG_PAUSE} if (false) throw new SeamError('ABORTED', \`Cannot commit`,
    ],
    [
      /event-log-lmdb\/dist\/log-writer\.js$/,
      /if \(owner\?\.memberId === memberId && owner\.generation === generation\) return;/,
      'return;',
    ],
  ],
};

/**
 * @param source of the compiled file
 * @param rows those of a fault that belong to this file
 * @throws when the source has nothing like a row's pattern
 */
export function withFault(fault, url, source, rows) {
  for (const [, pattern, text] of rows) {
    if (!pattern.test(source))
      throw new Error(
        `Cannot plant ${fault}: expected ${pattern} in ${url}, got nothing like it. Mend its row in planted-faults.mjs.`,
      );
    source = source.replace(pattern, text);
  }
  return source;
}
