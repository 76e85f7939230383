import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Seconds by file, as `npm run test:seconds` recorded them. */
const RECORDED = JSON.parse(readFileSync(new URL('../suite-seconds.json', import.meta.url), 'utf8'));
/** Of a file that is not recorded: it took less than is worth a line. */
const SHORT_MS = 1000;

/**
 * Long files first, so that no core waits for the other at the end of a run. A machine that ran a file before knows its own time; on a clean
 * clone jest would go by the size of files, which says nothing here: those that wait for servers are not the largest.
 */
export default class LongestFirst extends Sequencer {
  time(test) {
    const recorded = RECORDED[relative(ROOT, test.path)];
    return super.time(test) ?? (recorded === undefined ? SHORT_MS : recorded * 1000);
  }
}
