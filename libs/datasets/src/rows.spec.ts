import { zstdCompressSync } from 'node:zlib';
import { sha256 } from '@seamstream/kernel';
import { VERL_PARQUET } from '@seamstream/testing/verl-parquet';
import { ByteWriter, type ColumnSource, parquetWrite } from 'hyparquet-writer';
import { columnsForm, parseColumnMapping } from './columns.form.js';
import type { Row } from './dataset.types.js';
import { bytesInMemory, type FileBytes, fileDigest } from './file-bytes.js';
import { readProblems } from './read-problems.js';
import { datasetForms } from './registry.js';
import { rowsOf } from './rows.js';

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const all = (file: FileBytes, columns?: readonly string[]): Promise<Row[]> => collected(rowsOf(file, columns));
const text = (content: string): FileBytes => bytesInMemory(Buffer.from(content));

describe('JSON Lines', () => {
  it('are rows by their line, blank lines counted, with any line break and any mark at the start', async () => {
    expect(await all(text('\ufeff{"a":1}\r\n\n  \n{"a":2}'))).toEqual([
      { row: 1, value: { a: 1 } },
      { row: 4, value: { a: 2 } },
    ]);
    expect(await all(text('{"a":1}\n'))).toHaveLength(1);
    expect(await all(text(''))).toEqual([]);
  });

  it('are read alike wherever the pieces of the file end', async () => {
    // Pieces have 2^20 bytes: lines of many lengths make their ends fall anywhere, in a character and in a line break too.
    const values = Array.from({ length: 3000 }, (_, i) => ({
      i,
      text: 'é€🦆'.repeat(i % 97),
      pad: 'x'.repeat(i % 1021),
    }));
    const content = values.map((value) => JSON.stringify(value)).join('\r\n');
    expect(Buffer.byteLength(content)).toBeGreaterThan(2 ** 21);
    const rows = await all(text(content));
    expect(rows).toEqual(values.map((value, index) => ({ row: index + 1, value })));
    expect(await fileDigest(text(content))).toBe(sha256(content));
  });

  it('say which line is not one, and continue after it', async () => {
    const long = JSON.stringify('x'.repeat(3 * 2 ** 20));
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(`not json\n${long}\n{"__proto__":1}\n{"a":{"__proto__":1}}\n{"a":"__proto__"}\n`),
    ]);
    const rows = await all(bytesInMemory(bytes));
    expect(rows.map((row) => ('fault' in row ? [row.fault.row, row.fault.expected, row.fault.came] : row))).toEqual([
      [1, 'UTF-8', 'other bytes'],
      [2, 'one JSON object', expect.stringMatching(/^"not json" \(/)],
      [3, 'at most 262144 bytes', '3145730 bytes'],
      [4, 'no field with the name __proto__', expect.any(String)],
      [5, 'no field with the name __proto__', expect.any(String)],
      { row: 6, value: { a: '__proto__' } },
    ]);
  });

  it('may have lines of exactly the limit, with either break', async () => {
    const fitting = JSON.stringify('x'.repeat(2 ** 18 - 2));
    const rows = await all(text(`${fitting}\r\n${fitting}\n${fitting} \r\n${fitting}`));
    expect(rows.map((row) => 'fault' in row)).toEqual([false, false, true, false]);
  });
});

function parquet(columnData: ColumnSource[], options: object = {}): FileBytes {
  const writer = new ByteWriter();
  void parquetWrite({ writer, columnData, ...options });
  return bytesInMemory(new Uint8Array(writer.getBuffer()));
}

describe('Parquet', () => {
  const columns = (rows: number): ColumnSource[] => [
    { name: 'question', data: Array.from({ length: rows }, (_, i) => `How many, ${i}?`), type: 'STRING' },
    { name: 'answer', data: Array.from({ length: rows }, (_, i) => `#### ${i}`), type: 'STRING' },
    { name: 'level', data: Array.from({ length: rows }, (_, i) => BigInt(i)), type: 'INT64' },
  ];

  it.each([
    ['Snappy', {}],
    ['zstd', { codec: 'ZSTD', compressors: { ZSTD: (page: Uint8Array) => zstdCompressSync(page) } }],
    ['nothing', { codec: 'UNCOMPRESSED' }],
  ])(
    'compressed with %s is read through all its row groups, only the columns that are asked for',
    async (_, options) => {
      const rows = await all(parquet(columns(250), { ...options, rowGroupSize: 100 }), [
        'answer',
        'level',
        'elsewhere',
      ]);
      expect(rows).toHaveLength(250);
      expect(rows[0]).toEqual({ row: 1, value: { answer: '#### 0', level: 0 } });
      expect(rows[249]).toEqual({ row: 250, value: { answer: '#### 249', level: 249 } });
      expect(await all(parquet(columns(2)), ['elsewhere'])).toEqual([
        { row: 1, value: {} },
        { row: 2, value: {} },
      ]);
    },
  );

  it('gives whole numbers beyond what a number holds as text, and dates as ISO 8601', async () => {
    const file = parquet([
      { name: 'big', data: [2n ** 60n], type: 'INT64' },
      { name: 'at', data: [new Date(0)], type: 'TIMESTAMP' },
    ]);
    expect(await all(file)).toEqual([
      { row: 1, value: { big: '1152921504606846976', at: '1970-01-01T00:00:00.000Z' } },
    ]);
  });

  it('of GSM8K is the same problems as its JSON Lines', async () => {
    const form = datasetForms.get('gsm8k')!;
    const lines = columns(3)[0]!.data as string[];
    const jsonl = text(lines.map((question, i) => JSON.stringify({ question, answer: `#### ${i}` })).join('\n'));
    const read = (file: FileBytes) => collected(readProblems(file, { form }));
    expect(await read(parquet(columns(3)))).toEqual(await read(jsonl));
  });

  it('as other writers make it has nested columns: chat messages, and the answer within the reward model', async () => {
    const read = await collected(readProblems(bytesInMemory(VERL_PARQUET), { form: datasetForms.get('dapo')! }));
    expect(read.map((reading) => reading.status === 'problem' && reading.problem)).toMatchObject(
      [0, 1, 2].map((i) => ({
        row: i + 1,
        prompt: `What is $2+${i}$?`,
        reference: String(2 + i),
        metadata: { dataset: 'math_dapo', ability: 'MATH', sourceId: `uuid-${i}` },
      })),
    );
    const mapping = 'prompt=prompt.0.content,reference=reward_model.ground_truth,metadata.style=reward_model.style';
    const [first] = await collected(
      readProblems(bytesInMemory(VERL_PARQUET), { form: columnsForm(parseColumnMapping(mapping)) }),
    );
    expect(first).toMatchObject({ problem: { reference: '2', metadata: { style: 'rule-lighteval/MATH_v2' } } });
  });

  it('that is cut short or damaged is refused with what to do', async () => {
    const bytes = new Uint8Array(await parquet(columns(100)).slice(0));
    const refused = { code: 'INVALID_INPUT', message: expect.stringContaining('Fetch the file again') };
    await expect(all(bytesInMemory(bytes.subarray(0, -20)))).rejects.toMatchObject(refused);
    await expect(all({ ...bytesInMemory(bytes.subarray(0, -20)), name: 'train.parquet' })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot read train\.parquet as Parquet: expected whole pages/),
    });
    await expect(all(bytesInMemory(bytes.fill(0xff, 8, 200)))).rejects.toMatchObject(refused);
  });
});

describe('a Parquet file that lies', () => {
  // The writer's metadata, with one of its numbers replaced by another that takes as many bytes.
  const lying = async (claim: (metadata: Buffer) => void): Promise<FileBytes> => {
    const data = Array.from({ length: 200 }, (_, i) => `row ${i}`);
    const bytes = Buffer.from(
      await parquet([{ name: 'question', data, type: 'STRING' }], { codec: 'UNCOMPRESSED' }).slice(0),
    );
    claim(bytes.subarray(bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)));
    return { ...bytesInMemory(bytes), name: 'lies.parquet' };
  };
  const replaced = (metadata: Buffer, from: readonly number[], to: readonly number[]) => {
    const at = metadata.indexOf(Buffer.from(from));
    expect(at).toBeGreaterThanOrEqual(0);
    for (let i = at; i >= 0; i = metadata.indexOf(Buffer.from(from), i + 1)) Buffer.from(to).copy(metadata, i);
  };
  it('about the number of its rows is refused', async () => {
    // 200 and -8192 as Thrift's zigzag varints.
    const file = await lying((metadata) => replaced(metadata, [0x90, 0x03], [0xff, 0x7f]));
    await expect(all(file)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^Cannot read lies\.parquet as Parquet.*a row group of -8192 rows/),
    });
  });

  it('about where a column lies, beyond its end, is refused before its bytes are read', async () => {
    const bytes = Buffer.from(await (await lying(() => undefined)).slice(0));
    const metadataAt = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    const torn = bytesInMemory(Buffer.concat([bytes.subarray(0, metadataAt - 1000), bytes.subarray(metadataAt)]));
    const reads: number[] = [];
    const watched: FileBytes = {
      ...torn,
      slice: (start, end = torn.byteLength) => {
        reads.push(end);
        return torn.slice(start, end);
      },
    };
    await expect(all(watched)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`a column from byte 4 to ${metadataAt} of ${torn.byteLength}`),
    });
    expect(Math.max(...reads)).toBeLessThanOrEqual(torn.byteLength);
  });
});

describe('reading problems', () => {
  const form = datasetForms.get('gsm8k')!;
  const lines = [
    { question: 'One?', answer: '#### 1' },
    { question: 'Two?', answer: 'none' },
    { question: 'Three?', answer: '#### 3' },
  ];

  it('checks every row, in whichever part it lies, and lets others than the asked part pass', async () => {
    const file = text(lines.map((line) => JSON.stringify(line)).join('\n'));
    const rule = { fractions: [1, 0, 0] as const, seed: '0' };
    const inTrain = await collected(readProblems(file, { form, split: { ...rule, part: 'train' } }));
    expect(inTrain.map(({ row, status }) => [row, status])).toEqual([
      [1, 'problem'],
      [2, 'faulty'],
      [3, 'problem'],
    ]);
    const inTest = await collected(readProblems(file, { form, split: { ...rule, part: 'test' } }));
    expect(inTest.map(({ status }) => status)).toEqual(['otherSplit', 'faulty', 'otherSplit']);
  });

  it('ends where ten thousand rows one after another are no problems, and counts blank lines without end', async () => {
    const bad = '0\n'.repeat(10_000);
    const good = JSON.stringify(lines[0]);
    expect(await collected(readProblems(text(`${bad}${good}\n${bad}`), { form }))).toHaveLength(20_001);
    await expect(collected(readProblems(text(`${good}\n${bad}0`), { form }))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { row: 10_002 },
    });
    const [only] = await collected(readProblems(text(`${' \n\n'.repeat(300_000)}${good}`), { form }));
    expect(only).toMatchObject({ row: 600_001, status: 'problem' });
  });

  it('takes domain and verifier from the caller where it says so', async () => {
    const settings = { form, domain: 'mine', verifier: { kind: 'exact', options: { caseSensitive: 'true' } } };
    const [first] = await collected(readProblems(text(JSON.stringify(lines[0])), settings));
    expect(first).toMatchObject({
      problem: { domain: 'mine', verifier: { kind: 'exact', version: '1', options: { caseSensitive: 'true' } } },
    });
  });
});
