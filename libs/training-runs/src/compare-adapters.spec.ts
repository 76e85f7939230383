import { sha256 } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import { AdapterEvaluation, type AskedPerDomain, type ProblemResult, type Stretch } from './adapter-evaluation.port.js';
import { compareAdapters, measureWhole } from './compare-adapters.js';

/** Problems of a domain of even and one of odd numbers in turn; it notes who was asked for which. */
class Ruler extends AdapterEvaluation {
  override readonly problemSetDigest = 'ruler';
  override under = (): Promise<this> => Promise.resolve(this);
  readonly problemSet = 'validation';
  readonly asked: string[] = [];

  /** @param problems an even number */
  constructor(
    private readonly problems: number,
    private readonly solves: (isCandidate: boolean, problem: number) => boolean | null,
  ) {
    super();
  }

  sizes(): AskedPerDomain {
    return this.problems === 0 ? {} : { even: this.problems / 2, odd: this.problems / 2 };
  }

  digestOf(_domains: readonly string[], stretch: Stretch): string {
    return sha256(JSON.stringify(stretch));
  }

  async measure(
    adapter: Adapter | null,
    _domains: readonly string[],
    { asked, from, count }: Stretch,
    onProgress: (done: number, total: number) => void,
  ): Promise<readonly ProblemResult[]> {
    this.asked.push(`${adapter === null ? 'parent' : 'candidate'} ${from}+${count}`);
    onProgress(count, count);
    return Array.from({ length: count }, (_, index) => {
      const problem = ((asked.even ?? 0) * 2 + from + index) % this.problems;
      const said = { problemId: `p-${problem}`, prompt: 'Is it?', entry: adapter?.digest ?? null, answer: null };
      return { domain: problem % 2 === 0 ? 'even' : 'odd', solved: this.solves(adapter !== null, problem), said };
    });
  }
}

const candidate = { digest: 'candidate' } as Adapter;
const policy = {
  rule: 'better',
  risk: 0.05,
  look: 1,
  promoted: 0,
  level: 0.03,
  asked: {},
  portion: 100,
  most: 400,
  minProblems: 1,
} as const;

const compare = (evaluator: Ruler, asked: AskedPerDomain = {}, told: number[] = []) =>
  compareAdapters(
    { candidate, parent: null },
    { ...policy, asked: { ...asked } },
    {
      evaluator,
      domains: ['even', 'odd'],
      onProgress: (done) => told.push(done),
    },
  );

describe('a comparison by the share that is right', () => {
  /** No problem is solved; the candidate has one of four questions more right. */
  class Parts extends Ruler {
    override async measure(...options: Parameters<Ruler['measure']>) {
      const results = await super.measure(...options);
      return results.map((result) => ({ ...result, share: options[0] === null ? 0.25 : 0.5 }));
    }
  }

  it('records how the shares differ, from which it is decided again, and ends when they decide', async () => {
    const parts = new Parts(400, () => false);
    const { shares, rescued, problems } = await compareAdapters(
      { candidate, parent: null },
      { ...policy, measure: 'share' },
      { evaluator: parts, domains: [], onProgress: () => undefined },
    );
    expect(shares).toEqual({ candidate: 0.5, parent: 0.25, differences: [{ thousandths: 250, problems: 100 }] });
    expect([rescued, problems]).toEqual([0, 100]);
    expect(await compare(new Parts(400, () => false))).not.toHaveProperty('shares');
  });

  it('takes a problem that is solved or not for all of it or nothing', async () => {
    const whole = new Ruler(100, (isCandidate, problem) => isCandidate || problem % 2 === 0);
    const { shares } = await compareAdapters(
      { candidate, parent: null },
      { ...policy, measure: 'share' },
      { evaluator: whole, domains: [], onProgress: () => undefined },
    );
    expect(shares).toMatchObject({ candidate: 1, parent: 0.5 });
  });
});

describe('comparing a candidate with its parent', () => {
  it('ends with the first portion whose counts decide', async () => {
    const evaluator = new Ruler(1000, (isCandidate, problem) => isCandidate || problem % 5 === 0);
    expect(await compare(evaluator)).toMatchObject({
      problems: 100,
      success: 1,
      parentSuccess: 0.2,
      rescued: 80,
      broken: 0,
      perDomain: { even: 1, odd: 1 },
      parentPerDomain: { even: 0.2, odd: 0.2 },
    });
    expect(evaluator.asked).toEqual(['candidate 0+100', 'parent 0+100']);
  });

  it('continues while they do not, up to the maximum, and reports its progress', async () => {
    // One problem in fifty is rescued: eight of four hundred.
    const evaluator = new Ruler(1000, (isCandidate, problem) => isCandidate || problem % 50 !== 0);
    const told: number[] = [];
    expect(await compare(evaluator, {}, told)).toMatchObject({ problems: 400, rescued: 8, broken: 0 });
    expect(evaluator.asked).toHaveLength(8);
    expect(told).toEqual([50, 100, 150, 200, 250, 300, 350, 400]);
  });

  it('ends after the first portion when nothing speaks for the candidate', async () => {
    const evaluator = new Ruler(1000, (_, problem) => problem % 5 !== 0);
    expect(await compare(evaluator)).toMatchObject({ problems: 100, rescued: 0, broken: 0 });
  });

  it('begins after the problems that earlier comparisons asked, and says of a short set how many it asked again', async () => {
    const evaluator = new Ruler(150, (isCandidate, problem) => isCandidate || problem % 25 !== 0);
    const evaluation = await compare(evaluator, { even: 60, odd: 60 });
    expect(evaluator.asked).toEqual(['candidate 0+100', 'parent 0+100', 'candidate 100+50', 'parent 100+50']);
    expect(evaluation).toMatchObject({
      problems: 150,
      rescued: 6,
      asked: { even: 75, odd: 75 },
      repeated: 120,
      problemSetDigest: sha256(JSON.stringify({ asked: { even: 60, odd: 60 }, from: 0, count: 150 })),
    });
    expect((await compare(evaluator)).repeated).toBe(0);
  });

  it('counts nothing of a problem that could not be judged with both', async () => {
    const evaluator = new Ruler(100, (isCandidate, problem) => {
      if (problem < 10) return isCandidate ? null : true;
      if (problem < 20) return isCandidate ? true : null;
      return isCandidate || problem >= 50;
    });
    expect(await compare(evaluator)).toMatchObject({
      problems: 80,
      asked: { even: 50, odd: 50 },
      rescued: 30,
      broken: 0,
      success: 1,
      parentSuccess: 0.625,
    });
  });

  it('reports what both said on some of the problems that differ, and of none that does not count', async () => {
    const evaluator = new Ruler(100, (isCandidate, problem) => {
      if (problem < 10) return isCandidate ? null : true;
      return isCandidate === problem < 40;
    });
    const { differences } = await compare(evaluator);
    expect(differences).toContainEqual(
      expect.objectContaining({ problemId: 'p-10', rescued: true, entry: 'candidate' }),
    );
    expect(differences).toContainEqual(expect.objectContaining({ problemId: 'p-40', rescued: false }));
    expect(differences!.filter(({ problemId }) => Number(problemId.slice(2)) < 10)).toEqual([]);
  });

  it('measures nothing where no problem has appeared', async () => {
    expect(await compare(new Ruler(0, () => true))).toMatchObject({ problems: 0, success: 0, rescued: 0, broken: 0 });
  });
});

it('an adapter measured alone is asked the whole set', async () => {
  const evaluator = new Ruler(40, (_, problem) => (problem === 0 ? null : problem % 4 !== 0));
  const comparison = { evaluator, domains: ['even', 'odd'], onProgress: () => undefined };
  const { problems, success, perDomain } = await measureWhole(candidate, comparison);
  expect({ problems, success, perDomain }).toEqual({
    problems: 39,
    success: 30 / 39,
    perDomain: { even: 10 / 19, odd: 1 },
  });
  expect(evaluator.asked).toEqual(['candidate 0+40']);
});
