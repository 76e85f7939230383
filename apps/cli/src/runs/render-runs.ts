/** Training runs as a list, one in full, and two side by side. Pure. */
import { LIMITS } from '@seamstream/doctor';
import { count, excerpt, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { RecordedRun } from '@seamstream/operations/read-models';
import { judgeFacts } from '../evaluate/render-judges.js';
import type { Style } from '../terminal/style.js';
import { type Column, renderFacts, renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

type Metrics = Readonly<Record<string, number>>;

const figure = (value: number | undefined): string =>
  value === undefined ? '–' : Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4)));
const seconds = ({ startedAt, endedAt }: RecordedRun): string =>
  endedAt === null ? '–' : ((endedAt - startedAt) / 1000).toFixed(1);
const nameOf = (digest: string | null): string => (digest === null ? 'base' : shortId(digest));

const faithfulRate = ({ faithful }: RecordedRun): number | undefined =>
  faithful === null ? undefined : faithful.faithful / faithful.quoting;

/** The words for how far it came: what was decided on the adapter says more than that it was made. */
function outcome({ status, decision }: RecordedRun, style: Style): string {
  const said = decision === null || status === 'failed' ? status : decision === 'rolledBack' ? 'rolled back' : decision;
  if (said === 'served') return style.green(said);
  if (said === 'failed') return style.red(said);
  return said === 'rejected' || said === 'rolled back' ? style.yellow(said) : said;
}

export function renderRunList(runs: readonly RecordedRun[], style: Style): string {
  if (runs.length === 0)
    return 'No training runs yet. A run begins when a window of problems is complete (seam start), or with "seam train".\n';
  const columns: Column[] = [
    { title: 'RUN' },
    { title: 'ALGORITHM' },
    { title: 'OUTCOME' },
    { title: 'FROM' },
    { title: 'MADE' },
    ...['STEPS', 'SECONDS', 'LOSS', 'KL', 'ESS', 'SUCCESS', 'PARENT', 'FAITHFUL'].map(
      (title): Column => ({ title, align: 'right' }),
    ),
    { title: 'WHY' },
  ];
  const rows = runs.map((run) => [
    shortId(run.runId),
    onOneLine(run.algorithm),
    outcome(run, style),
    nameOf(run.parentAdapter),
    run.adapterDigest === null ? '–' : shortId(run.adapterDigest),
    count(run.steps),
    seconds(run),
    figure(run.metrics.loss),
    `${figure(run.metrics.klNats)}${isFar(run) ? '*' : ''}`,
    `${percent(run.metrics.effectiveSampleRatio)}${isCarriedByFew(run) ? '†' : ''}`,
    percent(run.evaluation?.success),
    percent(run.evaluation?.parentSuccess),
    percent(faithfulRate(run)),
    excerpt(run.reason ?? '', 80),
  ]);
  const remarks = REMARKS.map(([applies, remark]) => (runs.some(applies) ? remark : '')).join('');
  return `${renderTable(columns, rows, style)}${plural(runs.length, 'run')}. KL in nats, ESS: effective sample ratio; success on the validation problems; faithful: of the made adapter's entries, those that quote their problem truly.\n${remarks}`;
}

/** Figures that look like a fault, with what they say and what they do not. */
const REMARKS: readonly (readonly [(run: RecordedRun) => boolean, string])[] = [
  [
    isFar,
    '* k3 over replayed tokens, a distance and no KL of what is served: a few old tokens that the policy has given up make it large. The comparison on the validation problems decides, and the doctor judges the figure (seam doctor).\n',
  ],
  [
    isCarriedByFew,
    '† A few rows or tokens were nearly the whole run (effective sample ratio below 20 %): what it learned rests on them.\n',
  ],
];

/** From where on GRPO's page calls a policy far from its reference. */
function isFar({ metrics: { klNats = 0 } }: RecordedRun): boolean {
  return klNats > LIMITS.klNats;
}

function isCarriedByFew({ metrics: { effectiveSampleRatio = 1 } }: RecordedRun): boolean {
  return effectiveSampleRatio < LIMITS.fewSamplesRatio;
}

export function renderRun(run: RecordedRun, style: Style): string {
  const { evaluation } = run;
  const facts: [string, string][] = [
    ['run', onOneLine(run.runId)],
    ['algorithm', onOneLine(run.algorithm)],
    ['outcome', `${outcome(run, style)}${run.reason === null ? '' : `: ${onOneLine(run.reason)}`}`],
    ...(run.code === null ? [] : [['error', onOneLine(run.code)] as [string, string]]),
    ['from', run.parentAdapter ?? 'base model'],
    ['made', run.adapterDigest ?? 'no adapter'],
    ['started', `${new Date(run.startedAt).toISOString()}, ${seconds(run)} s, ${plural(run.steps, 'step')}`],
    ...run.inputs.map(({ topic, partition, from, to }): [string, string] => [
      'replays',
      `${onOneLine(topic)}/${partition} ${count(from)} … ${count(to)}`,
    ]),
    ...run.manifests.map((digest): [string, string] => ['reads', `buffer manifest ${onOneLine(digest)}`]),
    ['base model', onOneLine(run.baseModelDigest)],
    ['seed', onOneLine(run.seed)],
    ['code', onOneLine(run.codeVersion)],
  ];
  if (evaluation !== null) {
    facts.push([
      'comparison',
      `${percent(evaluation.success)} of ${count(evaluation.problems)} on ${onOneLine(evaluation.problemSet)}, parent ${percent(evaluation.parentSuccess)}`,
    ]);
    facts.push(...judgeFacts(evaluation));
    for (const [domain, success] of Object.entries(evaluation.perDomain).sort())
      facts.push([`  ${onOneLine(domain)}`, percent(success)]);
  }
  if (run.faithful !== null)
    facts.push([
      'faithful',
      `${percent(faithfulRate(run))} of ${plural(run.faithful.quoting, 'entry', 'entries')} by its adapter quote their problem truly`,
    ]);
  for (const [name, value] of Object.entries(run.metrics).sort()) facts.push([onOneLine(name), figure(value)]);
  const remarks = REMARKS.flatMap(([applies, remark]) => (applies(run) ? [remark] : []));
  const settings = Object.entries(settingsOf(run)).map(([name, value]): [string, string] => [name, value]);
  return [
    `${renderFacts(facts, style)}${remarks.join('')}`,
    ...(settings.length === 0 ? [] : [`${style.bold('Settings')}\n${renderFacts(settings, style)}`]),
    ...(run.checkpoints.length === 0 ? [] : [`${style.bold('Steps')}\n${renderSteps(run.checkpoints, style)}`]),
  ].join('\n');
}

/** Figures of most interest first; a run has some twenty. */
const FIRST = ['loss', 'klNats', 'effectiveSampleRatio', 'gradientNorm', 'learningRate'];

function renderSteps(
  checkpoints: readonly { readonly step: number; readonly metrics: Metrics }[],
  style: Style,
): string {
  const known = new Set(checkpoints.flatMap(({ metrics }) => Object.keys(metrics)));
  const names = FIRST.filter((name) => known.has(name));
  return renderTable(
    [{ title: 'STEP', align: 'right' }, ...names.map((name): Column => ({ title: name, align: 'right' }))],
    checkpoints.map(({ step, metrics }) => [count(step), ...names.map((name) => figure(metrics[name]))]),
    style,
  );
}

/** The algorithm's settings by dotted names; none where the configuration is of another version. */
function settingsOf({ configuration }: RecordedRun): Readonly<Record<string, string>> {
  try {
    const { algorithm } = JSON.parse(configuration) as { readonly algorithm?: unknown };
    return Object.fromEntries(flattened(algorithm, ''));
  } catch {
    return {};
  }
}

function flattened(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return path === '' ? [] : [[path, onOneLine(JSON.stringify(value))]];
  return Object.entries(value).flatMap(([name, inner]) =>
    flattened(inner, path === '' ? onOneLine(name) : `${path}.${onOneLine(name)}`),
  );
}

export interface RunDifference {
  readonly name: string;
  readonly one: string;
  readonly other: string;
  readonly differs: boolean;
}

/** What two runs have and are, name by name; of their settings those alone that differ. */
export function compareRuns(one: RecordedRun, other: RecordedRun): readonly RunDifference[] {
  const row = (name: string, of: (run: RecordedRun) => string): RunDifference => {
    const [left, right] = [of(one), of(other)];
    return { name, one: left, other: right, differs: left !== right };
  };
  const metrics = [...new Set([...Object.keys(one.metrics), ...Object.keys(other.metrics)])].sort();
  const settings = [one, other].map(settingsOf);
  const names = [...new Set(settings.flatMap((each) => Object.keys(each)))].sort();
  return [
    row('algorithm', ({ algorithm }) => onOneLine(algorithm)),
    row('outcome', ({ status, decision }) => decision ?? status),
    row('from', ({ parentAdapter }) => nameOf(parentAdapter)),
    row('made', ({ adapterDigest }) => (adapterDigest === null ? '–' : shortId(adapterDigest))),
    row('records', ({ inputs }) => count(inputs.reduce((sum, { from, to }) => sum + to - from, 0))),
    row('steps', ({ steps }) => count(steps)),
    row('seconds', seconds),
    row('success', ({ evaluation }) => percent(evaluation?.success)),
    row('parent', ({ evaluation }) => percent(evaluation?.parentSuccess)),
    row('faithful', (run) => percent(faithfulRate(run))),
    row('problems', ({ evaluation }) => (evaluation === null ? '–' : count(evaluation.problems))),
    ...metrics.map((name) => row(onOneLine(name), (run) => figure(run.metrics[name]))),
    ...names
      .map((name) => row(name, (run) => settings[run === one ? 0 : 1]![name] ?? '–'))
      .filter(({ differs }) => differs),
  ];
}

export function renderComparison(one: RecordedRun, other: RecordedRun, style: Style): string {
  return renderTable(
    [{ title: '' }, { title: shortId(one.runId) }, { title: shortId(other.runId) }],
    compareRuns(one, other).map(({ name, one: left, other: right, differs }) => [
      differs ? style.bold(name) : name,
      excerpt(left, 40),
      excerpt(right, 40),
    ]),
    style,
  );
}
