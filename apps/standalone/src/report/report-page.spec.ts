import type { Report } from './report.types.js';
import { renderReportPage } from './report-page.js';
import { headline, summary } from './verdict.js';

const interval: readonly [number, number] = [0.4, 0.6];
const round = {
  phase: 'base' as const,
  algorithm: 'grpo',
  explored: 0.5,
  control: 0.25,
  controls: 4,
  deadGroups: 3,
  liveGroups: 5,
  rollouts: 100,
  seconds: 1,
};

const report: Report = {
  loopSeconds: 61,
  phases: { exploring: 30, training: 18, comparing: 9 },
  seed: 5,
  version: '0.1.0',
  madeAt: '2030-01-31T12:00:00.000Z',
  settings: {
    method: 'experiences',
    seed: 5,
    algorithm: 'curriculum',
    roundSize: 64,
    preset: null,
    problems: null,
    validation: null,
  },
  limits: [{ since: '2030-01-31T11:00:00.000Z', maxRounds: 16, maxShiftedRounds: 10 }],
  commands: ['npm start -- --exit --seed 5 --data-dir data'],
  verdict: { target: 0.96, served: 'a'.repeat(64), short: [{ domain: 'timber-yard', validation: 0.891 }] },
  measuredOn: { name: 'held-out problems of the demonstration', isHeldOut: true },
  heldOut: {
    problems: 100,
    noExperience: 0.06,
    wrapperOnly: 0.05,
    fixedHint: 0.1,
    otherProblemsEntry: 0.02,
    untrained: 0.03,
    final: 0.9,
    faithful: 1,
    perDomain: { timber: 0.9 },
    interval95: [0.82, 0.94],
    intervals95: {
      noExperience: interval,
      wrapperOnly: interval,
      fixedHint: interval,
      otherProblemsEntry: interval,
      untrained: interval,
      final: [0.82, 0.94],
    },
  },
  optimism: { atPromotion: 0.99, since: 0.93, heldOut: 0.9 },
  domains: [
    { domain: 'timber', isNew: false, problems: 25, success: 0.92, interval95: [0.75, 0.978] },
    { domain: 'timber-yard', isNew: true, problems: 32, success: 0.875, interval95: [0.719, 0.951] },
  ],
  example: {
    domain: 'timber',
    prompt: 'How many <oak> boards?',
    reference: '4',
    without: { response: 'Answer: 7' },
    untrained: { entry: '{"concepts":["elm"]}', response: 'Answer: 5', solved: false },
    trained: { entry: '{"concepts":["oak"]}', response: 'Answer: 4' },
  },
  rescued: 0.85,
  broken: 0.01,
  liftInterval95: [0.76, 0.9],
  shift: null,
  ledger: { published: 64, solved: 60, failed: 4, deadLettered: 0, expired: 0, inFlight: 0, balanced: true },
  adapters: [],
  runs: [
    {
      round: 1,
      algorithm: 'sft',
      status: 'promoted',
      digest: 'aaaaaaaaaaaaaaaa',
      parent: null,
      validation: 0.99,
      validationProblems: 128,
      comparedAttempts: null,
      validationInterval95: [0.957, 0.999],
      parentValidation: 0.1,
      comparison: { rescued: 120, broken: 6, repeated: 0, evidence: 1e9, needed: 410 },
      heldOut: 0.9,
      reason: 'not worse than its parent',
    },
    {
      round: 2,
      algorithm: 'grpo',
      status: 'rejected',
      digest: 'bbbbbbbbbbbbbbbb',
      parent: 'aaaaaaaaaaaaaaaa',
      validation: 0.5,
      validationProblems: 128,
      comparedAttempts: null,
      validationInterval95: [0.415, 0.585],
      parentValidation: 0.99,
      comparison: { rescued: 2, broken: 65, repeated: 8, evidence: 0.03, needed: 268 },
      heldOut: null,
      reason: 'worse',
    },
  ],
  rounds: [
    { ...round, round: 1, faithful: 1, validation: 0.99, promoted: true, servedValidation: 0.99 },
    { ...round, round: 2, faithful: 0.5, validation: 0.5, promoted: false, servedValidation: 0.99 },
  ],
  deadGroups: 6,
  liveGroups: 10,
  rollouts: 200,
  entriesFaithful: 0.75,
  misquote: {
    prompt: 'A <bow>.',
    entry: '["for lute oak"]',
    fault: 'it quotes "lute", which does not occur in the problem',
  },
  entriesValid: 1,
  buffer: { digest: null, rows: 3, strata: { 'timber/hard': 1, 'timber/easy': 2 }, rejected: {} },
  executor: { model: 'executor', digest: 'c'.repeat(64), unchanged: true },
  folderBytes: 111_149_056,
  peakMemoryBytes: 2_576_980_378,
  ended: 'Stopped: the planned rounds are over.',
  converged: false,
};

describe('the verdict', () => {
  it('names the domains that are short where the run did not converge, and only then', () => {
    expect(headline(report)).toBe(
      'NOT CONVERGED, short of 96.0 % on the validation problems: timber-yard 89.1 %. Stopped: the planned rounds are over.',
    );
    expect(headline({ ...report, converged: true })).toMatch(/^Converged: every domain reached 96\.0 %/);
    const none = { ...report, verdict: { ...report.verdict, served: null, short: [] } };
    expect(headline(none)).toContain('NOT CONVERGED, no adapter was promoted');
  });

  it('on a terminal comes with figures, intervals, and what the run cost', () => {
    const said = summary(report);
    expect(said).toContain('Held-out success 90.0 % of 100 (95 %: 82.0 % to 94.0 %;');
    expect(said).toContain('The folder takes 106.0 MiB; at most 2.4 GiB of memory were used.');
    const onValidation = { ...report, measuredOn: { name: 'v.jsonl', isHeldOut: false } };
    expect(summary(onValidation)).toContain('Success on the validation problems 90.0 %');
  });
});

describe('the report page', () => {
  const html = renderReportPage(report);

  it('shows how many entries quote their problem truly, round by round, and one that does not', () => {
    expect(html).toContain('<b>75.0 %</b>entries that quote their problem truly');
    expect(html).toContain('entries that quote truly</span>');
    expect(html).toContain('25.0 % of the sampled entries misquote their problem');
    expect(html).toContain('A &#60;bow&#62;.\n[&#34;for lute oak&#34;]');
    const silent = renderReportPage({
      ...report,
      entriesFaithful: null,
      misquote: null,
      rounds: report.rounds.map((row) => ({ ...row, faithful: null })),
    });
    expect(silent).not.toContain('quote');
  });

  it('begins with the verdict, in its title too', () => {
    expect(html).toContain('<title>Seamstream report, not converged, seed 5</title>');
    expect(html.indexOf('NOT CONVERGED')).toBeLessThan(html.indexOf('class="facts"'));
  });

  it('shows a problem, its experience and the answers before and after, as text', () => {
    expect(html).toContain('How many &#60;oak&#62; boards?');
    expect(html).not.toContain('<oak>');
    for (const text of [
      'Without an experience: not solved',
      'Untrained generator: not solved',
      'Trained generator: solved',
    ])
      expect(html).toContain(text);
  });

  it('draws what is served as steps, which a rejected candidate does not pull down', () => {
    const served = /<polyline points="([^"]*)" style="stroke:var\(--validation\)"/.exec(html)?.[1];
    const heights = new Set(served?.split(' ').map((point) => point.split(',')[1]));
    expect(heights.size).toBe(1);
    expect(html).toMatch(/class="rejected"><title>round 2: grpo rejected, 50\.0 % on validation/);
  });

  it('has every domain with its interval and number of problems, those that are new as well', () => {
    expect(html).toContain('timber-yard (new in the stream)');
    expect(html).toContain('71.9 % to 95.1 %, 32 problems');
    expect(html).toContain('for problems with other words the intervals are too narrow');
  });

  it('lists rejected and promoted runs, says how it was made, and how many groups taught nothing', () => {
    for (const text of [
      'bbbbbbbbbbbb',
      'rejected',
      'npm start -- --exit --seed 5',
      'Seamstream 0.1.0',
      '2030-01-31 12:00 UTC',
      '6 of 16 groups had no variance',
    ])
      expect(html).toContain(text);
  });

  it('shows for every run the result of its comparison, and what it needed', () => {
    expect(html).toMatch(/>120<.*>6<.*>1,000,000,000<.*>410<.*better beyond chance</);
    expect(html).toMatch(/>2<.*>65<.*>0\.03<.*>270<.*not better beyond chance, 8 problems asked before</);
  });

  it('says by how much validation flatters, where there are held-out problems', () => {
    expect(html).toContain(
      'solved 99.0 % of the validation problems at its promotion (9.0 points more than held out) and 93.0 % as the parent in the comparisons since (3.0 points), and 90.0 % held out',
    );
    expect(renderReportPage({ ...report, optimism: null })).not.toContain('Optimism');
    expect(summary(report)).toContain('Validation had said 99.0 % at the promotion, 9.0 points more.');
    const lucky = { ...report, optimism: { ...report.optimism!, heldOut: 0.995 } };
    expect(summary(lucky)).toContain('Validation had said 99.0 % at the promotion, 0.5 points less.');
  });

  it('says so where it was measured on what promotions were decided on', () => {
    const own = renderReportPage({ ...report, measuredOn: { name: 'v.jsonl', isHeldOut: false } });
    expect(own).toContain('Measured on v.jsonl, which promotions were decided on');
    expect(html).not.toContain('which promotions were decided on');
  });

  it('gives a column of bars the width that the others leave: no cell has a width that browsers take for none', () => {
    const style = /<style>(.*)<\/style>/su.exec(renderReportPage(report))?.[1] ?? '';
    expect(style).toContain('.bars{table-layout:fixed}');
    expect(style).not.toMatch(/width:(?:min|max|calc|clamp)\([^)}]*%/u);
  });

  it('has its content in a landmark, and tables that scroll within reach of the keyboard', () => {
    expect(html).toMatch(/<body><main>.*<\/main><\/body>/su);
    expect(html.match(/class="wide"/gu)?.length).toBe(html.match(/class="wide" tabindex="0"/gu)?.length);
  });

  it('puts the head of a column of numbers above them, on the right', () => {
    expect(renderReportPage(report)).toContain('<th class="number">rescued</th>');
    expect(renderReportPage(report)).toContain('<th>outcome</th>');
  });

  it('has the buffer as one row per domain, from easy to hard', () => {
    expect(html).toContain('<th class="number">easy</th><th class="number">hard</th>');
    expect(html).toContain('<td>timber</td><td class="number">2</td><td class="number">1</td>');
  });
});
