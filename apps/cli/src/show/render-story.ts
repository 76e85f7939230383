/** A problem's story as text, from its publication to the runs that learned from it. Pure. */
import { toldToolCall } from '@seamstream/events';
import type { Doubt } from '@seamstream/evidence';
import { count, excerpt, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { ProblemCost } from '@seamstream/operations/cost';
import {
  type AgainstBase,
  againstBase,
  placeName,
  type ToldStory,
  type WriterAnswers,
} from '@seamstream/operations/show';
import type {
  AdapterLineage,
  Attempt,
  AttemptResult,
  BufferVerdict,
  ProblemStory,
  StoryRun,
} from '@seamstream/read-models';
import { partText } from '../cost/money.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import { timeText, wrapped } from '../terminal/text.js';
import { entryFields } from './readable-entry.js';

const INDENT = '    ';

/** Characters of a response and of a reason, where they are not wanted in full. */
const RESPONSE = 240;
const REASON = 200;

export interface StoryOptions {
  /** Responses and reasons whole. */
  readonly full: boolean;
}

const time = (at: number): string => `${timeText(at)} UTC`;

export function renderStory(told: ToldStory, options: StoryOptions, style: Style): string {
  const { story, doubts, lineage } = told;
  const groups = [...Map.groupBy(story.attempts, ({ groupId }) => groupId).values()];
  const parts = [
    heading(told, options, style),
    ...groups.map((group) => renderGroup(group, { doubts, lineage, options, style })),
    ...(story.attempts.length === 0 ? ['Nothing was written for it yet.\n'] : []),
    renderRuns(story.runs, lineage, style),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const STANDINGS: Readonly<Record<ProblemStory['standing'], string>> = {
  solved: 'solved',
  notSolved: 'not solved',
  ungraded: 'ungraded: not judged in time',
  expired: 'expired',
  deadLettered: 'among the dead letters',
  inFlight: 'in flight',
};

function heading(told: ToldStory, { full }: StoryOptions, style: Style): string {
  const { story, cost } = told;
  const { problem, publications, attempts, standing, expiries, deadLetters, refusedElsewhere } = story;
  const judged = attempts.filter(({ results }) =>
    results.some(({ verdict }) => verdict === 'solved' || verdict === 'notSolved'),
  );
  const solved = attempts.filter(({ results }) => results.some(({ verdict }) => verdict === 'solved'));
  const share = judged.length === 0 ? '' : `, ${count(solved.length)} of ${plural(judged.length, 'answer')} right`;
  const paint = standing === 'solved' ? style.green : standing === 'inFlight' ? style.cyan : style.yellow;
  const facts: [string, string][] = [
    ['problem', onOneLine(problem.problemId)],
    ['domain', onOneLine(problem.domain)],
    ['question', full ? onOneLine(problem.prompt) : excerpt(problem.prompt, 1000)],
    ...(problem.reference === null
      ? []
      : [
          ['reference', full ? onOneLine(problem.reference) : excerpt(problem.reference, REASON)] satisfies [
            string,
            string,
          ],
        ]),
    ['judged by', judgeOf(problem)],
    ...Object.entries(problem.metadata).map(([name, value]): [string, string] => [
      onOneLine(name),
      excerpt(value, REASON),
    ]),
    ...publications.map(({ at, source, mode, expiresAt, position }): [string, string] => [
      'published',
      `${time(at)} by ${onOneLine(source)} to ${mode}, ${placeName(position)}${expiresAt === null ? '' : `, until ${time(expiresAt)}`}`,
    ]),
    ...expiries.map(({ at, source }): [string, string] => ['expired', `${time(at)}, said by ${onOneLine(source)}`]),
    ...deadLetters.map(({ position, group, code, reason }): [string, string] => [
      'dead letter',
      `${placeName(position)} by ${onOneLine(group)}, ${onOneLine(code)}: ${excerpt(reason, REASON)}`,
    ]),
    ...refusedElsewhere.map(({ position, source, reason, detail }): [string, string] => [
      'not believed',
      `${onOneLine(placeName(position))} by ${onOneLine(source)}: ${reason}, ${excerpt(detail, REASON)}`,
    ]),
    ...costFacts(cost),
    ['now', `${paint(STANDINGS[standing])}${share}`],
    ...againstBaseFacts(againstBase(told)),
  ];
  return renderFacts(facts, style);
}

/** Nothing is said where the base model is served. */
function againstBaseFacts(compared: AgainstBase | null): [string, string][] {
  if (typeof compared?.served !== 'string') return [];
  const { served, base, adapter } = compared;
  const { digest } = adapter ?? { digest: served };
  const right = (answers: WriterAnswers | null): string =>
    answers === null
      ? 'no judged answer in the log'
      : `${count(answers.solved)} of ${plural(answers.judged, 'answer')} right`;
  return [
    ['with the base', right(base)],
    ['with an adapter', `${right(adapter)}, ${shortId(digest)}${digest === served ? ', which is served' : ''}`],
  ];
}

/** Nothing is said of money where no price is declared. */
function costFacts({ currency, executor, generator }: ProblemCost): [string, string][] {
  if (currency === null) return [];
  const parts = [
    ['attempts', executor],
    ['entries', generator],
  ] as const;
  return parts
    .filter(([, { items }]) => items > 0)
    .map(([name, part]) => ['cost', `of ${name}: ${onOneLine(currency)} ${partText(part)}`]);
}

function judgeOf({ verifier }: ProblemStory['problem']): string {
  if (verifier === null) return 'feedback (seam feedback), until its time is up';
  const options = Object.entries(verifier.options).map(([name, value]) => `${name}=${value}`);
  return onOneLine([`${verifier.kind} ${verifier.version}`, ...options].join(', '));
}

interface GroupContext {
  readonly doubts: ReadonlyMap<string, Doubt>;
  readonly lineage: AdapterLineage;
  readonly options: StoryOptions;
  readonly style: Style;
}

/** Candidates of one group have one publication, but may have several authors: scouts write by the base model. */
function renderGroup(group: readonly Attempt[], context: GroupContext): string {
  const [first] = group;
  const { arm, groupSize, writtenAt } = first!;
  const title =
    arm === 'control'
      ? 'Control: asked without an entry'
      : `${groupSize === 1 ? 'One candidate' : `Group of ${groupSize}`} to ${arm}`;
  const when = writtenAt === null ? '' : `, ${time(writtenAt)}`;
  return `${wrapped(context.style.bold(`${title}${when}`), context.style.columns)}\n${alike(group, context)
    .map((same) => renderAttempts(same, context))
    .join('')}`;
}

/** Candidates that say the same and came to the same stand together, where their first stands: of sixteen there are often three. */
function alike(group: readonly Attempt[], { doubts }: GroupContext): readonly (readonly Attempt[])[] {
  return [
    ...Map.groupBy(group, ({ attemptId, answer, entry, adapterDigest, writtenAt, results }) =>
      JSON.stringify([
        // What waits has to be told apart: feedback is given to one.
        answer === null ? null : attemptId,
        entry,
        adapterDigest,
        writtenAt === null,
        results.map((result) => [
          result.verdict,
          result.response,
          result.extractedAnswer,
          result.reason,
          isBelieved(result, doubts) ? '' : placeName(result.position),
        ]),
      ]),
    ).values(),
  ];
}

function renderAttempts(attempts: readonly Attempt[], context: GroupContext): string {
  const { style, lineage } = context;
  const first = attempts[0]!;
  const { groupSize, entry, arm, results, writtenAt, tokens } = first;
  const marks = results.map(({ verdict, ...result }) =>
    isBelieved(result, context.doubts) ? VERDICTS[verdict](style) : style.red('not believed'),
  );
  const none = first.answer === null ? 'no result yet' : 'waits for feedback';
  const mark = marks.length === 0 ? style.cyan(none) : marks.join(', ');
  const author =
    writtenAt === null ? ': the log has no such entry' : ` by ${authorOf(first, lineage)}, ${plural(tokens, 'token')}`;
  const numbers = `${attempts.map(({ candidateIndex }) => candidateIndex + 1).join(', ')} of ${groupSize} `;
  const verdicts = Map.groupBy(
    attempts.flatMap(({ buffer }) => buffer.map(bufferText)),
    (text) => text,
  );
  const facts: [string, string][] = [
    ...(entry === null ? [] : entryFields(entry)),
    ...answerFacts(first, context),
    ...results.flatMap((result) => resultFacts(result, context)),
    ...[...verdicts].map(([text, { length }]): [string, string] => [
      'buffer',
      length === 1 ? text : `${text} (${length} times)`,
    ]),
  ];
  const head = arm === 'control' ? mark : `${numbers}${mark}${author}`;
  return `  ${wrapped(head, style.columns, INDENT.length)}\n${indented(facts, style)}`;
}

const VERDICTS: Readonly<Record<AttemptResult['verdict'], (style: Style) => string>> = {
  solved: (style) => style.green('solved'),
  notSolved: (style) => style.yellow('not solved'),
  failed: (style) => style.red('failed'),
  ungraded: (style) => style.yellow('ungraded'),
};

function isBelieved(
  { position, refused }: Pick<AttemptResult, 'position' | 'refused'>,
  doubts: GroupContext['doubts'],
): boolean {
  return refused === null && !doubts.has(placeName(position));
}

function authorOf({ adapterDigest }: Attempt, lineage: AdapterLineage): string {
  if (adapterDigest === null) return 'the base model';
  const known = lineage.versions.find((version) => version.adapterDigest === adapterDigest);
  return known === undefined
    ? `adapter ${shortId(adapterDigest)}, which the log does not have`
    : `adapter ${shortId(adapterDigest)} (version ${known.version}, ${onOneLine(known.algorithm)})`;
}

/** Of an answer that no verifier judges: what waits, until when, and what was said of it. */
function answerFacts({ attemptId, answer, feedback, results }: Attempt, { options }: GroupContext): [string, string][] {
  const facts: [string, string][] = [];
  const whole = (text: string, length: number): string => (options.full ? onOneLine(text) : excerpt(text, length));
  for (const { model, code, reason } of answer?.failedTries ?? [])
    facts.push(['failed try', `of ${onOneLine(model)}: ${onOneLine(code)}, ${whole(reason, REASON)}`]);
  const sessionAdapter = answer?.sessionAdapter ?? null;
  if (sessionAdapter !== null)
    facts.push(['session', `adapter ${shortId(sessionAdapter)} answered, not the frozen executor: it is never judged`]);
  // A result by feedback holds the answer itself.
  if (answer !== null && results.every(({ response }) => response === null)) {
    facts.push(['response', `${whole(answer.response, RESPONSE)} (${onOneLine(answer.executor)})`]);
    if (results.length === 0 && sessionAdapter === null)
      facts.push(['attempt', `${attemptId}, feedback counts until ${time(answer.feedbackUntil)}`]);
  }
  for (const { at, by, score, reason, refused } of feedback)
    facts.push([
      'feedback',
      `${score} by ${onOneLine(by)}, ${time(at)}${reason === '' ? '' : `: ${whole(reason, REASON)}`}${refused === null ? '' : ` (not counted: ${whole(refused, REASON)})`}`,
    ]);
  return facts;
}

function resultFacts(result: AttemptResult, { doubts, options }: GroupContext): [string, string][] {
  const { response, extractedAnswer, reason, verdict, position, refused, source, executor, toolCalls } = result;
  const whole = (text: string, length: number): string => (options.full ? onOneLine(text) : excerpt(text, length));
  const doubt = doubts.get(placeName(position));
  const facts: [string, string][] = [];
  for (const call of toolCalls) facts.push([`call in turn ${call.turn}`, whole(toldToolCall(call), RESPONSE)]);
  if (response !== null) facts.push(['response', `${whole(response, RESPONSE)} (${onOneLine(executor ?? '')})`]);
  if (verdict === 'solved' || verdict === 'notSolved')
    facts.push(['answer', extractedAnswer === null ? 'none' : whole(extractedAnswer, REASON)]);
  if (reason !== '') facts.push([verdict === 'failed' ? 'failure' : 'verdict', whole(reason, REASON)]);
  const said = refused ?? doubt;
  if (said !== undefined)
    facts.push([
      'doubt',
      `${said.reason}, ${whole(said.detail, REASON)} (${placeName(position)} by ${onOneLine(source)}${refused === null ? '' : '; the buffer refused it'})`,
    ]);
  return facts;
}

function bufferText({ decision, sequence, stratum, helpfulness, reason, detail, duplicateOf }: BufferVerdict): string {
  const version = sequence === null ? '' : `version ${count(sequence)}: `;
  if (decision === 'admitted')
    return `${version}admitted to ${onOneLine(stratum)}, helpfulness ${(helpfulness ?? 0).toFixed(2)}`;
  const instead = duplicateOf === null ? '' : `; another stays instead`;
  return `${version}${(reason ?? '').replaceAll('_', ' ')}, ${excerpt(detail, REASON)}${instead}`;
}

function renderRuns(runs: readonly StoryRun[], lineage: AdapterLineage, style: Style): string {
  if (runs.length === 0) return 'No training run has learned from it.\n';
  const served = new Map(lineage.versions.map((version) => [version.adapterDigest, version]));
  const lines = runs.map((run): [string, string] => {
    const from = [
      ...(run.results === 0 ? [] : [plural(run.results, 'result')]),
      ...(run.pairs === 0 ? [] : [`${plural(run.pairs, 'pair')} of the buffer`]),
    ].join(', ');
    const version = run.adapterDigest === null ? undefined : served.get(run.adapterDigest);
    const made =
      run.adapterDigest === null
        ? ''
        : `, adapter ${shortId(run.adapterDigest)}${version === undefined ? '' : ` (${version.status})`}`;
    return [
      shortId(run.runId),
      `${onOneLine(run.algorithm)}, ${from}: ${run.status}${made}${run.reason === null ? '' : `: ${excerpt(run.reason, 100)}`}`,
    ];
  });
  return `${style.bold('Training runs that learned from it')}\n${indented(lines, style, '  ')}`;
}

function indented(facts: readonly (readonly [string, string])[], style: Style, indent = INDENT): string {
  if (facts.length === 0) return '';
  const narrower = { ...style, columns: style.columns - indent.length };
  return renderFacts(facts, narrower)
    .split('\n')
    .map((line) => (line === '' ? '' : `${indent}${line}`))
    .join('\n');
}
