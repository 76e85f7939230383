import { Random } from '@seamstream/kernel';
import { type AskedFewShot, askedFewShot, fewShotAnswer, fewShotPrompt, readFewShotAnswer } from './few-shot.task.js';

const TASK: AskedFewShot = { examples: [{ input: 'cold', output: 'hot' }], query: 'small' };
const PROMPT = 'Input:\ncold\nOutput:\nhot\n\nInput:\nsmall\nOutput:\n';

describe('the prompt of examples with a query', () => {
  it('has each text on separate lines, and ends where the answer begins', () => {
    expect(fewShotPrompt(TASK)).toBe(PROMPT);
    expect(`${PROMPT}${fewShotAnswer('large')}`.endsWith('Output:\nlarge\n\n')).toBe(true);
  });

  it('is read as what it was rendered from', () => {
    expect(askedFewShot(PROMPT)).toEqual(TASK);
    const grids = { examples: [...TASK.examples, { input: '07\n77', output: '7\n0' }], query: '1\n2' };
    expect(askedFewShot(fewShotPrompt(grids))).toEqual(grids);
  });

  it('is read as something that renders to the same prompt, with all kinds of texts', () => {
    const words = ['a', '\n', '\n\n', 'Input:\n', '\nOutput:\n', 'Output:', '1'];
    let same = 0;
    for (let seed = 0; seed < 3_000; seed++) {
      const random = Random.of('few-shot', seed);
      const text = (): string => Array.from({ length: 1 + random.int(3) }, () => random.pick(words)).join('');
      const examples = Array.from({ length: 1 + random.int(3) }, () => ({ input: text(), output: text() }));
      const task = { examples, query: text() };
      const read = askedFewShot(fewShotPrompt(task));
      if (read !== undefined) expect(fewShotPrompt(read)).toBe(fewShotPrompt(task));
      same += JSON.stringify(read) === JSON.stringify(task) ? 1 : 0;
    }
    expect(same).toBeGreaterThan(1_000);
  });

  it('is not seen in other texts', () => {
    const none = 'Input:\nsmall\nOutput:\n';
    for (const other of ['', 'Input:\n', none, PROMPT.slice(1), PROMPT.trimEnd(), PROMPT.replace('\nOutput:\nhot', '')])
      expect(askedFewShot(other)).toBeUndefined();
  });

  it('is read in linear time', () => {
    const started = performance.now();
    askedFewShot(`Input:\n${'\n\nInput:\na\nOutput:\n'.repeat(50_000)}`);
    askedFewShot(`Input:\n${'\nOutput:\n'.repeat(100_000)}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('an answer', () => {
  it('goes up to its first empty line', () => {
    expect(readFewShotAnswer('\n07\n77\n\nInput:\n1')).toEqual({ answer: '07\n77', isEnded: true });
    expect(readFewShotAnswer('07\n7')).toEqual({ answer: '07\n7', isEnded: false });
  });
});
