import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import type { AugmentedLine } from '@seamstream/operations/edits';
import type { EditOutcome, EditRequest, EditWriter } from '@seamstream/self-edits';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const EDIT = (passage: string): string =>
  `${passage} follows from the plan of the old town.\nThe town of ${passage} had a wall, a gate and a market.\nNo one left ${passage} on foot.`;

let world: FakeWorld;
let cache: string;
/** Passages as they were asked, a list per batch. */
let asked: string[][];
let outcomeOf: (request: EditRequest) => EditOutcome;
beforeEach(async () => {
  world = await fakeWorld();
  cache = mkdtempSync(join(tmpdir(), 'cache-'));
  asked = [];
  outcomeOf = ({ passage }) => ({ status: 'written', text: EDIT(passage.passage) });
  world.editWriter = writer;
  give(6);
});

const writer: EditWriter = {
  identity: { source: 'test', model: 'm', adapter: null, form: 'f' },
  batch: 2,
  countTokens: (text) => text.split(/\s/).length,
  write(requests, { signal, onOutcome }) {
    asked.push(requests.map(({ passage }) => passage.passage));
    for (const [index, request] of requests.entries()) {
      onOutcome(index, outcomeOf(request));
      if (signal?.aborted === true) return Promise.reject(new SeamError('ABORTED', 'stopped'));
    }
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
};

/** Names that share few runs of letters: their edits are no near duplicates. */
const NAMES = ['Quorvale', 'Zimtholm', 'Brexwick', 'Jundalfy', 'Phoskarn', 'Wyvelgut'];
function give(passages: number): void {
  const rows = Array.from({ length: passages }, (_, index) => {
    const passage = NAMES[index] ?? `Place${index}`;
    return JSON.stringify({ title: 'Towns', passage, questions: [{ question: 'SECRET?', reference: 'r' }] });
  });
  world.files.set('p.jsonl', Buffer.from(rows.join('\n')));
}

const generate = (...args: string[]) => world.seam('edits', 'generate', 'p.jsonl', '--cache', cache, ...args);
const textOf = (path: string): string => Buffer.from(world.files.get(path)!).toString();
const linesOf = (path: string): AugmentedLine[] =>
  textOf(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AugmentedLine);
/** Keeps near duplicates of the six towns from one another by words that only one of them has. */
const distinct = ({ passage, seed }: EditRequest): EditOutcome => {
  const words = Array.from({ length: 30 }, (_, at) => `${passage.passage}${at}${seed.slice(0, 3)}`);
  return { status: 'written', text: words.join(' ') };
};

describe('seam edits generate', () => {
  it('writes a line per passage: the edit with its documents, or the filter that refused it, or why there is none', async () => {
    outcomeOf = (request) => {
      const { passage } = request.passage;
      if (passage === 'Zimtholm') return { status: 'written', text: 'Short.' };
      if (passage === 'Brexwick')
        return { status: 'failed', code: 'DEADLINE_EXCEEDED', reason: 'late', retryable: true };
      if (passage === 'Jundalfy') return { status: 'written', text: EDIT('Quorvale') };
      return distinct(request);
    };
    expect(await generate('--out', 'out.jsonl', '--json')).toBe(1);
    const lines = linesOf('out.jsonl');
    expect(lines.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5, 6]);
    const [first, short, late] = lines as [AugmentedLine, AugmentedLine, AugmentedLine];
    expect(first).toMatchObject({
      edit: expect.any(String),
      refused: null,
      unaugmented: null,
      model: 'm',
      seed: 'seam',
    });
    expect(first.documents).toEqual([`Towns\n${first.edit!}`, 'Towns\nQuorvale']);
    expect(short).toMatchObject({ edit: 'Short.', refused: { reason: 'too_short', figures: { tokens: 1 } } });
    expect(late).toMatchObject({
      ...{ edit: null, refused: null, documents: ['Towns\nBrexwick'] },
      unaugmented: { code: 'DEADLINE_EXCEEDED', reason: 'late', tries: 3 },
    });
    expect(textOf('out.jsonl')).not.toContain('SECRET');
    expect(world.takeJson()).toMatchObject([
      {
        ...{ passages: 6, edits: 5, kept: 3, refused: { too_short: 1, gibberish: 1 }, written: 5, cached: 0 },
        ...{ unaugmented: { DEADLINE_EXCEEDED: 1 }, documents: 9, hitRate: 0, tokens: 'counted' },
      },
    ]);
  });

  it('resumes after a stop with the same bytes, and asks for no edit that was written', async () => {
    outcomeOf = distinct;
    expect(await generate('--out', 'whole.jsonl', '--no-cache')).toBe(0);
    asked = [];
    outcomeOf = (request) => {
      if (request.passage.passage === 'Brexwick') world.interrupt();
      return distinct(request);
    };
    expect(await generate('--out', 'out.jsonl')).toBe(130);
    expect(world.takeErrors()).toMatch(
      /2 of 6 edits are in out\.jsonl\..*\.part\. The same command resumes from there\./,
    );
    outcomeOf = distinct;
    expect(await generate('--out', 'out.jsonl')).toBe(0);
    expect(asked).toEqual([['Quorvale', 'Zimtholm'], ['Brexwick', 'Jundalfy'], ['Jundalfy', 'Phoskarn'], ['Wyvelgut']]);
    expect(textOf('out.jsonl')).toBe(textOf('whole.jsonl'));
    expect(world.takeErrors()).toContain('2 of 6 edits are there from an earlier run: resuming.');
  });

  it('refuses after a stop what is like an edit from before it', async () => {
    const same = (): EditOutcome => ({ status: 'written', text: EDIT('Quorvale') });
    outcomeOf = ({ passage }) => {
      if (passage.passage === 'Quorvale gate') world.interrupt();
      return same();
    };
    const passages = ['Quorvale', 'Quorvale town', 'Quorvale gate'];
    const rows = passages.map((passage) => ({ passage, questions: [{ question: 'Q?', reference: 'r' }] }));
    world.files.set('p.jsonl', Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')));
    expect(await generate('--out', 'out.jsonl')).toBe(130);
    outcomeOf = same;
    expect(await generate('--out', 'out.jsonl')).toBe(0);
    expect(linesOf('out.jsonl').map(({ refused }) => refused)).toMatchObject([
      null,
      { reason: 'duplicate', of: '1' },
      { reason: 'duplicate', of: '1' },
    ]);
  });

  it('takes from the cache what was written for the same passages, and asks again when anything that decides is another', async () => {
    outcomeOf = distinct;
    await generate('--out', 'a.jsonl');
    world.takeOutput();
    asked = [];
    expect(await generate('--out', 'b.jsonl', '--metrics', 'm.prom', '--json')).toBe(0);
    expect(asked).toEqual([]);
    expect(textOf('b.jsonl')).toBe(textOf('a.jsonl'));
    expect(textOf('m.prom')).toContain('\nseam_edits_cache_hit_ratio 1\n');
    expect(world.takeJson().at(-1)).toMatchObject({ cached: 6, written: 0, hitRate: 1 });
    const changes = [
      ['--seed', 'x'],
      ['--kind', 'facts'],
      ['--temperature', '0.5'],
      ['--top-p', '0.5'],
      ['--max-tokens', '9'],
    ];
    for (const [at, change] of changes.entries()) {
      await generate('--out', `c${at}.jsonl`, ...change);
      expect(asked.flat()).toHaveLength(6 * (at + 1));
    }
    world.editWriter = { ...writer, identity: { ...writer.identity, adapter: 'a1' } };
    await generate('--out', 'd.jsonl');
    expect(asked.flat()).toHaveLength(6 * (changes.length + 1));
  });

  it('stops when the writer fails for every passage, and keeps no line of those', async () => {
    give(50);
    let left = 5;
    outcomeOf = (request) =>
      left-- > 0
        ? distinct(request)
        : { status: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason: 'down', retryable: true };
    expect(await generate('--out', 'out.jsonl', '--tries', '1')).toBe(70);
    expect(world.takeErrors()).toContain(
      'Cannot continue writing edits: expected one of 32 edits in a row to be written',
    );
    const part = [...world.files.keys()].find((path) => path.startsWith('out.jsonl'))!;
    expect(linesOf(part)).toHaveLength(5);
    outcomeOf = distinct;
    expect(await generate('--out', 'out.jsonl', '--tries', '1')).toBe(0);
    expect(linesOf('out.jsonl').filter(({ unaugmented }) => unaugmented !== null)).toEqual([]);
  });

  it('writes several edits of a passage, which is trained on once', async () => {
    outcomeOf = distinct;
    expect(await generate('--out', 'out.jsonl', '--edits', '3', '--limit', '2')).toBe(0);
    const lines = linesOf('out.jsonl');
    expect(lines.map(({ row, number }) => `${row}/${number}`)).toEqual(['1/0', '1/1', '1/2', '2/0', '2/1', '2/2']);
    expect(lines.flatMap(({ documents }) => documents).filter((text) => text === 'Towns\nQuorvale')).toHaveLength(1);
    expect(new Set(lines.map(({ edit }) => edit)).size).toBe(6);
  });

  it('asks nothing for the passage alone', async () => {
    world.editWriter = undefined;
    expect(await generate('--out', 'out.jsonl', '--kind', 'passage')).toBe(0);
    expect(linesOf('out.jsonl')[0]).toMatchObject({ edit: null, documents: ['Towns\nQuorvale'], unaugmented: null });
  });

  it('refuses an edit of another meaning than its passage, where a server of embeddings compares them', async () => {
    outcomeOf = distinct;
    const compared: (readonly [string, string])[] = [];
    world.similarity = {
      identity: 'test',
      similarities(pairs) {
        compared.push(...pairs);
        return Promise.resolve(pairs.map(([, passage]) => (passage === 'Zimtholm' ? 0.1 : 0.9)));
      },
      close: () => Promise.resolve(),
    };
    const options = ['--similarity-endpoint', 'http://h/v1', '--similarity-model', 'e', '--limit', '3'];
    expect(await generate('--out', 'out.jsonl', ...options)).toBe(0);
    const [near, far] = linesOf('out.jsonl');
    expect(compared.map(([edit]) => edit)).toEqual(linesOf('out.jsonl').map(({ edit }) => edit));
    expect(near!.refused).toBeNull();
    expect(far).toMatchObject({
      ...{ refused: { reason: 'dissimilar', figures: { similarity: 0.1 } }, documents: ['Towns\nZimtholm'] },
    });
    world.similarity = {
      ...world.similarity,
      similarities: () => Promise.reject(new SeamError('ENDPOINT_UNAVAILABLE', 'down')),
    };
    expect(await generate('--out', 'none.jsonl', ...options)).toBe(70);
    expect(world.files.has('none.jsonl')).toBe(false);
  });

  it.each([
    [['--similarity-endpoint', 'http://h/v1'], 'with its model (--similarity-model), got one alone'],
    [['--endpoint', 'http://h/v1'], "expected the endpoint's model (--endpoint-model), got an address alone"],
    [['--endpoint-model', 'm'], 'expected the address of the endpoint (--endpoint)'],
    [['--endpoint', 'http://u:p@h/v1', '--endpoint-model', 'm'], 'without a user and a password'],
    [['--kind', 'implication'], 'did you mean implications?'],
    [['--cache-size', '5 bananas'], 'expected a size as 5GB or 500MiB, got "5 bananas"'],
  ])('refuses %j', async (args, message) => {
    expect(await generate('--out', 'out.jsonl', ...args)).toBe(2);
    expect(world.takeErrors()).toContain(message);
    expect(asked).toEqual([]);
  });

  it('names every faulty row before a model is asked', async () => {
    world.files.set(
      'p.jsonl',
      Buffer.from('{"passage":"P","questions":[{"question":"Q?","reference":"r"}]}\n{"passage":3}\n{'),
    );
    expect(await generate('--out', 'out.jsonl')).toBe(2);
    expect(world.takeErrors()).toMatch(
      /2 faulty lines\. Correct the file:\n {2}line 2: .*\n {2}line 2: .*\n {2}line 3: /,
    );
    expect(asked).toEqual([]);
  });
});

describe('a data set with edits', () => {
  it('is inspected, and exported as text that any trainer reads', async () => {
    outcomeOf = (request) =>
      request.passage.passage === 'Zimtholm' ? { status: 'written', text: '\u001b[2JShort.' } : distinct(request);
    await generate('--out', 'out.jsonl', '--limit', '2');
    world.takeOutput();
    expect(await world.seam('edits', 'inspect', 'out.jsonl', '--row', '2')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/refused +1 too_short/);
    expect(shown).toMatch(/filters +refused as too_short: tokens 1/);
    expect(shown).not.toContain('\u001b');
    expect(await world.seam('edits', 'export', 'out.jsonl', '--out', 'docs.jsonl')).toBe(0);
    const documents = textOf('docs.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string });
    expect(documents.map(({ text }) => text)).toEqual(linesOf('out.jsonl').flatMap((line) => line.documents));
    expect(await world.seam('edits', 'inspect', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot read line 1 of p.jsonl');
  });
});

describe('seam edits cache', () => {
  it('is warmed, counted, pruned and cleared', async () => {
    outcomeOf = distinct;
    const act = (...args: string[]) => world.seam('edits', 'cache', ...args, '--cache', cache, '--json');
    expect(await act('warm', 'p.jsonl')).toBe(0);
    asked = [];
    await generate('--out', 'out.jsonl', '--json');
    expect(asked).toEqual([]);
    world.takeOutput();
    expect(await act('stats')).toBe(0);
    const [stats] = world.takeJson() as [{ bytes: number }];
    expect(stats).toMatchObject({ edits: 6, hits: 6, misses: 6, hitRate: 0.5 });
    expect(await act('prune', '--max-size', `${Math.ceil(stats.bytes / 2)}`)).toBe(0);
    expect(world.takeJson()).toMatchObject([{ edits: 3 }]);
    expect(await act('clear')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ edits: 3 }]);
    expect(await world.seam('edits', 'cache', 'stats', '--cache', cache)).toBe(0);
    expect(world.takeOutput()).toMatch(/edits +0, 0 B\nhit rate +–/);
  });
});
