import type { ExecutorModel } from '@seamstream/environments';
import { sessionSchema } from '@seamstream/environments';
import { adaptedTo, FakeExecutor } from '@seamstream/environments/testing';
import type { GradedProblem } from '@seamstream/events';
import { loadPrompts } from '@seamstream/experience';
import { passagePrompt, passageReference } from '@seamstream/tasks';
import { sentencesOf, studySessions } from './sessions-study.js';

describe('a study of sessions', () => {
  it('says what a session gains over the frozen model by the sentences that it has learned, and what that takes', async () => {
    const study = await studySessions([passage(1), passage(2), passage(3)], await settingsOf(2));
    // Of three sentences two are learned, and one question is about each of the first and the last.
    expect(study).toMatchObject({ sessions: 3, messages: 9, trainings: 3, frozen: 0, adapted: 0.5 });
    expect(study.gain.accuracy.value).toBe(0.5);
    expect(study.gain.logLikelihood).toBeNull();
    expect(study.secondsPerTraining).toBeGreaterThan(0);
    expect(study.secondsPerMessage).toBeCloseTo(study.secondsPerTraining / 3, 6);
  });

  it('gains nothing where sessions never learn', async () => {
    const study = await studySessions([passage(1)], await settingsOf(0));
    expect(study).toMatchObject({ trainings: 0, adapted: 0, secondsPerTraining: 0 });
  });

  it('refuses what is no passage, before anything is learned', async () => {
    const other = { ...passage(1), prompt: 'How many?' };
    await expect(studySessions([other], await settingsOf(1))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('takes a sentence for a message, and a paragraph of short lines for one', () => {
    const text = 'Ada lived in 1815. She wrote!  Who did?\n\nName: Ada\nBorn: 1815\n\n';
    expect(sentencesOf({ passage: text })).toEqual([
      'Ada lived in 1815.',
      'She wrote!',
      'Who did?',
      'Name: Ada\nBorn: 1815',
    ]);
  });
});

/** Knows the last word of each sentence that it was trained on, by its first. */
class Learner extends FakeExecutor {
  countTokens(text: string): number {
    return text.length;
  }

  adapt({ documents }: Parameters<NonNullable<ExecutorModel['adapt']>>[0]) {
    const known = documents.map((document) => (document as string).replace('.', '').split(' '));
    const model = new FakeExecutor((prompt) => {
      const fact = known.find(([first]) => prompt.includes(`${first}?`));
      return `Answer: ${fact?.at(-1) ?? 'unknown'}`;
    });
    return Promise.resolve(adaptedTo(model));
  }
}

async function settingsOf(every: number) {
  const executor = new Learner(() => 'Answer: unknown');
  const sessions = sessionSchema.parse({ every });
  return { executor, prompts: await loadPrompts(), sessions, clock: { now: () => 0 } };
}

function passage(n: number): GradedProblem {
  const task = {
    ...{ kind: 'passage' as const, title: null, passage: `Ada${n} likes tea. Bo${n} likes milk. Cy${n} likes mead.` },
    questions: [
      { question: `What likes Ada${n}?`, reference: 'tea', alternatives: [] },
      { question: `What likes Cy${n}?`, reference: 'mead', alternatives: [] },
    ],
  };
  return {
    ...{
      problemId: `p${n}`,
      domain: 'd',
      prompt: passagePrompt(task),
      reference: passageReference(task),
      metadata: {},
    },
    verifier: { kind: 'passage', version: '1', options: { answers: 'exact' } },
  };
}
