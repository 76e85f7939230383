import { decodeEvent, encodeEvent, originMeta } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import {
  fewShotContent,
  fewShotOf,
  fewShotPrompt,
  passageContent,
  passageOf,
  passagePrompt,
  passageReference,
  type Task,
  type TaskContent,
  taskDigest,
  turnsContent,
  turnsOf,
  turnsPrompt,
} from '@seamstream/tasks';
import { builtInVerifiers, checkVerifiable } from '@seamstream/verifiers';
import { readRow } from './read-problems.js';
import { datasetForms, recognisedForm } from './registry.js';

const READERS = [passageOf, fewShotOf, turnsOf] as const;

const contentOf = (task: Task): TaskContent => {
  switch (task.kind) {
    case 'passage':
      return passageContent(task);
    case 'few_shot':
      return fewShotContent(task);
    case 'turns':
      return turnsContent(task);
  }
};
const promptOf = (task: Task): string => {
  switch (task.kind) {
    case 'passage':
      return passagePrompt(task);
    case 'few_shot':
      return fewShotPrompt(task);
    case 'turns':
      return turnsPrompt(task);
  }
};

/** A task of any kind, of texts that look like the other kinds' renderings. */
function drawn(random: Random): Task {
  const words = [
    'Input: a',
    'Output: b',
    '1. What?',
    'User: hi',
    'Assistant:',
    'query',
    '\n\n',
    '“ü”',
    '{}',
    'Questions:',
  ];
  const text = (): string => Array.from({ length: 1 + random.int(3) }, () => random.pick(words)).join(' ');
  const some = <T>(make: () => T): T[] => Array.from({ length: 1 + random.int(4) }, make);
  switch (random.int(3)) {
    case 0:
      return {
        ...{ kind: 'passage', passage: text(), title: random.pick([null, '', text()]) },
        questions: some(() => ({
          ...{ question: text(), reference: text() },
          alternatives: random.int(2) === 0 ? [] : some(text),
        })),
      };
    case 1:
      return { kind: 'few_shot', examples: some(() => ({ input: text(), output: text() })), query: text() };
    default: {
      const said = Array.from({ length: 1 + 2 * random.int(3) }, (_, at) => ({
        role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
        text: text(),
      }));
      return { kind: 'turns', turns: random.int(2) === 0 ? said : [{ role: 'system', text: text() }, ...said] };
    }
  }
}

describe('a task of any kind', () => {
  const tasks = Array.from({ length: 600 }, (_, seed) => drawn(Random.of('tasks', seed)));

  it('comes back from its content, through the log too, and is no task of another kind', () => {
    for (const task of tasks) {
      const content = contentOf(task);
      expect(READERS.map((read) => read(content)).filter((read) => read !== undefined)).toEqual([task]);
      const meta = originMeta({
        ...{ messageId: 'm', correlationId: 'p', source: 'seam/test', occurredAt: 1, sourceClass: 'user' },
      });
      const problem = {
        problemId: 'p',
        domain: 'd',
        prompt: promptOf(task),
        reference: '',
        verifier: null,
        metadata: {},
      };
      const { topic, value } = encodeEvent({
        type: 'ProblemPublished',
        ...{ meta, problem, mode: 'explore', expiresAt: null, feedbackWithinMs: null, task: content },
      });
      expect(decodeEvent({ topic, partition: 0, offset: 0, value })).toMatchObject({ task: content });
    }
  });

  it('has one digest for one content and another for any other of any kind', () => {
    const byDigest = Map.groupBy(tasks, (task) => taskDigest(contentOf(task)));
    for (const same of byDigest.values()) expect(new Set(same.map((task) => JSON.stringify(task))).size).toBe(1);
    expect(byDigest.size).toBe(new Set(tasks.map((task) => JSON.stringify(task))).size);
  });

  it('keeps its digest from before there were titles and further answers', () => {
    const part = { role: 'question', text: 'When?', reference: '1815', alternatives: [] };
    const content = { kind: 'passage', passage: 'Ada was born in 1815.', title: null, parts: [part] } as const;
    expect(taskDigest(content)).toBe('cd06cee34f00c3fbb1b61d454afbb8a22198ff4b20e83869df9d24a23f77b043');
    expect(taskDigest({ ...content, title: '' })).not.toBe(taskDigest(content));
    expect(taskDigest({ ...content, parts: [{ ...part, alternatives: ['in 1815'] }] })).not.toBe(taskDigest(content));
  });

  it('is refused where a part has another role, a reference too many or one too few', () => {
    for (const [seed, task] of tasks.entries()) {
      const random = Random.of('damage', seed);
      const { parts, ...content } = contentOf(task);
      const at = random.int(parts.length);
      const part = parts[at]!;
      const otherReference = { reference: part.reference === null ? 'x' : null };
      // A passage none of whose questions has a reference is one without a verdict yet.
      const isOnly = task.kind === 'passage' && parts.length === 1;
      const damage = random.pick(isOnly ? [{ role: 'judge' }] : [{ role: 'judge' }, otherReference]);
      const damaged = { ...content, parts: parts.with(at, { ...part, ...damage }) };
      expect(READERS.map((read) => read(damaged))).toEqual([undefined, undefined, undefined]);
    }
  });
});

describe('rows of tasks', () => {
  const settings = (name: string) => ({ form: datasetForms.get(name)! });

  it.each(['passage', 'few-shot', 'turns'])('are recognised and become problems that can be judged: %s', (name) => {
    const row: unknown = JSON.parse(datasetForms.get(name)!.example);
    expect(recognisedForm(row)?.name).toBe(name);
    const reading = readRow(1, row, settings(name));
    if (reading.status !== 'problem') throw new Error(JSON.stringify(reading));
    const { verifier, reference, task } = reading.problem;
    expect(() => checkVerifiable(verifier, reference)).not.toThrow();
    expect(READERS.some((read) => read(task!) !== undefined)).toBe(true);
  });

  it('of a passage whose answers a model judges tell it what was asked, in the row or by the settings', () => {
    const asked = JSON.stringify(['When?', 'Where?']);
    const questions = [
      { question: 'When?', reference: '1815' },
      { question: 'Where?', reference: 'London' },
    ];
    const judged = { kind: 'passage', version: '1', options: { answers: 'judge', questions: asked } };
    const verifierOf = (row: object, verifier?: { kind: string }) =>
      readRow(1, { passage: 'P.', questions, ...row }, { ...settings('passage'), verifier });
    expect(verifierOf({ answerVerifier: 'judge' })).toMatchObject({ problem: { verifier: judged } });
    expect(verifierOf({ answerVerifier: 'squad' }, { kind: 'judge' })).toMatchObject({ problem: { verifier: judged } });
    // Of a passage it names who judges each answer; `judge@1` judges one answer, which a passage has not.
    expect(verifierOf({}, { kind: 'squad' })).toMatchObject({
      problem: { verifier: { kind: 'passage', options: { answers: 'squad' } } },
    });
    expect(verifierOf({ questions: [{ question: ' ', reference: 'a' }] }, { kind: 'judge' }).status).toBe('faulty');
  });

  it('are too large with their questions, also with metadata of the same name', () => {
    const question = 'Q'.repeat(50_000);
    const row = (metadata: object) => ({
      ...{ passage: 'P.', questions: [{ question, reference: '1815' }], answerVerifier: 'judge' },
      metadata,
    });
    const read = (metadata: object) => readRow(1, row(metadata), settings('passage'));
    const text = 'm'.repeat(115_000);
    expect(read({}).status).toBe('problem');
    for (const name of ['questions', 'remarks'])
      expect(read({ [name]: text })).toMatchObject({
        faults: [{ field: 'row', expected: 'a problem of at most 262144 bytes' }],
      });
  });

  it.each([
    ['passage', { passage: 'P.', questions: [{ question: 'Q?' }, { question: 'R?' }] }],
    ['few-shot', { examples: [{ input: 'a', output: 'b' }], query: 'c' }],
    ['turns', { turns: [{ role: 'user', text: 'a' }] }],
  ])('wait for feedback where no verifier judges them, and are refused unless that is asked for: %s', (name, row) => {
    expect(readRow(1, row, settings(name)).status).toBe('faulty');
    const reading = readRow(1, { ...row, feedbackWithinMs: 5 }, { ...settings(name), ungraded: true });
    if (reading.status !== 'ungraded') throw new Error(JSON.stringify(reading));
    const { problem } = reading;
    expect(problem).toMatchObject({ reference: null, verifier: null, feedbackWithinMs: 5 });
    const task = READERS.map((read) => read(problem.task!)).find((read) => read !== undefined);
    expect(problem.prompt).toBe(promptOf(task!));
    // A prompt alone may be in the same file.
    expect(readRow(2, { prompt: 'Why?' }, { ...settings(name), ungraded: true }).status).toBe('ungraded');
  });

  it.each([
    ['passage', { passage: 'P.', questions: [{ question: 'Q?', reference: 'a' }, { question: 'R?' }] }],
    ['passage', { passage: 'P.', questions: [{ question: 'Q?' }], answerVerifier: 'exact' }],
    ['turns', { turns: [{ role: 'assistant', text: 'a' }] }],
    ['few-shot', { examples: [], query: 'c' }],
  ])('are refused, ungraded too, where some of it is judged or malformed: %s %j', (name, row) => {
    expect(readRow(1, row, { ...settings(name), ungraded: true }).status).toBe('faulty');
  });

  it.each([
    ['passage', { passage: 'P.', questions: [] }, 'questions', '1 to 100 questions'],
    [
      'passage',
      { passage: 'P.', questions: [{ question: 'Q?' }] },
      'questions.0.reference',
      'a text that is not empty',
    ],
    ['passage', { passage: 'P.', questions: [{ question: 'Q?', reference: 'a' }], query: 'x' }, 'query', ''],
    [
      'passage',
      { passage: 'P.', questions: [{ question: 'Q?', reference: 'a' }], answerVerifier: 'numeric' },
      'reference',
      '',
    ],
    ['few-shot', { examples: [{ input: 'a' }], query: 'b', reference: 'c' }, 'examples.0.output', 'a text'],
    ['few-shot', { examples: [{ input: 'a', output: 'b' }], query: ' ', reference: 'c' }, 'query', 'not empty'],
    ['turns', { turns: [{ role: 'assistant', text: 'a' }], reference: 'c' }, 'turns', 'a last turn of the user'],
    [
      'turns',
      {
        turns: [
          { role: 'user', text: 'a' },
          { role: 'user', text: 'b' },
        ],
        reference: 'c',
      },
      'turns',
      'by turns',
    ],
    ['turns', { turns: [{ role: 'judge', text: 'a' }], reference: 'c' }, 'turns.0.role', '"system"'],
  ])('are refused with row and reason where they are malformed: %s %j', (name, row, field, expected) => {
    const reading = readRow(7, row, settings(name));
    expect(reading).toMatchObject({ status: 'faulty', row: 7 });
    if (reading.status !== 'faulty') return;
    expect(reading.faults.map((fault) => fault.field)).toContain(field);
    expect(reading.faults.some((fault) => fault.expected.includes(expected))).toBe(true);
  });
});

describe('the verdict on a passage', () => {
  const task = {
    kind: 'passage',
    title: null,
    passage: 'Ada was born in 1815 in London.',
    questions: [
      { question: 'When?', reference: '1815', alternatives: [] },
      { question: 'Where?', reference: 'London', alternatives: ['London, England'] },
    ],
  } as const;
  const judge = (text: string, answers = 'exact') =>
    builtInVerifiers.verify(
      { kind: 'passage', version: '1', options: { answers } },
      { text, finished: true },
      passageReference(task),
    );

  it.each([
    ['1: 1815\n2: London', 1, true],
    ['1: 1815\n2: London, England', 1, true],
    ['First I think: 1. 1816\n**1.** 1815\n**2.** london', 1, true],
    ['1: 1815\n2: Paris', 0.5, false],
    ['2: London', 0.5, false],
    ['1: London\n2: 1815', 0, false],
    ['It was 1815 in London.', 0, false],
    ['3: 1815\n4: London', 0, false],
    ['1: 1815\n1: 1816\n2: London or Paris', 0, false],
  ])('of %j is the share of questions right, each judged by its own reference', async (text, share, success) => {
    expect(await judge(text)).toMatchObject({ share, success });
  });

  it('by SQuAD takes words without articles and punctuation, and has F1 in its figures', async () => {
    expect(await judge('1: In 1815!\n2: the London.', 'squad')).toMatchObject({
      ...{ success: false, share: 0.5, figures: { exactMatch: 0.5, f1: (2 / 3 + 1) / 2 } },
      detail: '1 of 2 questions right; not 1; F1 0.833',
    });
    expect(await judge('1: the 1815\n2: England London', 'squad')).toMatchObject({ share: 0.5, figures: { f1: 1 } });
    expect(await judge('', 'squad')).toMatchObject({ share: 0, figures: { exactMatch: 0, f1: 0 } });
  });

  it('is the number of right answers over the number of questions, for any of them', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = Random.of('passages', seed);
      const references = Array.from({ length: 1 + random.int(12) }, (_, at) => `${at * 7 + 3}`);
      const isRight = references.map(() => random.float() < 0.5);
      const lines = references.map(
        (reference, at) => `${at + 1}: ${isRight[at] ? reference : `${Number(reference) + 1}`}`,
      );
      const verdict = await builtInVerifiers.verify(
        { kind: 'passage', version: '1', options: { answers: 'numeric' } },
        { text: random.shuffled(lines).join('\n'), finished: true },
        JSON.stringify(references),
      );
      expect(verdict.share).toBe(isRight.filter(Boolean).length / references.length);
      expect(verdict.success).toBe(isRight.every(Boolean));
    }
  });
});
