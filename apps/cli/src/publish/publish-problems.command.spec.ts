import { decodeEvent, type EventOf, TOPIC } from '@seamstream/events';
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
    expect(capital?.problem.verifier.kind).toBe('exact');
  });

  it('names every bad line with what was expected and what came, and records nothing', async () => {
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
    expect(said).toContain('came nothing');
    expect(said).toContain('line 3: expected one JSON object, came "not json"');
    expect(said).toContain('line 4: prompt: expected a text that is not empty, came ""');
    expect(said).toContain('line 5: answr: expected no such field');
    expect(said).toContain('line 6: verifier: expected a verifier that exists: exact@1, numeric@1, came "oracle"');
    expect(said).toContain('line 7: metadata.level: expected a text, came 3');
    expect(said).toContain('line 8: reference: ');
    expect(said).toContain('line 9: reference: expected what its verifier can judge by');
    expect(said).toContain('came "five"');
    expect(said).toContain('no option tolerence');
    expect(said).toContain('line 11: expected one JSON object, came [1,2]');
    expect(await published(world)).toEqual([]);
  });

  it('lists the first bad lines and counts the others', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(...Array.from({ length: 50 }, () => '{}')));
    expect(await world.seam('publish', 'p.jsonl', '--json')).toBe(2);
    const [report] = world.takeJson() as {
      error: { code: string; details: { badLines: number; faults: unknown[] } };
    }[];
    expect(report?.error.code).toBe('INVALID_INPUT');
    expect(report?.error.details.badLines).toBe(50);
    expect(report?.error.details.faults).toHaveLength(20);
    expect(world.takeErrors()).toContain('… and 40 more bad lines');
  });

  it('refuses two lines with the same id', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(CAPITAL, CAPITAL));
    expect(await world.seam('publish', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain(
      'line 2: problemId: expected an id of its own (line 1 has this one), came "capital-1"',
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
    expect(said).toContain('line 2: expected at most 262144 bytes, came 300');
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

  it('refuses to repeat a problem that brings its own id', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', file(CAPITAL));
    await world.seam('publish', 'p.jsonl');
    expect(await world.seam('publish', 'p.jsonl', '--again')).toBe(2);
    expect(world.takeErrors()).toContain('line 1 brings the id "capital-1"');
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
    expect(await world.seam('publish', '--format', 'gsm8k', 'test.jsonl', '--mode', 'deploy')).toBe(0);
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
    expect(await world.seam('publish', '--format', 'gsm8k', 'test.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain(
      'line 1: answer: expected a text whose last line is "#### number", came "just 5"',
    );
  });

  it('refuses unknown options, formats and files, and an empty file', async () => {
    const world = await fakeWorld();
    world.files.set('empty.jsonl', file(''));
    expect(await world.seam('publish', 'p.jsonl', '--frmat', 'seam')).toBe(2);
    expect(world.takeErrors()).toContain("unknown option '--frmat'");
    expect(await world.seam('publish', 'p.jsonl', '--format', 'csv')).toBe(2);
    expect(world.takeErrors()).toContain('Allowed choices are seam, gsm8k');
    expect(await world.seam('publish', 'p.jsonl', '--limit', '0')).toBe(2);
    expect(world.takeErrors()).toContain('expected a whole number from 1 on, came "0"');
    expect(await world.seam('publish', 'nowhere.jsonl')).toBe(2);
    expect(await world.seam('publish', 'empty.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least one line, came none');
  });
});
