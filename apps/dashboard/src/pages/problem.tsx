/** One problem as one timeline: published, its candidates side by side, verdicts, the buffer's decisions, the runs that learned from it. */
import type { ProblemCost } from '@seamstream/operations/cost';
import type { AgainstBase } from '@seamstream/operations/show';
import type { Attempt, ProblemStory } from '@seamstream/read-models';
import type { JSX } from 'preact';
import { BeforeAndAfter } from '../parts/before-and-after.js';
import { partText } from '../parts/extra-solved.js';
import { AdapterLink, Badge, Card, Facts, How, Standing, Status, Text, Waiting } from '../parts/pieces.js';
import { clock, count, percent, plural, pretty, short, time } from '../parts/words.js';
import { path } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

interface ToldProblem {
  readonly story: ProblemStory;
  /** By the place of a result why it does not count. */
  readonly doubts: Readonly<Partial<Record<string, { readonly reason: string; readonly detail: string }>>>;
  /** Numbers of adapters by their digest. */
  readonly versions: Readonly<Record<string, number>>;
  /** Null for who may not know what is served. */
  readonly againstBase: AgainstBase | null;
  /** Null for who may not see costs. */
  readonly cost: ProblemCost | null;
}

export function ProblemPage(): JSX.Element {
  const problemId = path.value[1]!;
  return (
    <>
      <h1>
        Problem <span class="mono">{short(problemId)}</span>
      </h1>
      <Story problemId={problemId} />
    </>
  );
}

/** Nothing is said of money where no price is declared. */
function costFacts({ currency, executor, generator }: ProblemCost): (readonly [string, string])[] {
  if (currency === null) return [];
  const parts = [
    [`attempts, ${currency}`, executor],
    [`entries, ${currency}`, generator],
  ] as const;
  return parts.filter(([, { items }]) => items > 0).map(([name, part]) => [name, partText(part)]);
}

export function Story({
  problemId,
  isPeek = false,
}: {
  readonly problemId: string;
  readonly isPeek?: boolean;
}): JSX.Element {
  const { data, fault } = useViewAsOf<ToldProblem>(`/api/views/problems/${encodeURIComponent(problemId)}`, !isPeek);
  if (data?.story.problem.problemId !== problemId) return <Waiting fault={fault} />;
  const { story, cost } = data;
  const groups = Map.groupBy(story.attempts, ({ groupId }) => groupId);
  const how = <How counted="Everything that the log holds about this problem." command={`seam show ${problemId}`} />;
  return (
    <div class="story">
      <Card title="Question" how={how} size="full">
        <Text>{story.problem.prompt}</Text>
        <Facts
          of={[
            ['became', <Standing key="s" standing={story.standing} />],
            ['domain', story.problem.domain],
            [
              'reference',
              <span key="r" class="mono">
                {story.problem.reference}
              </span>,
            ],
            ['verifier', story.problem.verifier?.kind ?? 'none: people judge'],
            ...(cost === null ? [] : costFacts(cost)),
            [
              'id',
              <span key="i" class="mono">
                {problemId}
              </span>,
            ],
          ]}
        />
      </Card>
      {isPeek || data.againstBase === null ? null : (
        <BeforeAndAfter of={data.againstBase} problemId={problemId} versions={data.versions} />
      )}
      <ol class="timeline">
        {story.publications.map(({ messageId, at, source, mode }) => (
          <li key={messageId}>
            <time title={time(at)}>{clock(at)}</time>
            <div>
              <strong>published</strong> to {mode} by {source}
            </div>
          </li>
        ))}
        {[...groups].map(([groupId, attempts]) => (
          <Group key={groupId} attempts={attempts} told={data} />
        ))}
        {story.expiries.map(({ at, source }) => (
          <li key={at} class="bad">
            <time>{clock(at)}</time>
            <div>
              <strong>expired</strong>, says {source}
            </div>
          </li>
        ))}
        {story.deadLetters.map(({ at, code, reason, group }) => (
          <li key={`${at}${group}`} class="bad">
            <time>{clock(at)}</time>
            <div>
              <strong>dead letter</strong> by {group}: {code}, {reason}
            </div>
          </li>
        ))}
        {story.runs.map((run) => (
          <li key={run.runId}>
            <time title={time(run.startedAt)}>{clock(run.startedAt)}</time>
            <div>
              <strong>learned from</strong> by run{' '}
              <a class="mono" href={`/training/${run.runId}`}>
                {short(run.runId)}
              </a>{' '}
              ({run.algorithm},{' '}
              {run.pairs > 0
                ? plural(run.pairs, 'pair of the buffer', 'pairs of the buffer')
                : plural(run.results, 'result')}
              ) <Status status={run.status} />
              {run.adapterDigest === null ? null : (
                <>
                  {' '}
                  made <AdapterLink digest={run.adapterDigest} version={data.versions[run.adapterDigest]} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Group({ attempts, told }: { readonly attempts: readonly Attempt[]; readonly told: ToldProblem }): JSX.Element {
  const [first] = attempts;
  const { arm, groupSize, writtenAt, groupId } = first!;
  const at = writtenAt ?? first!.results[0]?.at ?? 0;
  const results = attempts.map(({ results: own }) => own[0]);
  const solved = results.filter((result) => result?.verdict === 'solved').length;
  return (
    <li>
      <time title={time(at)}>{at === 0 ? '' : clock(at)}</time>
      <div>
        <strong>
          {arm === 'control' ? 'control arm: no experience' : `${plural(groupSize, 'candidate')} written`}
        </strong>
        , {count(solved)} of {count(groupSize)} solved it <small class="mono dim">group {short(groupId)}</small>
        <div class="candidates">
          {attempts.map((attempt) => (
            <Candidate key={attempt.attemptId} attempt={attempt} told={told} others={attempts} />
          ))}
        </div>
      </div>
    </li>
  );
}

function Candidate(props: {
  readonly attempt: Attempt;
  readonly told: ToldProblem;
  readonly others: readonly Attempt[];
}): JSX.Element {
  const { attempt, told, others } = props;
  const result = attempt.results[0];
  const common = commonWords(others.map(({ results }) => results[0]?.response ?? ''));
  return (
    <article class={`candidate ${result?.verdict ?? 'inFlight'}`}>
      <header>
        <span>
          {attempt.candidateIndex + 1}/{attempt.groupSize}
        </span>
        <Standing standing={result?.verdict ?? 'inFlight'} />
        {result?.reward == null ? null : <span class="mono">reward {result.reward}</span>}
      </header>
      {attempt.entry === null ? null : (
        <>
          <h3>
            experience by{' '}
            <AdapterLink digest={attempt.adapterDigest} version={told.versions[attempt.adapterDigest ?? '']} />
          </h3>
          <Text>{pretty(attempt.entry)}</Text>
        </>
      )}
      {attempt.answer?.failedTries.map(({ model, code, reason }, index) => (
        <p key={index} class="dim">
          failed try of {model}: {code}, {reason}
        </p>
      ))}
      {attempt.answer?.sessionAdapter == null ? null : (
        <p class="dim">The adapter of a session answered, not the frozen executor: it is never judged.</p>
      )}
      {result?.response == null ? null : (
        <>
          <h3>answer</h3>
          <pre class="text">
            {result.response
              .split(/(\s+)/)
              .map((word, index) => (common.has(word) || word.trim() === '' ? word : <mark key={index}>{word}</mark>))}
          </pre>
        </>
      )}
      {result === undefined ? null : <p class="verdict">{result.reason}</p>}
      {attempt.results.slice(1).map((other) => (
        <p key={other.messageId} class="dim">
          also: {other.verdict}, {other.reason}
        </p>
      ))}
      {attempt.results.map(({ position: { topic, partition, offset }, refused, messageId }) => {
        const doubt = told.doubts[`${topic}/${partition}/${offset}`] ?? refused;
        return doubt == null ? null : (
          <p key={messageId} class="fault">
            does not count: {doubt.reason}, {doubt.detail}
          </p>
        );
      })}
      {attempt.buffer.map(({ decision, at, stratum, reason, detail, helpfulness, sequence }) => (
        <p key={`${at}${sequence}`}>
          <Badge kind={decision === 'admitted' ? 'good' : 'dim'}>{decision === 'admitted' ? 'kept' : 'not kept'}</Badge>{' '}
          <small>
            {decision === 'admitted'
              ? `in ${stratum}, helpfulness ${percent(helpfulness, 0)}`
              : `${reason ?? ''}${detail === '' ? '' : `: ${detail}`}`}
          </small>
        </p>
      ))}
    </article>
  );
}

/** Words that every answer has: the others are marked. */
function commonWords(answers: readonly string[]): ReadonlySet<string> {
  const present = answers.filter((each) => each !== '');
  if (present.length < 2) return new Set(present[0]?.split(/(\s+)/));
  const [first, ...rest] = present.map((each) => new Set(each.split(/(\s+)/)));
  return new Set([...first!].filter((word) => rest.every((each) => each.has(word))));
}
