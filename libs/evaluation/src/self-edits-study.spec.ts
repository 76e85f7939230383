import type { ExecutorModel } from '@seamstream/environments';
import { adaptedTo, FakeExecutor } from '@seamstream/environments/testing';
import type { GradedProblem } from '@seamstream/events';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { passagePrompt, passageReference } from '@seamstream/tasks';
import {
  EDIT_ARMS,
  type EditArm,
  type EditTrial,
  type SelfEditsStudySettings,
  studyOf,
  studySelfEdits,
} from './self-edits-study.js';

let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});

describe('a study of self-edits', () => {
  it('measures every arm on the same passages: what an edit states is known after it, and what only the passage says is not', async () => {
    const study = await studySelfEdits(PASSAGES, settingsOf());
    const accuracies = EDIT_ARMS.map((arm) => study.arms[arm]!.accuracy.value);
    // Nothing is known at first; no question is in the passage's words; "before" states one of two facts, "after" both.
    expect(accuracies).toEqual([0, 0, 0, 0.5, 1, 0.5]);
    expect(study).toMatchObject({ passages: 12, questions: 24, seeds: 1 });
    const ahead = study.differences.find(({ one, other }) => one === 'after' && other === 'before')!;
    expect(ahead.accuracy.value).toBe(0.5);
    expect(ahead.accuracy.interval95[0]).toBeGreaterThan(0);
    expect(study.differences).toHaveLength(15);
  });

  it('has the same figures of each domain: what a writer does for another one, and for several at once', async () => {
    const mixed = PASSAGES.map((each, at) => (at < 4 ? { ...each, domain: 'houses' } : each));
    // The writer states what it was trained for, people's facts, and nothing of houses.
    const writer = settingsOf();
    const edits: SelfEditsStudySettings['edits'] = (problem, seed) =>
      problem.domain === 'people' ? writer.edits(problem, seed) : { after: [PASSAGE_OF(0)] };
    const study = await studySelfEdits(mixed, settingsOf({ arms: ['nothing', 'after'], edits }));
    const [houses, people] = study.domains;
    expect(houses).toMatchObject({ domain: 'houses', passages: 4, questions: 8 });
    expect(people).toMatchObject({ domain: 'people', passages: 8, questions: 16 });
    const gains = [houses!, people!, study].map(({ differences }) => differences[0]!.accuracy.value);
    expect(gains).toEqual([0, 1, expect.closeTo(2 / 3)]);
    // As a study of these passages alone has them.
    const alone = await studySelfEdits(mixed.slice(4), settingsOf({ arms: ['nothing', 'after'], edits }));
    expect(people!.differences).toEqual(alone.differences);
  });

  it('trains the control of equal tokens on the passage alone, as often as an edit is long', async () => {
    const executor = new Learner();
    await studySelfEdits(PASSAGES.slice(0, 1), settingsOf({ executor, arms: ['passage', 'sameTokens'] }));
    const [passage, sameTokens] = executor.trained;
    expect(passage).toEqual([PASSAGE_OF(0)]);
    // The edit of "after" has 10 words, the passage 10: once more.
    expect(sameTokens).toEqual([PASSAGE_OF(0), PASSAGE_OF(0)]);
  });

  it('trains on the passage alone where no edit could be written, and says so', async () => {
    const study = await studySelfEdits(
      PASSAGES.slice(0, 2),
      settingsOf({ arms: ['passage', 'after'], edits: () => ({ after: null }) }),
    );
    expect(study.arms.after).toMatchObject({ unaugmented: 1, accuracy: study.arms.passage!.accuracy });
    expect(study.arms.passage!.unaugmented).toBe(0);
  });

  it('gives an edit that cannot be trained on nothing, and does not take it for a failure', async () => {
    const study = await studySelfEdits(PASSAGES.slice(0, 2), settingsOf({ executor: new Learner('too many steps') }));
    expect(study.arms.after).toMatchObject({ refused: 1, accuracy: { value: 0 } });
    expect(study.arms.nothing!.refused).toBe(0);
  });

  it('repeats no trial that is known, and comes to the same', async () => {
    const kept = new Map<string, EditTrial>();
    const whole = await studySelfEdits(PASSAGES, settingsOf({ onTrial: (trial) => void kept.set(trial.key, trial) }));
    const executor = new Learner();
    const again = await studySelfEdits(PASSAGES, settingsOf({ executor, known: (key) => kept.get(key) }));
    expect(executor.trained).toEqual([]);
    expect(again).toEqual(whole);
    // Another edit, or other settings, are another trial.
    const other = new Learner();
    const innerUpdate = innerUpdateSchema.parse({ epochs: 3 });
    await studySelfEdits(PASSAGES, settingsOf({ executor: other, innerUpdate, known: (key) => kept.get(key) }));
    expect(other.trained.length).toBe(12 * 5);
  });

  it('pairs over passages, each with the mean over its seeds, in any order of the trials', () => {
    const trials = [
      trial('before', 'p1', 'a', 0),
      trial('before', 'p1', 'b', 1),
      trial('before', 'p2', 'a', 0),
      trial('after', 'p2', 'a', 1),
      trial('after', 'p1', 'a', 1),
    ];
    const { arms, differences } = studyOf(trials);
    expect(arms.before).toMatchObject({ trials: 3, accuracy: { value: 0.25 } });
    // One passage with a mean of 0, one with a mean of a half.
    expect(arms.before!.histogram).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    expect(differences).toMatchObject([{ one: 'after', other: 'before', accuracy: { value: 0.75 } }]);
    expect(studyOf(trials.toReversed())).toEqual({ arms, differences });
  });

  it('refuses problems that are no passages, and none at all', async () => {
    const problem = { ...PASSAGES[0]!, prompt: 'What is 1 + 1?' };
    await expect(studySelfEdits([problem], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(studySelfEdits([], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

/** Answers a question with what a document states in the question's own words, and otherwise that it does not know. */
class Learner extends FakeExecutor {
  readonly trained: (readonly string[])[] = [];

  constructor(private readonly refusal: string | null = null) {
    super(() => 'Answer: unknown');
  }

  countTokens(text: string): number {
    return text.split(/\s+/).length;
  }

  adapt({
    documents: texts,
  }: Parameters<NonNullable<ExecutorModel['adapt']>>[0]): ReturnType<NonNullable<ExecutorModel['adapt']>> {
    const documents = texts.map((each) => (typeof each === 'string' ? each : each.text));
    this.trained.push(documents);
    if (this.refusal !== null) return Promise.resolve({ status: 'refused', reason: this.refusal });
    const model = new FakeExecutor((prompt) => {
      const question = /What is the (\w+) of (\w+)\?/.exec(prompt)!;
      const stated = documents.find((each) => each.startsWith(`The ${question[1]} of ${question[2]} is `));
      return `Answer: ${stated?.split(' ').at(-1) ?? 'unknown'}`;
    });
    return Promise.resolve(adaptedTo(model));
  }
}

const PASSAGE_OF = (index: number): string => `blue and oak, said Ann${index}, and no one heard it then`;
const PASSAGES: readonly GradedProblem[] = Array.from({ length: 12 }, (_, index) => {
  const task = {
    kind: 'passage',
    title: null,
    passage: PASSAGE_OF(index),
    questions: [
      { question: `What is the colour of Ann${index}?`, reference: 'blue', alternatives: [] },
      { question: `What is the tree of Ann${index}?`, reference: 'oak', alternatives: [] },
    ],
  } as const;
  return {
    problemId: `p${index}`,
    domain: 'people',
    prompt: passagePrompt(task),
    reference: passageReference(task),
    verifier: { kind: 'passage', version: '1', options: { answers: 'squad' } },
    metadata: {},
  };
});

function settingsOf(changes: Partial<SelfEditsStudySettings> = {}): SelfEditsStudySettings {
  const colour = (id: string): string => `The colour of Ann${id.slice(1)} is blue`;
  return {
    executor: new Learner(),
    prompts,
    innerUpdate: innerUpdateSchema.parse({}),
    seeds: ['1'],
    arms: EDIT_ARMS,
    edits: ({ problemId: id }) => {
      const passage = PASSAGE_OF(Number(id.slice(1)));
      return {
        before: [colour(id), passage],
        after: [colour(id), `The tree of Ann${id.slice(1)} is oak`, passage],
        endpoint: [colour(id), passage],
      };
    },
    ...changes,
  };
}

function trial(arm: EditArm, problemId: string, seed: string, accuracy: number): EditTrial {
  const none = {
    f1: null,
    judge: null,
    logLikelihood: null,
    refused: null,
    unaugmented: false,
    documents: 1,
    seconds: 1,
  };
  return { key: `${arm}/${problemId}/${seed}`, arm, problemId, seed, accuracy, ...none };
}
