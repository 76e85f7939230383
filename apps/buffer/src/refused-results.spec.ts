import { encodeEvent, type Problem, type ProblemCopy, type SeamEvent } from '@seamstream/events';
import { Evidence, type PlacedEvent, ProblemContents } from '@seamstream/evidence';
import { bufferConfigSchema, initialState } from '@seamstream/success-buffer';
import { newWorld, openLog } from '@seamstream/testing';
import { explored, problemAbout } from '@seamstream/testing/result-log';
import { foldAt } from './buffer-fold.js';
import { foldBelieved } from './refused-results.js';

const namedAt = { partition: 0, offset: 0 };

it('results that do not count cost no search for what they name', async () => {
  const log = await openLog(newWorld());
  const [honest, invented] = [
    explored(problemAbout('p-1'), { namedAt }),
    explored(problemAbout('nobody'), { namedAt }),
  ];
  await log.append([honest.published, ...honest.experiences].map(encodeEvent));
  const forged = honest.outcomes.map((own) => ({ ...own, problem: { ...own.problem, prompt: 'mine' } }));
  const events = [...invented.outcomes, ...honest.outcomes, ...forged].map((event: SeamEvent, offset): PlacedEvent => {
    const record = encodeEvent(event);
    return { event, position: { topic: record.topic, partition: 0, offset }, value: record.value };
  });
  const contents = new ObservedContents(log);
  const refused: string[] = [];
  const fold = await foldBelieved(foldAt(initialState(bufferConfigSchema.parse({})), new Map()), events, {
    evidence: new Evidence(log),
    contents,
    onRefused: ({ doubt }) => refused.push(doubt.reason),
    onFolded: async (next) => next,
  });
  expect(refused).toHaveLength(8);
  expect(fold.completedProblems).toBe(1);
  expect(new Set(contents.sought)).toEqual(new Set(['p-1']));
});

/** Says whose content was looked for. */
class ObservedContents extends ProblemContents {
  readonly sought: string[] = [];

  override async find(copies: readonly ProblemCopy[]): Promise<readonly (Problem | undefined)[]> {
    this.sought.push(...copies.map(({ problemId }) => problemId));
    return super.find(copies);
  }
}
