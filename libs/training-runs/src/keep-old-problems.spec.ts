import { encodeEvent, type Problem } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';
import type { JudgedBy } from '@seamstream/rollout';
import { EXAMPLE_EVENTS, openLog } from '@seamstream/testing';
import { FakeEvaluation } from './adapter-evaluation.fake.js';
import { AdapterEvaluation, type ProblemResult, type Stretch } from './adapter-evaluation.port.js';
import { keepsOldProblems } from './keep-old-problems.js';

const IDS = Array.from({ length: 10 }, (_, index) => `p-${index}`);

describe('a candidate', () => {
  it.each([
    ['as many', 6, 6, 0, true],
    ['fewer, but within what may be lost', 6, 5, 0.1, true],
    ['fewer than may be lost', 6, 4, 0.1, false],
    ['fewer where nothing may be lost', 6, 5, 0, false],
    ['more', 3, 9, 0, true],
  ])('that solves %s of the old problems', async (_how, before, after, mostCost, isKept) => {
    const judged = await judge({ before, after, mostCost });
    expect(judged).toMatchObject({
      isKept,
      retained: { problems: 10, success: after / 10, parentSuccess: before / 10, mostCost },
    });
    expect(judged.reason).toContain(`of 10 old problems ${after * 10}.0 %`);
  });

  it('has nothing to keep where no adapter learned before, and keeps nothing that could not be judged', async () => {
    expect(await judge({ before: 9, after: 0, ids: [] })).toMatchObject({ isKept: true, retained: { problems: 0 } });
    expect(await judge({ before: 9, after: 9, unjudged: 10 })).toMatchObject({ isKept: false });
    // Of the ten, four are judged with both: what was lost among the others counts in nothing.
    expect(await judge({ before: 10, after: 4, unjudged: 6 })).toMatchObject({
      isKept: true,
      retained: { problems: 4 },
    });
  });

  it('is not compared with its parent on problems that another revision of a judge judged', async () => {
    const of = (revision: string) => ({ model: 'judge', revision });
    const judged = await judge({ before: 10, after: 4, judgedBy: (adapter) => of(adapter === null ? 'fp_1' : 'fp_2') });
    expect(judged).toMatchObject({ isKept: false, retained: { problems: 0 }, judgedApart: 10 });
    expect(judged.judges).toEqual(['fp_1', 'fp_2'].map((revision) => ({ ...of(revision), verdicts: 10 })));
    const alike = await judge({ before: 10, after: 10, judgedBy: () => of('fp_1') });
    expect(alike).toMatchObject({
      isKept: true,
      retained: { problems: 10 },
      judgedApart: 0,
      judges: [{ verdicts: 20 }],
    });
  });

  it('keeps nothing that it forgot while the judge changed, although equal answers have one verdict', async () => {
    const of = (revision: string) => ({ model: 'judge', revision });
    // Four answers are as the parent's were, and their verdicts are remembered. The other six are forgotten, and a new revision judges them.
    const judgedBy: Case['judgedBy'] = (adapter, index) => of(adapter !== null && index >= 4 ? 'fp_2' : 'fp_1');
    const judged = await judge({ before: 10, after: 4, judgedBy });
    expect(judged).toMatchObject({
      isKept: false,
      judgedApart: 6,
      retained: { problems: 4, success: 1, parentSuccess: 1 },
    });
    expect(judged.reason).toContain('6 problems were judged apart, and nothing shows that they are kept');
    // One is enough: what is kept of the nine says nothing of it.
    const one: Case['judgedBy'] = (adapter, index) => of(adapter !== null && index === 9 ? 'fp_2' : 'fp_1');
    expect(await judge({ before: 10, after: 10, judgedBy: one })).toMatchObject({ isKept: false, judgedApart: 1 });
  });

  it('is not kept where none of the problems that it has to keep is in the log any more', async () => {
    const judged = await judge({ before: 9, after: 9, ids: ['gone-0', 'gone-1'] });
    expect(judged).toMatchObject({ isKept: false, retained: { problems: 0 } });
    expect(judged.reason).toContain('none of 2 old problems');
  });

  it('is asked problems as they were first published, regardless of who publishes them again', async () => {
    const other = { ...EXAMPLE_EVENTS.ProblemPublished.problem, problemId: 'p-0', reference: 'made up' };
    const solving = new Solving({ before: 6, after: 6, unjudged: 0 });
    await judge({ before: 6, after: 6, evaluator: solving, again: [other] });
    const { reference } = EXAMPLE_EVENTS.ProblemPublished.problem;
    expect(reference).not.toBe('made up');
    expect(solving.asked.map((problem) => problem.reference)).toEqual(IDS.map(() => reference));
  });

  it('is refused by an evaluation that cannot be asked other problems', async () => {
    await expect(judge({ before: 1, after: 1, evaluator: new FakeEvaluation() })).rejects.toThrow('old problems');
  });
});

interface Case {
  readonly before: number;
  readonly after: number;
  readonly mostCost?: number;
  readonly ids?: readonly string[];
  /** Of the last problems: with the candidate. */
  readonly unjudged?: number;
  /** Who judges the answer to a problem; the parent is null. */
  readonly judgedBy?: (adapter: Adapter | null, index: number) => JudgedBy;
  readonly evaluator?: AdapterEvaluation;
  /** Published at last. */
  readonly again?: readonly Problem[];
}

async function judge({ mostCost = 0.1, ids = IDS, unjudged = 0, evaluator, again = [], ...counts }: Case) {
  const log = await openLog();
  const { ProblemPublished: published } = EXAMPLE_EVENTS;
  // Each is recorded twice, and the log has others.
  for (const problemId of [...IDS, ...IDS, 'another'])
    await log.append([encodeEvent({ ...published, problem: { ...published.problem, problemId } })]);
  for (const problem of again) await log.append([encodeEvent({ ...published, problem })]);
  const candidate = { digest: 'candidate' } as Adapter;
  return keepsOldProblems(
    { candidate, parent: null },
    { mostCost, problems: [...ids] },
    { evaluator: evaluator ?? new Solving({ ...counts, unjudged }), log, onProgress: () => undefined },
  );
}

/** The first problems are solved: so many by the parent, and so many by the candidate. */
class Solving extends AdapterEvaluation {
  override readonly problemSet = 'validation';
  override readonly problemSetDigest = 'digest';
  override under = (): Promise<this> => Promise.resolve(this);
  override sizes = () => ({});
  override digestOf = () => '';
  asked: readonly Problem[] = [];

  constructor(
    private readonly counts: Pick<Case, 'before' | 'after' | 'judgedBy'> & { readonly unjudged: number },
    private readonly problems: readonly Problem[] = [],
  ) {
    super();
  }

  override over(_name: string, problems: readonly Problem[]): AdapterEvaluation {
    this.asked = problems;
    return new Solving(this.counts, problems);
  }

  override measure(adapter: Adapter | null, domains: readonly string[], stretch: Stretch): Promise<ProblemResult[]> {
    expect([domains, stretch.count]).toEqual([['arithmetic'], this.problems.length]);
    expect(this.problems.map(({ problemId }) => problemId)).toEqual(IDS);
    const { before, after, unjudged, judgedBy = () => null } = this.counts;
    const solved = (index: number): boolean | null => {
      if (adapter === null) return index < before;
      return index >= IDS.length - unjudged ? null : index < after;
    };
    return Promise.resolve(
      this.problems.map(({ domain }, index) => ({ domain, solved: solved(index), judgedBy: judgedBy(adapter, index) })),
    );
  }
}
