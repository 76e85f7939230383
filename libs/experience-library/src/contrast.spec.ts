import { domainEntrySchema } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { consolidate, DEFAULT_LIMITS } from './consolidate.decide.js';
import { contrast, type JudgedAttempt } from './contrast.decide.js';
import { successorOf } from './library.js';

describe('the contrast within groups', () => {
  it('finds the texts that go with success, and puts each into the field where it was', () => {
    const { proposals, metrics } = contrast(attempts(60, 'learned'), empty, schemaFor, SETTINGS);
    const { library } = consolidate(empty, proposals, DEFAULT_LIMITS);
    expect(library.items.map(({ field, text }) => `${field}: ${text}`).sort()).toEqual([
      'concepts: for bow yew',
      'concepts: for cask oak',
      'strategy: count',
    ]);
    expect(library.items.every(({ provenance }) => provenance.groups.length > 5)).toBe(true);
    expect(metrics.liveGroups).toBeLessThanOrEqual(60);
  });

  it('finds a text that means nothing in at most as many batches as the level says', () => {
    const found = Array.from({ length: 300 }, (_, trial) =>
      contrast(attempts(20, `noise ${trial}`, false), empty, schemaFor, SETTINGS),
    ).filter(({ metrics }) => metrics.helpingTexts! > 0);
    expect(found.length / 300).toBeLessThan(0.08);
  });

  it('does not depend on the order of the attempts', () => {
    const all = attempts(40, 'order');
    expect(contrast(Random.of('shuffle').shuffled(all), empty, schemaFor, SETTINGS)).toEqual(
      contrast(all, empty, schemaFor, SETTINGS),
    );
  });

  it('does not take the habits of another writer for a reason', () => {
    // One writer always says cask oak and succeeds; another never does and fails: within neither anything differs.
    const all = attempts(40, 'writers').map((each, index) => ({
      ...each,
      writer: index % 2 === 0 ? 'good' : null,
      success: index % 2 === 0,
      entry: JSON.stringify({
        concepts: [`for cask ${index % 2 === 0 ? 'oak' : 'teak'}`],
        strategy: ['count'],
        pitfalls: ['none'],
      }),
    }));
    expect(contrast(all, empty, schemaFor, SETTINGS).proposals).toEqual([]);
  });

  it('corrects an item that says otherwise about the same thing, and deletes one that goes with failure', () => {
    const wrong = consolidate(
      empty,
      ['for bow teak', 'for cask oak'].map((text) => ({
        operation: 'add' as const,
        text,
        domain: 'timber',
        field: 'concepts',
        reason: '',
        groups: [],
        calls: [],
      })),
      DEFAULT_LIMITS,
    ).library;
    const { proposals } = contrast(attempts(60, 'learned'), wrong, schemaFor, SETTINGS);
    const bow = wrong.items.find(({ text }) => text === 'for bow teak')!;
    expect(proposals).toContainEqual(expect.objectContaining({ operation: 'modify', id: bow.id, text: 'for bow yew' }));
    expect(proposals.map(({ operation }) => operation)).toContain('keep');
    const harmful = consolidate(
      empty,
      [{ operation: 'add', text: 'guess', domain: 'timber', field: 'strategy', reason: '', groups: [], calls: [] }],
      DEFAULT_LIMITS,
    ).library;
    expect(contrast(attempts(60, 'learned'), harmful, schemaFor, SETTINGS).proposals).toContainEqual(
      expect.objectContaining({ operation: 'delete', id: 'e1' }),
    );
  });

  it('learns nothing from groups without a difference, and from what is no entry', () => {
    const all = attempts(20, 'learned');
    const alike = all.map((each) => ({ ...each, success: true }));
    expect(contrast(alike, empty, schemaFor, SETTINGS).proposals).toEqual([]);
    const broken = all.map((each, index) => ({ ...each, entry: ['[]', '{', '"x"', '{"concepts":7}'][index % 4]! }));
    expect(contrast(broken, empty, schemaFor, SETTINGS).proposals).toEqual([]);
  });
});

const WORDS = ['bow', 'cask'];
const WOODS = ['yew', 'oak', 'teak'];
const RIGHT: Readonly<Record<string, string>> = { bow: 'yew', cask: 'oak' };
const schema = domainEntrySchema({
  concepts: {
    words: WORDS.flatMap((word) => WOODS.map((wood) => `for ${word} ${wood}`)),
    quotesBetween: ['for ', ' '],
  },
  strategy: { words: ['count', 'guess'] },
  pitfalls: { words: ['none'] },
});
const schemaFor = () => schema;
const empty = successorOf(null, { baseModelDigest: 'b'.repeat(64) });
const SETTINGS = { level: 0.05, maxOperations: null };

/** Groups of eight attempts; one succeeds where it names the right wood and counts, if anything means anything. */
function attempts(groups: number, seed: string, meaning = true): JudgedAttempt[] {
  const random = Random.of(seed);
  return Array.from({ length: groups }, (_, group) => {
    const word = WORDS[group % 2]!;
    return Array.from({ length: 8 }, (_unused, member): JudgedAttempt => {
      const [wood, strategy] = [random.pick(WOODS), random.pick(['count', 'guess'])];
      const chance = random.float() < 0.3;
      return {
        experienceId: `${group}/${member}`,
        ...{ groupId: `group ${String(group).padStart(3, '0')}`, domain: 'timber', writer: null },
        entry: JSON.stringify({ concepts: [`for ${word} ${wood}`], strategy: [strategy], pitfalls: ['none'] }),
        success: meaning ? wood === RIGHT[word] && strategy === 'count' : chance,
      };
    });
  }).flat();
}
