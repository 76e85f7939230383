// For `node --import`: plants the fault that MUTANT names into a service as it is loaded. The chaos harness must catch each (R39).
// A pause where a fault opens a gap between two commits makes the gap wide enough for a few kills to find it.
import { registerHooks } from 'node:module';

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

const MUTANTS = {
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
      /if \(signal\.aborted\) throw new SeamError\('ABORTED', `Committing/,
      `${LONG_PAUSE} if (false) throw new SeamError('ABORTED', \`Committing`,
    ],
    [
      /event-log-lmdb\/dist\/log-writer\.js$/,
      /if \(owner\?\.memberId === memberId && owner\.generation === generation\) return;/,
      'return;',
    ],
  ],
};

const replacements = MUTANTS[process.env.MUTANT];
if (replacements === undefined)
  throw new Error(`MUTANT=${process.env.MUTANT}: expected ${Object.keys(MUTANTS).join(', ')}`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = replacements.filter(([file]) => file.test(url));
    if (own.length === 0) return loaded;
    let source = Buffer.from(loaded.source).toString();
    for (const [, pattern, text] of own) {
      if (!pattern.test(source))
        throw new Error(`mutant ${process.env.MUTANT}: ${url} has nothing like ${pattern}; mend the mutant`);
      source = source.replace(pattern, text);
    }
    return { ...loaded, source };
  },
});
