/**
 * The report as one HTML file that needs no network: drawings are inline SVG, styles are inline CSS. Text that came from
 * outside is escaped.
 */
import { inTwoDigits } from '@seamstream/release';
import { bars, escapeHtml, measuredBars, page, percent, table } from './page-pieces.js';
import type { Report, RoundRow } from './report.types.js';
import { ledgerTable } from './run-parts.js';
import { cost, headline, loopTime } from './verdict.js';

const WIDTH = 860;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 16, top: 16, bottom: 42 };

/** Of the rounds up to each: one round has too few control problems to say anything. */
function controlsSoFar(rounds: readonly RoundRow[]): readonly (number | null)[] {
  let [problems, solved] = [0, 0];
  return rounds.map(({ control, controls }) => {
    problems += controls;
    solved += (control ?? 0) * controls;
    return problems === 0 ? null : solved / problems;
  });
}

function learningCurve(report: Report): string {
  const { rounds } = report;
  const last = Math.max(2, ...rounds.map((row) => row.round));
  const x = (round: number): number => MARGIN.left + ((round - 1) / (last - 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (rate: number): number => MARGIN.top + (1 - rate) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const grid = [0, 0.25, 0.5, 0.75, 1]
    .map(
      (rate) =>
        `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(rate)}" y2="${y(rate)}" class="grid"/><text x="${MARGIN.left - 8}" y="${y(rate) + 4}" text-anchor="end">${rate * 100} %</text>`,
    )
    .join('');
  const step = Math.max(1, Math.ceil(last / 12));
  const ticks = rounds
    .filter((row) => (row.round - 1) % step === 0)
    .map((row) => `<text x="${x(row.round)}" y="${HEIGHT - 22}" text-anchor="middle">${row.round}</text>`)
    .join('');
  const axis = `<text x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 5}" text-anchor="middle">round</text>`;
  const firstShifted = rounds.find((row) => row.phase === 'shifted');
  const shift = firstShifted
    ? `<line x1="${x(firstShifted.round)}" x2="${x(firstShifted.round)}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" class="shift"/><text x="${x(firstShifted.round) + 6}" y="${y(0.5) - 8}">new problems appear</text>`
    : '';
  const line = (values: readonly (number | null)[], color: string): string =>
    `<polyline points="${rounds
      .flatMap((row, index) => {
        const rate = values[index] ?? null;
        return rate === null ? [] : [`${x(row.round).toFixed(1)},${y(rate).toFixed(1)}`];
      })
      .join(' ')}" style="stroke:${color}"/>`;
  // What is served stays so until another one is promoted: steps.
  const served = rounds
    .flatMap((row, index) => {
      const before = rounds[index - 1]?.servedValidation ?? null;
      const now = row.servedValidation;
      if (now === null) return [];
      const at = x(row.round).toFixed(1);
      return [...(before === null ? [] : [`${at},${y(before).toFixed(1)}`]), `${at},${y(now).toFixed(1)}`];
    })
    .join(' ');
  const marks = rounds
    .filter((row) => row.validation !== null)
    .map(
      (row) =>
        `<circle cx="${x(row.round)}" cy="${y(row.validation ?? 0)}" r="3.2" class="${row.promoted ? 'promoted' : 'rejected'}"><title>round ${row.round}: ${escapeHtml(row.algorithm)} ${row.promoted ? 'promoted' : 'rejected'}, ${percent(row.validation ?? 0)} on validation</title></circle>`,
    )
    .join('');
  const legend = (
    [
      ['served adapter (validation, greedy)', '--validation'],
      ['explored (sampled)', '--explored'],
      ['control, all rounds so far (no experience)', '--control'],
      ...(rounds.some((row) => row.faithful !== null) ? ([['entries that quote truly', '--good']] as const) : []),
    ] as const
  )
    .map(([name, color]) => `<span class="key"><i style="background:var(${color})"></i>${name}</span>`)
    .join('');
  const lines = `<polyline points="${served}" style="stroke:var(--validation)"/>${line(
    rounds.map((row) => row.explored),
    'var(--explored)',
  )}${line(controlsSoFar(rounds), 'var(--control)')}${line(
    rounds.map((row) => row.faithful),
    'var(--good)',
  )}`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Success rate per round">${grid}${ticks}${axis}${shift}${lines}${marks}</svg><p class="legend">${legend}<span class="key"><b class="dot"></b>candidate, promoted</span><span class="key"><b class="dot hollow"></b>candidate, rejected: never served</span></p>`;
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
  const answer = (title: string, solved: boolean, response: string, entry?: string): string =>
    `<div><b>${title}: ${solved ? 'solved' : 'not solved'}</b>${entry === undefined ? '' : `<p class="soft">experience</p><pre>${escapeHtml(entry)}</pre>`}<p class="soft">answer</p><pre>${escapeHtml(response)}</pre></div>`;
  return `<p class="soft">A problem of ${escapeHtml(domain)}; the right answer is ${escapeHtml(reference)}.</p><pre>${escapeHtml(prompt)}</pre><div class="example">${[
    answer('Without an experience', false, without.response),
    ...(untrained === null
      ? []
      : [answer('Untrained generator', untrained.solved, untrained.response, untrained.entry)]),
    answer('Trained generator', true, trained.response, trained.entry),
  ].join('')}</div>`;
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
  return `<div class="wide">${table(
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
${learningCurve(report)}
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
