import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeEvent, type EventOf, TOPIC } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { VERL_PARQUET } from '@seamstream/testing/verl-parquet';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const file = (...lines: string[]): Uint8Array => Buffer.from(`${lines.join('\n')}\n`);

async function published(world: FakeWorld): Promise<EventOf<'ProblemPublished'>[]> {
  const events: EventOf<'ProblemPublished'>[] = [];
  for (const { partition } of await world.log.watermarks(TOPIC.problems)) {
    for await (const chunk of world.log.read({ topic: TOPIC.problems, partition, from: 0 })) {
      for (const record of chunk) {
        const event = decodeEvent(record);
        if (event.type === 'ProblemPublished') events.push(event);
      }
    }
  }
  return events.sort((a, b) => (a.problem.prompt < b.problem.prompt ? -1 : 1));
}

const SUM = '{"domain":"sums","prompt":"2 + 3?","reference":"5","verifier":"numeric","metadata":{"level":"easy"}}';
const CAPITAL = '{"problemId":"capital-1","prompt":"Capital of Peru?","reference":"Lima","mode":"deploy"}';

describe('seam publish', () => {
  it('publishes one event per line, with defaults for what the line leaves out', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(SUM, '', CAPITAL));
    expect(await world.seam('publish', 'p.jsonl')).toBe(0);
    expect(world.takeOutput()).toMatch(/^published 2 problems of p\.jsonl \([0-9a-f]{8}\)\n$/);
    const [sum, capital] = await published(world);
    expect(sum?.problem).toMatchObject({
      domain: 'sums',
      prompt: '2 + 3?',
      reference: '5',
      verifier: { kind: 'numeric', options: {} },
      metadata: { level: 'easy' },
    });
    expect(sum?.mode).toBe('explore');
    expect(sum?.meta).toMatchObject({
      correlationId: sum?.problem.problemId,
      causationId: null,
      source: 'seam/cli',
      sourceClass: 'user',
      occurredAt: Date.UTC(2030, 0, 31, 12),
    });
    expect(capital).toMatchObject({ mode: 'deploy', problem: { problemId: 'capital-1', domain: 'default' } });
    expect(capital?.problem.verifier?.kind).toBe('exact');
  });

  it('publishes for a tenant, whose problems are its own also where the file and its ids are those of another', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(SUM, CAPITAL));
    expect(await world.seam('publish', 'p.jsonl')).toBe(0);
    expect(world.takeErrors()).toBe('');
    expect(await world.seam('publish', 'p.jsonl', '--tenant', 'acme', '--duplicates', 'skip')).toBe(0);
    // It learns of no question that another tenant asked.
    expect(world.takeErrors()).toBe('');
    expect(world.takeOutput()).toContain('published 2 problems of p.jsonl');
    expect(await world.seam('publish', 'p.jsonl', '--tenant', 'globex')).toBe(0);
    expect(world.takeOutput()).toMatch(/\([0-9a-f]{8}\) for the tenant globex\n$/);
    const events = await published(world);
    expect(events.map(({ meta }) => meta.tenant).toSorted()).toEqual(['acme', 'acme', 'globex', 'globex', null, null]);
    expect(new Set(events.map(({ problem }) => problem.problemId)).size).toBe(6);
    // The id that the gateway gives to its word.
    const capital = events.find(({ meta, problem }) => meta.tenant === 'acme' && problem.prompt.startsWith('Capital'));
    expect(capital?.problem.problemId).toBe(derivedId('acme/capital-1', 'problem'));
    // Each is recognised as published before, for the same tenant.
    for (const tenant of [[], ['--tenant', 'acme'], ['--tenant', 'default']])
      expect(await world.seam('publish', 'p.jsonl', ...tenant)).toBe(2);
    expect(world.takeErrors()).toContain('all 2 are in it already');
    expect(await published(world)).toHaveLength(6);
  });

  it.each(['Acme', 'a--b', '', '*', 'a/b', 'a'.repeat(33)])(
    'refuses the tenant %j, which is no name of one',
    async (tenant) => {
      const world = await fakeWorld();
      world.files.set('p.jsonl', file(SUM));
      expect(await world.seam('publish', 'p.jsonl', '--tenant', tenant)).toBe(2);
      expect(world.takeErrors()).toContain("expected a tenant's name");
      expect(await published(world)).toEqual([]);
    },
  );

  it('names every bad line with what was expected and what it got, and records nothing', async () => {
    const world = await fakeWorld();
    world.files.set(
      'p.jsonl',
      file(
        SUM,
        '{"prompt":"no reference"}',
        'not json',
        '{"prompt":"","reference":"x"}',
        '{"prompt":"x","reference":"y","answr":"z"}',
        '{"prompt":"x","reference":"y","verifier":"oracle"}',
        '{"prompt":"x","reference":"y","metadata":{"level":3}}',
        '{"prompt":"x","reference":"\\ud800"}',
        '{"prompt":"x","reference":"five","verifier":"numeric"}',
        '{"prompt":"x","reference":"5","verifier":{"kind":"numeric","options":{"tolerence":"1"}}}',
        '[1,2]',
      ),
    );
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    const said = world.takeErrors();
    expect(said).toContain('10 of 11 lines cannot be used; nothing was recorded');
    expect(said).toContain('line 2: reference: expected a text (the answer');
    expect(said).toContain('got nothing');
    expect(said).toContain('line 3: expected one JSON object, got "not json"');
    expect(said).toContain('line 4: prompt: expected a text that is not empty, got ""');
    expect(said).toContain('line 5: answr: expected no such field');
    expect(said).toContain('line 6: verifier: expected a verifier that exists: exact@1, numeric@1');
    expect(said).toContain('line 7: metadata.level: expected a text, got 3');
    expect(said).toContain('line 8: reference: ');
    expect(said).toContain('line 9: reference: expected what its verifier can judge by');
    expect(said).toContain('got "five"');
    expect(said).toContain('got tolerence');
    expect(said).toContain('line 11: expected one JSON object, got [1,2]');
    expect(await published(world)).toEqual([]);
  });

  it('lists the first bad lines and counts the others', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(...Array.from({ length: 50 }, () => '{}')));
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(2);
    const [report] = world.takeJson() as {
      error: { code: string; details: { badRows: number; faults: unknown[] } };
    }[];
    expect(report?.error.code).toBe('INVALID_INPUT');
    expect(report?.error.details.badRows).toBe(50);
    expect(report?.error.details.faults).toHaveLength(20);
    expect(world.takeErrors()).toContain('… and 40 more bad lines');
  });

  it('refuses two lines with the same id', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(CAPITAL, CAPITAL));
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain(
      'line 2: problemId: expected a unique id (line 1 has this one), got "capital-1"',
    );
  });

  it('refuses a metadata key that no reader of the log would accept', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file('{"prompt":"x","reference":"y","metadata":{"__proto__":"z"}}'));
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('line 1: expected no field with the name __proto__');
  });

  it('refuses bytes that are no UTF-8 and lines that no event could carry', async () => {
    const world = await fakeWorld();
    const long = JSON.stringify({ prompt: 'x'.repeat(300_000), reference: 'y' });
    world.files.set('p.jsonl', Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(long)]));
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    const said = world.takeErrors();
    expect(said).toContain('line 1: expected UTF-8');
    expect(said).toContain('line 2: expected at most 262144 bytes, got 300');
  });

  it('refuses the whole file for a prompt that no generator would tokenize, by its line', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(SUM, SUM.replace('2 + 3', '2'.repeat(131_073)), '{"prompt":"Why?"}'));
    expect(await world.seam('publish', 'p.jsonl', '--ungraded')).toBe(2);
    const said = world.takeErrors();
    expect(said).toContain('1 of 3 lines cannot be used; nothing was recorded');
    expect(said).toMatch(/line 2: prompt: expected a text of at most 131072 characters, got 131\d+ characters/);
    expect(await published(world)).toEqual([]);
  });

  it('recognises a file that was published before, continues a part and repeats on request under new ids', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(SUM, SUM.replace('2 + 3', '3 + 3'), SUM.replace('2 + 3', '4 + 3')));
    expect(await world.seam('publish', 'p.jsonl', '--limit', '1', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ problems: 1, published: 1, alreadyPublished: 0 }]);
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ problems: 3, published: 2, alreadyPublished: 1, pass: 0 }]);
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('all 3 are in it already. Nothing was recorded. Use --again');
    expect(await published(world)).toHaveLength(3);
    expect(await world.seam('publish', 'p.jsonl', '--again', '--json')).toBe(0);
    expect(await world.seam('publish', 'p.jsonl', '--again', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      { published: 3, pass: 1 },
      { published: 3, pass: 2 },
    ]);
    const ids = (await published(world)).map(({ problem }) => problem.problemId);
    expect(new Set(ids).size).toBe(9);
  });

  it.each([
    ['at the same time', 0],
    ['while it is under way', 1],
    ['when little is left', 2],
  ])('lets a file that is published twice %s be finished by the later one, each problem once', async (_when, steps) => {
    const world = await fakeWorld();
    const lines = Array.from({ length: 1100 }, (_, i) => SUM.replace('2 + 3', `${i} + 3`));
    world.files.set('p.jsonl', file(...lines));
    const transact = world.log.transact.bind(world.log);
    let step = 0;
    let later: number | undefined;
    world.log.transact = async (transaction) => {
      if (step++ === steps) later = await world.seam('publish', 'p.jsonl', '--json');
      return transact(transaction);
    };
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(2);
    expect(later).toBe(0);
    expect(world.takeJson()).toMatchObject([
      { published: 1100 - steps * 500, alreadyPublished: steps * 500 },
      { error: { code: 'CONFLICT', details: { published: steps * 500, problems: 1100 } } },
    ]);
    expect(world.takeErrors()).toContain('another process publishes the same file and continues there');
    const ids = (await published(world)).map(({ problem }) => problem.problemId);
    expect([ids.length, new Set(ids).size]).toEqual([1100, 1100]);
  });

  it('lets different files be published at once', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(SUM));
    world.files.set('q.jsonl', file(CAPITAL));
    expect(await Promise.all([world.seam('publish', 'p.jsonl'), world.seam('publish', 'q.jsonl')])).toEqual([0, 0]);
    expect(await published(world)).toHaveLength(2);
  });

  it('refuses to repeat a problem that brings its own id', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(CAPITAL));
    await world.seam('publish', 'p.jsonl');
    expect(await world.seam('publish', 'p.jsonl', '--again')).toBe(2);
    expect(world.takeErrors()).toContain('got line 1 with the id "capital-1"');
  });

  it('reads standard input, a byte order mark and CRLF', async () => {
    const world = await fakeWorld();
    world.files.set('-', Buffer.from(`\ufeff${SUM}\r\n${CAPITAL}`));
    expect(await world.seam('publish', '-', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ file: 'standard input', published: 2 }]);
  });

  it('maps GSM8K to its question and final number, without the worked solution', async () => {
    const world = await fakeWorld();
    const answer = 'He has 2 * 777 = <<2*777=1554>>1554.\nThen 125 more.\n#### 2,125';
    world.files.set('test.jsonl', file(JSON.stringify({ question: 'How much?', answer })));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'test.jsonl', '--mode', 'deploy')).toBe(0);
    const [event] = await published(world);
    expect(event).toMatchObject({
      mode: 'deploy',
      problem: { domain: 'gsm8k', prompt: 'How much?', reference: '2125', verifier: { kind: 'numeric' } },
    });
    expect(JSON.stringify(event)).not.toContain('1554');
  });

  it('says what a GSM8K line lacks', async () => {
    const world = await fakeWorld();
    world.files.set('test.jsonl', file('{"question":"q","answer":"just 5"}'));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'test.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain(
      'line 1: answer: expected a text whose last line is "#### number", got "just 5"',
    );
  });

  it('publishes rows without reference and verifier only where that is asked for', async () => {
    const rows = [
      JSON.stringify({ prompt: 'Is it so?', feedbackWithinMs: 60_000 }),
      JSON.stringify({ prompt: 'What is 2 + 3?', reference: '5', verifier: 'numeric' }),
    ];
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(...rows));
    expect(await world.seam('publish', 'p.jsonl', '--dataset', 'seam')).toBe(2);
    expect(world.takeErrors()).toContain('line 1: reference');
    expect(await world.seam('publish', 'p.jsonl', '--dataset', 'seam', '--ungraded')).toBe(0);
    const events = await published(world);
    expect(events.map(({ problem, feedbackWithinMs }) => [problem.verifier?.kind ?? null, feedbackWithinMs])).toEqual([
      [null, 60_000],
      ['numeric', null],
    ]);
  });

  it('publishes a passage with its questions, and refuses one without references by its row', async () => {
    const row = (...questions: readonly object[]): string => JSON.stringify({ passage: 'Ada, 1815.', questions });
    const who = { question: 'Who?', reference: 'Ada' };
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(row(who, { question: 'When?', reference: '1815' })));
    world.files.set('bad.jsonl', file(row(who), row({ question: 'Who?' })));
    expect(await world.seam('publish', 'bad.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('line 2: questions.0.reference');
    expect(await world.seam('publish', 'p.jsonl')).toBe(0);
    const [event] = await published(world);
    expect(event?.problem).toMatchObject({ verifier: { kind: 'passage' }, reference: '["Ada","1815"]' });
    expect(event?.task).toMatchObject({ kind: 'passage', passage: 'Ada, 1815.' });
  });

  it('refuses unknown options, formats and files, and an empty file', async () => {
    const world = await fakeWorld();
    world.files.set('empty.jsonl', file(''));
    expect(await world.seam('publish', 'p.jsonl', '--datset', 'seam')).toBe(2);
    expect(world.takeErrors()).toContain("unknown option '--datset'");
    expect(await world.seam('publish', 'p.jsonl', '--dataset', 'csv')).toBe(2);
    expect(world.takeErrors()).toContain(
      'Allowed choices are seam, passage, few-shot, turns, webwalker, squad, squad-plain, arc, gsm8k, dapo, verl, math, aime',
    );
    expect(await world.seam('publish', 'p.jsonl', '--limit', '0')).toBe(2);
    expect(world.takeErrors()).toContain('expected a whole number from 1 on, got "0"');
    expect(await world.seam('publish', 'nowhere.jsonl')).toBe(2);
    expect(await world.seam('publish', 'empty.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least one line, got none');
  });
});

const gsm8k = (question: string, number: number): string =>
  JSON.stringify({ question, answer: `So it is ${number}.\n#### ${number}` });
const BAKER =
  'A baker makes twelve rolls an hour for three hours and sells thirty of them to the children of the school next door. How many are left?';

describe('seam publish of datasets', () => {
  it("reads verl's Parquet, the instruction of DAPO taken off", async () => {
    const world = await fakeWorld();
    world.files.set('dapo.parquet', VERL_PARQUET);
    expect(await world.seam('publish', '--dataset', 'dapo', 'dapo.parquet', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ problems: 3, published: 3 }]);
    const events = await published(world);
    expect(events.map(({ problem }) => [problem.prompt, problem.reference, problem.domain])).toEqual([
      ['What is $2+0$?', '2', 'dapo'],
      ['What is $2+1$?', '3', 'dapo'],
      ['What is $2+2$?', '4', 'dapo'],
    ]);
  });

  it('reads any other file by a mapping of its columns, and names a bad row of Parquet by its number', async () => {
    const world = await fakeWorld();
    world.files.set('any.jsonl', file('{"q":{"text":"2 + 3?"},"a":5,"topic":"sums"}'));
    const mapping = 'prompt=q.text,reference=a,domain=topic';
    expect(await world.seam('publish', '--columns', mapping, '--verifier', 'numeric', 'any.jsonl')).toBe(0);
    expect((await published(world))[0]?.problem).toMatchObject({
      prompt: '2 + 3?',
      reference: '5',
      domain: 'sums',
      verifier: { kind: 'numeric', version: '1' },
    });
    world.files.set('any.parquet', VERL_PARQUET);
    expect(await world.seam('publish', '--columns', 'prompt=prompt,reference=ability', 'any.parquet')).toBe(2);
    expect(world.takeErrors()).toContain('row 1: prompt: expected a text that is not empty, got [{"content":');
    expect(await world.seam('publish', '--columns', mapping, '--dataset', 'gsm8k', 'any.jsonl')).toBe(2);
    expect(await world.seam('publish', '--columns', 'prompt=q', 'any.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('expected a column for prompt and one for reference');
  });

  it('publishes the parts of a split one by one, each question in one of them', async () => {
    const world = await fakeWorld();
    const lines = Array.from({ length: 40 }, (_, i) => gsm8k(`Question ${i}?`, i));
    world.files.set('all.jsonl', file(...lines));
    const numbers: number[] = [];
    for (const part of ['train', 'validation', 'test']) {
      const options = ['--dataset', 'gsm8k', '--split', part, '--fractions', '0.5,0.25,0.25', '--split-seed', 'x'];
      expect(await world.seam('publish', ...options, 'all.jsonl', '--json')).toBe(0);
      numbers.push((world.takeJson() as { published: number }[])[0]!.published);
    }
    expect(numbers.every((number) => number > 0)).toBe(true);
    expect(numbers.reduce((a, b) => a + b)).toBe(40);
    expect(new Set((await published(world)).map(({ problem }) => problem.problemId)).size).toBe(40);
    expect(await world.seam('publish', 'all.jsonl', '--fractions', '0.5,0.6,0')).toBe(2);
    expect(world.takeErrors()).toContain('expected three shares of train, validation and test with the sum 1');
  });

  it('refuses what is in the test file, or nearly so, and records nothing', async () => {
    const world = await fakeWorld();
    world.files.set('train.jsonl', file(gsm8k('One?', 1), gsm8k(BAKER.replace('baker', 'cook'), 6), gsm8k('two', 3)));
    world.files.set('test.jsonl', file(gsm8k(BAKER, 6), gsm8k(' Two.', 2)));
    const options = ['--dataset', 'gsm8k', '--against', 'test.jsonl', 'train.jsonl'];
    expect(await world.seam('publish', ...options)).toBe(2);
    const said = world.takeErrors();
    expect(said).toContain('expected questions that are nowhere else, got 2 that are; nothing was recorded');
    expect(said).toContain('  line 2: 85 % of line 1 of test.jsonl\n');
    expect(said).toContain('  line 3: the question of line 2 of test.jsonl, with another answer\n');
    expect(await published(world)).toEqual([]);

    expect(await world.seam('publish', ...options, '--duplicates', 'skip', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        problems: 1,
        published: 1,
        duplicates: { across: { exact: 1, near: 1, conflictingAnswers: 1 }, within: { exact: 0 }, skipped: 2 },
      },
    ]);
    expect((await published(world)).map(({ problem }) => problem.prompt)).toEqual(['One?']);

    expect(await world.seam('publish', ...options, '--duplicates', 'report')).toBe(0);
    expect(world.takeErrors()).toContain('2 duplicates:\n  line 2: 85 % of');
    expect(await published(world)).toHaveLength(3);
    expect(await world.seam('publish', ...options, '--similarity', '0.9', '--again')).toBe(2);
    expect(world.takeErrors()).toContain('got 1 that are');
  });

  it('skips or refuses repetitions within the file on request, and takes the limit after that', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(gsm8k('A?', 1), gsm8k('a?', 1), gsm8k('A ?', 2), gsm8k('B?', 2), gsm8k('C?', 3)));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'p.jsonl', '--duplicates', 'refuse')).toBe(2);
    expect(world.takeErrors()).toContain(
      '  line 2: the question of line 1\n  line 3: the question of line 1, with another answer\n',
    );
    const options = ['--duplicates', 'skip', '--limit', '2', '--json'];
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'p.jsonl', ...options)).toBe(0);
    expect(world.takeJson()).toMatchObject([{ published: 2, duplicates: { skipped: 2 } }]);
    expect((await published(world)).map(({ problem }) => problem.prompt)).toEqual(['A?', 'B?']);
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'p.jsonl', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ published: 3, alreadyPublished: 2 }]);
  });

  it('compares with a file of another form, and refuses one with rows that could hide a leak', async () => {
    const world = await fakeWorld();
    world.files.set('train.jsonl', file(gsm8k('What is the sum?', 25)));
    world.files.set('aime.jsonl', file('{"ID":"2024-I-1","Problem":"What is the sum ?","Answer":"025"}'));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'train.jsonl', '--against', 'aime.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('  line 1: the question of line 1 of aime.jsonl\n');
    world.files.set('aime.jsonl', file('{"Problem":"x","Answer":"1"}', '{"Problem":"x","Answer":"-1"}'));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'train.jsonl', '--against', 'aime.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot compare with aime.jsonl (as aime): expected problems in every line');
    world.files.set('empty.jsonl', file());
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'train.jsonl', '--against', 'empty.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain(
      'Cannot compare with empty.jsonl: expected problems, got a file without a single line; nothing was recorded. Name the file that is kept for testing',
    );
    world.files.set('test.parquet', Buffer.from('PAR1 and no more'));
    expect(await world.seam('publish', '--dataset', 'gsm8k', 'train.jsonl', '--against', 'test.parquet')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot read test.parquet as Parquet: expected whole pages');
    expect(await published(world)).toEqual([]);
  });
});

describe('what publishing knows by itself', () => {
  const rows = (...prompts: string[]): Uint8Array =>
    file(...prompts.map((prompt) => JSON.stringify({ prompt, reference: '5' })));

  it('is the form of a file, from its first row, and the options still decide', async () => {
    const world = await fakeWorld();
    world.files.set('train.jsonl', file(gsm8k('One?', 1)));
    expect(await world.seam('publish', 'train.jsonl')).toBe(0);
    expect(world.takeOutput()).toMatch(/^published 1 problem of train\.jsonl \([0-9a-f]{8}, read as gsm8k\)\n$/);
    expect(await published(world)).toMatchObject([{ problem: { domain: 'gsm8k', prompt: 'One?', reference: '1' } }]);
    expect(await world.seam('publish', 'train.jsonl', '--dataset', 'math')).toBe(2);
  });

  it('is which questions the log holds from elsewhere, however they are set: they are named, and skipped where that is asked for', async () => {
    const world = await fakeWorld();
    world.files.set('a.jsonl', rows('What is 2 + 3?', 'Who?'));
    world.files.set('b.jsonl', rows('New?', ' what is 2+3 ?'));
    world.files.set('c.jsonl', rows('Who?', 'Newer?'));
    expect(await world.seam('publish', 'a.jsonl')).toBe(0);
    const [first] = (await published(world)).filter(({ problem }) => problem.prompt.includes('2'));
    world.takeOutput();
    expect(await world.seam('publish', 'b.jsonl', '--duplicates', 'skip')).toBe(0);
    expect(world.takeOutput()).toMatch(/^published 1 problem of b\.jsonl .*, 1 were in the log from elsewhere\n$/);
    expect(world.takeErrors()).toContain(`  line 2: in the log as ${first!.problem.problemId}\n`);
    expect(await published(world)).toHaveLength(3);
    expect(await world.seam('publish', 'c.jsonl')).toBe(0);
    expect(world.takeErrors()).toMatch(
      /1 question of c\.jsonl published once more: the log holds them already .*\n {2}line 1: in the log as /,
    );
    expect(await published(world)).toHaveLength(5);
  });

  it('refuses a file of nothing new by name where known questions are skipped, and of anything known where they are refused', async () => {
    const world = await fakeWorld();
    world.files.set('a.jsonl', rows('One?', 'Two?'));
    world.files.set('b.jsonl', rows('Two?', 'One?'));
    world.files.set('c.jsonl', rows('Two?', 'Three?'));
    await world.seam('publish', 'a.jsonl');
    world.takeOutput();
    expect(await world.seam('publish', 'b.jsonl', '--duplicates', 'skip', '--json')).toBe(2);
    expect(world.takeJson()).toMatchObject([
      { error: { code: 'CONFLICT', details: { known: [{ row: 1 }, { row: 2 }] } } },
    ]);
    expect(await world.seam('publish', 'c.jsonl', '--duplicates', 'refuse')).toBe(2);
    expect(await published(world)).toHaveLength(2);
  });

  it('is no hindrance to asking what was explored to be answered, nor to a file’s own repetitions', async () => {
    const world = await fakeWorld();
    world.files.set('a.jsonl', rows('One?', 'One?', 'Two?'));
    world.files.set('b.jsonl', rows('One?'));
    expect(await world.seam('publish', 'a.jsonl', '--limit', '1')).toBe(0);
    expect(await world.seam('publish', 'a.jsonl')).toBe(0);
    expect(world.takeOutput()).toContain('published 2 problems');
    expect(world.takeErrors()).not.toContain('in the log as');
    expect(await world.seam('publish', 'b.jsonl', '--mode', 'deploy', '--duplicates', 'skip')).toBe(0);
    expect(await published(world)).toHaveLength(4);
  });

  it('reads and judges as a domain says, of this library or of one file, and refuses rows of another data set', async () => {
    const world = await fakeWorld();
    const own = join(await mkdtemp(join(tmpdir(), 'domain-')), 'chess.yaml');
    await writeFile(own, 'name: chess\nreader: {columns: "prompt=position,reference=move"}\nverifier: {kind: judge}\n');
    world.files.set('aime.jsonl', file('{"ID":"2024-I-4","Problem":"What is $5^2$?","Answer":25}'));
    const web = {
      Question: 'Where?',
      Answer: 'Vienna',
      Root_Url: 'https://a.org/',
      Info: { golden_path: ['x'], Lang: 'en' },
    };
    world.files.set('web.json', file(JSON.stringify([web])));
    world.files.set('chess.jsonl', file('{"position":"a","move":"e4"}'));
    expect(await world.seam('publish', 'web.json', '--as', 'math')).toBe(2);
    expect(world.takeErrors()).toContain('expected rows of dapo or math or aime, got rows that look like webwalker');
    expect(await world.seam('publish', 'aime.jsonl', '--as', 'math')).toBe(0);
    expect(await world.seam('publish', 'web.json', '--as', 'web')).toBe(0);
    expect(await world.seam('publish', 'chess.jsonl', '--as', own)).toBe(0);
    const problems = (await published(world)).map(({ problem }) => problem);
    expect(problems).toMatchObject([
      { domain: 'math', prompt: 'What is $5^2$?', reference: '25', verifier: { kind: 'math' } },
      { domain: 'web', reference: 'Vienna', verifier: { kind: 'judge', options: { question: 'Where?' } } },
      { domain: 'chess', prompt: 'a', reference: 'e4', verifier: { kind: 'judge', options: { question: 'a' } } },
    ]);
    expect(problems[1]!.prompt).toContain('Begin at this website: https://a.org/');
    expect(JSON.stringify(problems[1])).not.toContain('golden');
  });
});
