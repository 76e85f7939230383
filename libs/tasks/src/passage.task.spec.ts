import { Random } from '@seamstream/kernel';
import { type AskedPassage, askedPassage, passagePrompt } from './passage.task.js';

describe('the prompt of a passage', () => {
  it('is read as what it was rendered from', () => {
    const task = {
      title: 'Ada',
      passage: 'Ada was born in 1815.\n\nIn London.',
      questions: ['When?', 'Where?\nWhich town?'],
    };
    expect(askedPassage(promptOf(task))).toEqual(task);
  });

  it('is read as something that renders to the same prompt, with all kinds of texts', () => {
    let same = 0;
    for (let seed = 0; seed < 5_000; seed++) {
      const random = Random.of('passage-prompt', seed);
      const questions = Array.from({ length: 1 + random.int(12) }, () => textOf(random));
      const task = { title: random.int(2) === 0 ? null : textOf(random), passage: textOf(random), questions };
      const prompt = promptOf(task);
      const read = askedPassage(prompt);
      if (read === undefined) continue;
      expect(promptOf(read)).toBe(prompt);
      same += JSON.stringify(read) === JSON.stringify(task) ? 1 : 0;
    }
    expect(same).toBeGreaterThan(1_000);
  });

  it('is not seen in other texts', () => {
    const prompt = promptOf({ title: null, passage: 'P', questions: ['a', 'b'] });
    for (const other of ['', 'P', prompt.slice(1, -1), prompt.replace('1. a', '3. a'), `${prompt} `])
      expect(askedPassage(other)).toBeUndefined();
  });

  it('is read in linear time', () => {
    const questions = Array.from({ length: 100 }, (_, index) => `\n${index}. `.repeat(8_000));
    const started = performance.now();
    askedPassage(promptOf({ title: null, passage: '\n\nQuestions:\n1. '.repeat(50_000), questions }));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

const PIECES = [
  'Ada',
  'Title: ',
  ' was born',
  '\n',
  '\n\n',
  'Questions:',
  '1. ',
  '2. ',
  '10. ',
  'When?',
  'Answer each',
  '…',
  ' ',
];

function promptOf({ title, passage, questions }: AskedPassage): string {
  return passagePrompt({
    kind: 'passage',
    title,
    passage,
    questions: questions.map((question) => ({ question, reference: null, alternatives: [] })),
  });
}

function textOf(random: Random): string {
  return Array.from({ length: random.int(9) }, () => random.pick(PIECES)).join('');
}
