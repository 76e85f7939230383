/**
 * The report as one HTML file that needs no network: drawings are inline SVG, styles are inline CSS. Text that came from
 * outside is escaped.
 */
import { inTwoDigits } from '@seamstream/release';
import { learningCurve } from './curve-part.js';
import { renderProblem } from './example-part.js';
import { bars, escapeHtml, measuredBars, page, percent, table } from './page-pieces.js';
import type { Report, RoundRow } from './report.types.js';
import { ledgerTable } from './run-parts.js';
import { cost, headline, loopTime } from './verdict.js';

/** Of the rounds up to each: one round has too few control problems to say anything. */
function controlsSoFar(rounds: readonly RoundRow[]): readonly (number | null)[] {
  let [problems, solved] = [0, 0];
  return rounds.map(({ control, controls }) => {
    problems += controls;
    solved += (control ?? 0) * controls;
    return problems === 0 ? null : solved / problems;
  });
}

function roundsCurve({ rounds }: Report): string {
  const faithful = rounds.map((row) => row.faithful);
  return learningCurve({
    label: 'Success rate per round',
    rounds,
    lines: [
      { name: 'explored (sampled)', color: '--explored', values: rounds.map((row) => row.explored) },
      {
        name: 'control, all rounds so far (no experience)',
        color: '--control',
        values: controlsSoFar(rounds),
      },
      ...(faithful.some((rate) => rate !== null)
        ? [{ name: 'entries that quote truly', color: '--good', values: faithful }]
        : []),
    ],
  });
}

/** How far validation can be believed. */
function optimismOf({ optimism }: Report): string {
  if (optimism === null) return '';
  const { atPromotion, since, heldOut } = optimism;
  const points = (rate: number): string => `${((rate - heldOut) * 100).toFixed(1)} points`;
  const later =
    since === null ? '' : ` and ${percent(since)} as the parent in the comparisons since (${points(since)})`;
  return `<p class="soft">Optimism: in the mean of the domains that are held out too, what is served solved ${percent(atPromotion)} of the validation problems at its promotion (${points(atPromotion)} more than held out)${later}, and ${percent(heldOut)} held out. Who is promoted was lucky a little.</p>`;
}

/** One problem before and after: what the words above mean. */
function exampleOf({ example }: Report): string {
  if (example === null) return '<p class="soft">No problem was solved with an experience that failed without one.</p>';
  const { domain, prompt, reference, without, untrained, trained } = example;
  return renderProblem({
    ...{ domain, prompt, reference },
    answers: [
      { title: 'Without an experience', solved: false, ...without },
      ...(untrained === null ? [] : [{ title: 'Untrained generator', ...untrained }]),
      { title: 'Trained generator', solved: true, ...trained },
    ],
  });
}

/** An entry that says something false about the problem, where there is one. */
function misquoteOf({ misquote, entriesFaithful }: Report): string {
  if (misquote === null || entriesFaithful === null) return '';
  return `<p class="soft">${percent(1 - entriesFaithful)} of the sampled entries misquote their problem. One of them: ${escapeHtml(misquote.fault)}.</p><pre>${escapeHtml(misquote.prompt)}\n${escapeHtml(misquote.entry)}</pre>`;
}

/** Pairs by domain and difficulty, as strata are named. */
function strataTable(strata: Report['buffer']['strata']): string {
  const names = Object.keys(strata);
  const domains = [...new Set(names.map((name) => name.split('/')[0]!))].sort();
  const ORDER = ['easy', 'medium', 'hard'];
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  const kinds = [...new Set(names.map((name) => name.split('/').slice(1).join('/')))].sort((a, b) => rank(a) - rank(b));
  return table(
    ['domain', ...kinds],
    domains.map((domain) => [domain, ...kinds.map((kind) => strata[kind === '' ? domain : `${domain}/${kind}`] ?? 0)]),
  );
}

function settingsOf({ settings, version, madeAt, commands }: Report): string {
  const { seed, algorithm, roundSize, preset, problems, validation } = settings;
  const facts = [
    `seed ${seed}`,
    `algorithm ${algorithm}`,
    `rounds of ${roundSize}`,
    ...(preset === null ? [] : [`preset ${preset}`]),
    ...(problems === null ? [] : [`problems ${problems.path} (SHA-256 ${problems.digest.slice(0, 12)})`]),
    ...(validation === null ? [] : [`validation ${validation.path} (SHA-256 ${validation.digest.slice(0, 12)})`]),
    `Seamstream ${version}`,
    `measured ${madeAt.slice(0, 16).replace('T', ' ')} UTC`,
  ];
  return `<p class="soft">${escapeHtml(facts.join(', '))}. The figures are in report.json next to this file.</p><p class="soft">The same again, in an empty folder:</p><pre>${escapeHtml(commands.join('\n'))}</pre>`;
}

/** Where the columns have the figures, the rule says them again. */
function whyOf({ comparison, status, reason }: Report['runs'][number]): string {
  if (comparison === null || status === 'failed') return reason ?? '';
  const again = comparison.repeated === 0 ? '' : `, ${comparison.repeated} problems asked before`;
  if (status === 'promoted') return `better beyond chance${again}`;
  const isShort = comparison.needed !== null && comparison.evidence < comparison.needed;
  return isShort ? `not better beyond chance${again}` : (reason ?? '');
}

function runsTable(report: Report): string {
  const rate = (value: number | null): string => (value === null ? '' : percent(value));
  return `<div class="wide" tabindex="0">${table(
    [
      ...['round', 'digest', 'trained by', 'parent', 'outcome', 'validation', '95 %', 'of', "parent's"],
      ...['rescued', 'broken', 'evidence', 'needed', 'held-out', 'why'],
    ],
    report.runs.map((run) => [
      run.round,
      run.digest?.slice(0, 12) ?? '',
      run.algorithm,
      run.parent?.slice(0, 12) ?? 'base',
      run.status,
      rate(run.validation),
      run.validationInterval95 === null ? '' : run.validationInterval95.map(percent).join(' to '),
      run.validationProblems ?? '',
      rate(run.parentValidation),
      run.comparison?.rescued ?? '',
      run.comparison?.broken ?? '',
      run.comparison === null ? '' : inTwoDigits(run.comparison.evidence),
      run.comparison?.needed == null ? '' : inTwoDigits(run.comparison.needed),
      rate(run.heldOut),
      whyOf(run),
    ]),
  )}</div>`;
}

/** The figures that one looks for first. @param what the problems that were measured, in a word */
function factsOf(report: Report, what: string): string {
  const { heldOut, ledger } = report;
  const facts: (readonly [string, string])[] = [
    [percent(heldOut.final), `${what} success (${heldOut.problems} problems)`],
    [percent(heldOut.noExperience), 'without an experience'],
    [`${report.loopSeconds.toFixed(0)} s`, `of work, ${report.rollouts} rollouts`],
    [percent(report.entriesValid), 'entries valid'],
    ...(report.entriesFaithful === null
      ? []
      : [[percent(report.entriesFaithful), 'entries that quote their problem truly'] as const]),
    [ledger.balanced ? 'balanced' : 'NOT balanced', `ledger of ${ledger.published} problems`],
  ];
  return `<div class="facts">${facts.map(([value, name]) => `<div><b>${escapeHtml(value)}</b>${escapeHtml(name)}</div>`).join('')}</div>`;
}

function shiftOf({ shift }: Report): string {
  if (shift === null) return '';
  return `<h2>After new problems appeared in the stream</h2>${bars([
    ['new problems, before', shift.beforeTraining],
    ['new problems, after', shift.final],
    ['old domains, before', shift.oldDomainsBefore],
    ['old domains, after', shift.oldDomainsFinal],
  ])}<p class="soft">${shift.problems} new problems. An adapter that was promoted here is compared on more and harder problems than those before it, so its rate may be lower than its parent's was then.</p>`;
}

/** The whole page for a report. */
export function renderReportPage(report: Report): string {
  const { heldOut, ledger, measuredOn, verdict } = report;
  const what = measuredOn.isHeldOut ? 'held-out' : 'validation';
  const groups = report.deadGroups + report.liveGroups;
  const arm = (name: string, key: keyof typeof heldOut.intervals95) => ({
    name,
    rate: heldOut[key],
    interval95: heldOut.intervals95[key],
    problems: heldOut.problems,
  });
  return page(
    `Seamstream report, ${report.converged ? 'converged' : 'not converged'}, seed ${report.seed}`,
    `<h1>Seamstream</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(headline(report))}</b></p>
${settingsOf(report)}
${factsOf(report, what)}
${measuredOn.isHeldOut ? '' : `<p class="verdict short">Measured on ${escapeHtml(measuredOn.name)}, which promotions were decided on: too good by a little. Give --test a file of others.</p>`}
<h2>One problem, before and after</h2>
${exampleOf(report)}
<h2>Success rate per round</h2>
${roundsCurve(report)}
${misquoteOf(report)}
<h2>${what === 'held-out' ? 'Held-out' : 'Validation'} problems against the controls</h2>
${measuredBars([
  arm('executor alone', 'noExperience'),
  arm('empty wrapper', 'wrapperOnly'),
  arm('one fixed hint', 'fixedHint'),
  arm("another problem's entry", 'otherProblemsEntry'),
  arm('untrained generator', 'untrained'),
  arm('trained generator', 'final'),
])}
<p class="soft">Bars carry Wilson's 95 % intervals, which take problems for independent draws. Problems that share words are not: for problems with other words the intervals are too narrow. Rescued ${percent(report.rescued)}, broken ${percent(report.broken)}: lift ${percent(report.rescued - report.broken)} (95 %: ${percent(report.liftInterval95[0])} to ${percent(report.liftInterval95[1])}).</p>
<h2>Success per domain</h2>
${measuredBars(
  report.domains.map(({ domain, isNew, ...rest }) => ({
    name: isNew ? `${domain} (new in the stream)` : domain,
    rate: rest.success,
    ...rest,
  })),
  verdict.target,
)}
<p class="soft">The dashed line is the target, ${percent(verdict.target)}, which every domain must reach on the validation problems.</p>
${optimismOf(report)}
${shiftOf(report)}
<h2>Training runs</h2>
${runsTable(report)}
<p class="soft">sft imitates the entries that were kept. grpo compares the entries of a group; as the demonstration is set, tapered: better ones by their likelihood, worse ones by a ratio of at most 1 (TOPR, with the group's mean as its baseline). Rescued are problems that the candidate alone solved, broken those that its parent alone solved, of the same ones; the candidate is promoted when the evidence of these two reaches what is needed, so that equals seldom are (docs/explanation/promotions.md). Intervals are over problems, each asked once.</p>
<h2>Success buffer</h2>
<p class="soft">${report.buffer.rows} pairs, digest ${escapeHtml(report.buffer.digest?.slice(0, 16) ?? 'none')}. Rejected: ${escapeHtml(
      Object.entries(report.buffer.rejected)
        .map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`)
        .join(', ') || 'none',
    )}.</p>
${strataTable(report.buffer.strata)}
<h2>Ledger</h2>
${ledgerTable(ledger)}
<p class="soft">Executor ${escapeHtml(report.executor.model)} ${escapeHtml(report.executor.digest.slice(0, 16))}, ${report.executor.unchanged ? 'unchanged' : 'CHANGED'}. ${report.deadGroups} of ${groups} groups had no variance: all of their candidates succeeded, or none, so there was nothing to compare. ${escapeHtml(`${loopTime(report)} ${cost(report)}`)}</p>`,
  );
}
