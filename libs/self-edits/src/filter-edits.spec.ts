import { readFileSync } from 'node:fs';
import { Random } from '@seamstream/kernel';
import { type FilteredEdits, filterEdits, type WrittenEdit } from './filter-edits.js';
import { selfEditKind } from './index.js';

/** Words, digits and signs: near enough to what a model's tokenizer counts for texts that are not at a limit. */
const countTokens = (text: string): number =>
  text.match(/\p{Script=Han}|\p{Script=Hiragana}|[\p{L}\p{M}]+|[^\s\p{L}]/gu)?.length ?? 0;

describe('the filters of self-edits, on 200 labelled edits', () => {
  const { batch, labels } = labelled();
  const result = filterEdits(batch, { countTokens });
  const reasons = reasonsOf(result);
  const found = batch.map(({ id }) => reasons.get(id) ?? 'ok');

  it('refuse what is labelled faulty and keep what is labelled healthy, within the stated rates', () => {
    const isRefused = found.map((each) => each !== 'ok');
    const isFaulty = labels.map((each) => each !== 'ok');
    const right = isRefused.filter((refused, at) => refused && isFaulty[at]).length;
    const precision = right / isRefused.filter(Boolean).length;
    const recall = right / isFaulty.filter(Boolean).length;
    print(labels, found, { precision, recall });
    expect(batch).toHaveLength(200);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    // Of a healthy model's edits fewer than a fifth may be lost.
    expect(
      isRefused.filter((refused, at) => refused && !isFaulty[at]).length / isFaulty.filter((faulty) => !faulty).length,
    ).toBeLessThan(0.2);
  });

  it('name the reason that the label names', () => {
    const named = found.filter((reason, at) => reason !== 'ok' && reason === labels[at]).length;
    const refused = found.filter((reason, at) => reason !== 'ok' && labels[at] !== 'ok').length;
    expect(named / refused).toBeGreaterThanOrEqual(0.95);
  });

  it('account for every edit once, with figures, and name the earlier one of a duplicate', () => {
    expect([...result.kept, ...result.refused.map(({ id }) => id)].sort()).toEqual(batch.map(({ id }) => id).sort());
    for (const { reason, figures, of } of result.refused) {
      expect(Object.values(figures).every(Number.isFinite)).toBe(true);
      expect(Object.keys(figures)).not.toHaveLength(0);
      expect(of === undefined).toBe(!reason.includes('duplicate'));
    }
  });

  it('find the same in any order, but for which of those alike is the earlier one', () => {
    const isAlike = (reason: string | undefined): boolean => reason?.includes('duplicate') === true;
    for (let seed = 0; seed < 5; seed++) {
      const other = reasonsOf(filterEdits(Random.of('order', seed).shuffled([...batch]), { countTokens }));
      for (const { id } of batch)
        if (!isAlike(reasons.get(id)) && !isAlike(other.get(id))) expect(other.get(id)).toBe(reasons.get(id));
    }
  });
});

describe('the filters of self-edits', () => {
  const edit = (text: string, kind = 'implications'): WrittenEdit => ({
    ...{ id: text.slice(0, 9), kind: selfEditKind(kind), text },
    passage: { title: null, passage: 'Ada Lovelace was born in London in 1815 and wrote about the Analytical Engine.' },
  });

  it.each([
    [19, ['too_short']],
    [20, []],
    [2048, []],
    [2049, ['too_long']],
  ])('hold to the limits of tokens exactly: %d', (tokens, expected) => {
    const { refused } = filterEdits([edit('Ada Lovelace was born in London.')], { countTokens: () => tokens });
    expect(refused.map(({ reason }) => reason)).toEqual(expected);
  });

  it('keep what is not written', () => {
    expect(filterEdits([edit('', 'passage')], { countTokens })).toEqual({ kept: [''], refused: [] });
  });

  it('take any text', () => {
    for (const text of ['', '\u0000', '\ud800', '😀'.repeat(999), '\n---\n', 'Question 1:', 'a'.repeat(8000)])
      for (const kind of ['implications', 'rewrite', 'self-qa'])
        expect(filterEdits([edit(text, kind)], { countTokens: () => 100 }).refused.length).toBeLessThanOrEqual(1);
  });
});

function reasonsOf({ refused }: FilteredEdits): ReadonlyMap<string, string> {
  return new Map(refused.map(({ id, reason }) => [id, reason]));
}

/** Edits of a person's writing over ten passages; `joined` is made of the texts of others, since a long one is tedious to write. */
function labelled(): { readonly batch: readonly WrittenEdit[]; readonly labels: readonly string[] } {
  const { passages, edits } = JSON.parse(readFileSync(new URL('labelled-edits.json', import.meta.url), 'utf8')) as {
    readonly passages: readonly WrittenEdit['passage'][];
    readonly edits: readonly {
      readonly passage: number;
      readonly kind: string;
      readonly label: string;
      readonly text?: string;
      readonly joined?: readonly [from: number, to: number];
    }[];
  };
  const batch = edits.map(({ passage, kind, text, joined }, at) => ({
    ...{ id: `${at}`, kind: selfEditKind(kind), passage: passages[passage]! },
    text:
      text ??
      edits
        .slice(...joined!)
        .map((each) => each.text)
        .join('\n'),
  }));
  return { batch, labels: edits.map(({ label }) => label) };
}

/** For a person, where the script conformance:edits asks. */
function print(labels: readonly string[], found: readonly string[], rates: Readonly<Record<string, number>>): void {
  if (process.env.SEAM_TEST_EDITS !== '1') return;
  const lines = [...new Set(labels)].map((label) => {
    const of = found.filter((_, at) => labels[at] === label);
    const wrong = found.flatMap((reason, at) => (labels[at] === label && reason !== label ? [`${at}: ${reason}`] : []));
    return `${label}: ${of.length - wrong.length} of ${of.length}${wrong.length === 0 ? '' : `; not ${wrong.join(', ')}`}`;
  });
  const shares = Object.entries(rates).map(([name, rate]) => `${name} ${rate.toFixed(3)}`);
  process.stderr.write(`${[...lines, ...shares].join('\n')}\n`);
}
