/**
 * Wrong neighbours and equal rewritings of references of every class, made afresh from a seed. A neighbour is wrong by construction: the
 * generator knows the numbers, and where a change might change nothing it compares values first. `npm run conformance:math` makes more.
 */
import { Random } from '@seamstream/kernel';
import { CLASSES } from './answer-classes.fake.js';
import { equivalent } from './equivalence.js';
import { TooCostly } from './meter.js';

const RULES = { decimals: 6, percent: 'either', positive: true } as const;
/** Wrong neighbours to make, in all; as many rewritings as come with them. */
const WANTED = Number(process.env.SEAM_TEST_NEIGHBOURS ?? 400);
const SEED = process.env.SEAM_TEST_SEED ?? '1';
/** Of the neighbours that may be taken for equal; of the rewritings that must be. */
const MOST_ACCEPTED = 0.0002;
const LEAST_RECOGNISED = 0.98;

describe('of generated answers', () => {
  it('hardly a wrong neighbour is taken for equal, and of equal rewritings nearly all', () => {
    const names = Object.keys(CLASSES);
    const [accepted, refused]: [string[], string[]] = [[], []];
    let [wrong, equal, costly] = [0, 0, 0];
    const rows = new Map<string, number[]>(names.map((name) => [name, [0, 0, 0, 0]]));
    const judged = (reference: string, answer: string): boolean => {
      try {
        return equivalent(reference, answer, RULES);
      } catch (error) {
        if (!(error instanceof TooCostly)) throw error;
        costly++;
        return false;
      }
    };
    for (let round = 0; wrong < WANTED; round++) {
      for (const name of names) {
        const made = CLASSES[name]!(Random.of('neighbours', SEED, name, round));
        const row = rows.get(name)!;
        for (const answer of new Set(made.wrong)) {
          wrong++;
          row[0]!++;
          if (!judged(made.reference, answer)) continue;
          row[1]!++;
          accepted.push(`${name}: ${made.reference} -> ${answer}`);
        }
        for (const answer of new Set(made.equal)) {
          equal++;
          row[2]!++;
          if (judged(made.reference, answer)) continue;
          row[3]!++;
          refused.push(`${name}: ${made.reference} -> ${answer}`);
        }
      }
    }
    const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(3)} %`;
    process.stdout.write(
      `math@1, seed ${SEED}: ${accepted.length} of ${wrong} wrong neighbours accepted (${percent(accepted.length, wrong)}), ${equal - refused.length} of ${equal} rewritings recognised (${percent(equal - refused.length, equal)}), ${costly} too costly\n`,
    );
    if (process.env.SEAM_TEST_NEIGHBOURS !== undefined) {
      for (const [name, [n, yes, m, no]] of rows)
        process.stdout.write(`  ${name}: ${yes} of ${n} accepted, ${no} of ${m} refused\n`);
      for (const each of refused) process.stdout.write(`  refused: ${each}\n`);
    }
    // What is allowed is cut off, so that a failure shows the cases.
    expect(accepted.slice(Math.floor(MOST_ACCEPTED * wrong))).toEqual([]);
    expect(refused.slice(Math.floor((1 - LEAST_RECOGNISED) * equal))).toEqual([]);
  });
});
