import { bytesInMemory } from '@seamstream/datasets';
import { gradedPassages, learnedPassages } from './learned-passages.js';

const passage = (house: number): unknown => ({
  passage: `House ${house} is blue.`,
  questions: [{ question: `Which colour has house ${house}?`, reference: 'blue' }],
});
/** It has no answer, which is no fault of the row. */
const OPEN = { passage: 'House 9 is old.', questions: [{ question: 'Since when?' }] };
const FAULTY = { passage: 'House 8 is red.', questions: 'none' };

describe('the passages of a file', () => {
  it('are read without faulty rows, which are counted, and said with their places once the reading ends', async () => {
    const { world, said } = worldOf([passage(1), FAULTY, passage(2), OPEN, { passage: 5, questions: [] }, passage(3)]);
    const file = await gradedPassages(world, 'p.jsonl', undefined);
    const rows: number[] = [];
    for await (const { row } of file.read()) {
      rows.push(row);
      expect(said).toEqual([]);
    }
    expect([rows, file.faultyRows]).toEqual([[1, 3, 6], 2]);
    expect(said).toEqual([
      expect.stringMatching(/^2 faulty lines of p\.jsonl left out:\n {2}line 2: .*\n {2}line 5: /),
    ]);
  });

  it('are counted with the faulty rows before the last one that is wanted, and those after it are not looked at', async () => {
    const { world, said } = worldOf([passage(1), FAULTY, passage(2), passage(3), FAULTY]);
    const learned = await learnedPassages(world, 'p.jsonl', { limit: 2 });
    expect([learned.passages.length, learned.faultyRows]).toEqual([2, 1]);
    expect(said).toEqual([expect.stringMatching(/^1 faulty line of p\.jsonl left out:\n {2}line 2: /)]);
  });

  it('say nothing where every row is one', async () => {
    const { world, said } = worldOf([passage(1), passage(2)]);
    expect(await learnedPassages(world, 'p.jsonl', { limit: 2 })).toMatchObject({ faultyRows: 0 });
    expect(said).toEqual([]);
  });
});

function worldOf(rows: readonly unknown[]) {
  const said: string[] = [];
  const text = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  const openInput = () => Promise.resolve(bytesInMemory(text));
  return { world: { openInput, terminal: { remark: (line: string) => void said.push(line) } }, said };
}
