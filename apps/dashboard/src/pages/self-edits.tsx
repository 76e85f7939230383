/** Self-edits: self-trainings iteration by iteration, passages before and after their edits, and what the doctor says of them. */
import type { Finding } from '@seamstream/doctor';
import type { IterationFigures, SelfTrainingReport } from '@seamstream/operations/restem';
import type { EditedPassage, TriedEdit } from '@seamstream/read-models';
import type { JSX } from 'preact';
import { PeekList } from '../parts/peek-list.js';
import { AdapterLink, Badge, Card, Empty, How, PlainTable, Status, Text, Waiting } from '../parts/pieces.js';
import { clock, count, percent, plural, points, pretty, short, time } from '../parts/words.js';
import { go } from '../state/place.js';
import { useView } from '../state/view.js';

export function SelfEditsPage(): JSX.Element {
  const trainings = useView<{ readonly selfTrainings: readonly SelfTrainingReport[] }>('/api/views/self-trainings');
  const edits = useView<{ readonly passages: readonly EditedPassage[] }>('/api/views/edits');
  return (
    <>
      <h1>Self-edits</h1>
      <div class="cards">
        {trainings.data === null ? (
          <Waiting fault={trainings.fault} />
        ) : trainings.data.selfTrainings.length === 0 ? (
          <div class="card full">
            <Empty command="seam restem start passages.jsonl">
              No self-training yet. It explores edits, trains the writer on those that teach, and begins again.
            </Empty>
          </div>
        ) : (
          trainings.data.selfTrainings.toReversed().map((each) => <SelfTraining key={each.selfTrainingId} of={each} />)
        )}
        <Findings />
      </div>
      {edits.data === null ? <Waiting fault={edits.fault} /> : <Passages of={edits.data.passages} />}
    </>
  );
}

const ITERATION_TITLES = [
  'iteration',
  'writer',
  'settled',
  'attempts',
  'refused',
  'kept',
  'reward',
  'control',
  'gain',
  'right before',
  'right after',
  'validation before',
  'validation after',
  'run',
];

function SelfTraining({ of }: { readonly of: SelfTrainingReport }): JSX.Element {
  const { selfTrainingId, startedAt, standing, stopped, config, iterations } = of;
  return (
    <Card
      title={`Self-training ${short(selfTrainingId)}`}
      size="full"
      how={
        <How
          counted="Of each iteration, its writer's attempts. Kept is the share with a gain over the control arm, or else over the mean of their group: those are trained on. Refused are edits that could not act: they earn nothing. Gain is the mean reward less that without an edit. Right are questions, of the frozen model and after an edit."
          command={`seam restem status ${short(selfTrainingId)}`}
        />
      }
    >
      <p>
        <Status status={standing} /> since {time(startedAt)}; {plural(config.iterations, 'iteration')} of{' '}
        {plural(config.passages, 'passage')}.{stopped === null ? null : ` Stopped by ${stopped.by}: ${stopped.reason}.`}
      </p>
      <IdleTime of={of} />
      {iterations.map((each) => (
        <Feedback key={each.index} of={each} />
      ))}
      <PlainTable
        label={`Iterations of self-training ${short(selfTrainingId)}`}
        titles={ITERATION_TITLES}
        numbers={ITERATION_TITLES.slice(2, -1)}
      >
        {iterations.map((each) => (
          <Iteration key={each.index} of={each} />
        ))}
      </PlainTable>
    </Card>
  );
}

/** Edits that could not act, and why. */
function refusedText({ refused }: IterationFigures): string {
  const total = refused.reduce((sum, each) => sum + each.count, 0);
  return total === 0
    ? '0'
    : `${count(total)} (${refused.map((each) => `${each.reason} ${count(each.count)}`).join(', ')})`;
}

/** What idle time was spent, and why it does not work now. */
function IdleTime({ of: { idle, config } }: { readonly of: SelfTrainingReport }): JSX.Element | null {
  if (idle === null || config.idle === null) return null;
  const { spent, pause } = idle;
  const { maxAttempts, maxSeconds, maxTokens } = config.idle;
  return (
    <p data-value="idle">
      In idle time: spent {count(spent.attempts)} of {plural(maxAttempts, 'attempt')},{' '}
      {count(Math.round(spent.seconds))} of {count(maxSeconds)} s, {count(spent.tokens)}
      {maxTokens === null ? '' : ` of ${count(maxTokens)}`} tokens.
      {pause === null ? null : ` It does not work since ${time(pause.since)} (${pause.reason}).`}
    </p>
  );
}

/** What people said of the attempts, where it joins the reward. */
function Feedback({
  of: { index, feedback, reward: measured },
}: {
  readonly of: IterationFigures;
}): JSX.Element | null {
  if (feedback === null) return null;
  const { attempts, people, decided } = feedback;
  return (
    <p data-value={`feedback-${index}`}>
      Feedback in iteration {index}: on {plural(attempts, 'attempt')} by{' '}
      {people === 1 ? '1 person' : `${count(people)} people`}; mean reward {reward(feedback.reward)} with it,{' '}
      {reward(measured?.mean)} without; it decided {plural(decided, 'group')}.
    </p>
  );
}

const reward = (value: number | null | undefined): string => (value == null ? '–' : value.toFixed(3));

function Iteration({ of }: { readonly of: IterationFigures }): JSX.Element {
  const { index, writer, settled, problems, attempts, byOthers, gaining, control, measured, before, after, run } = of;
  const gain = of.reward === null || control === null ? null : of.reward.mean - control;
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['settled', `${count(settled)} of ${count(problems)}`],
    ['attempts', `${count(attempts)}${byOthers === 0 ? '' : ` (+${count(byOthers)})`}`],
    ['refused', refusedText(of)],
    ['kept', percent(gaining)],
    ['reward', reward(of.reward?.mean)],
    ['control', reward(control)],
    ['gain', gain === null ? '–' : `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(3)}`],
    ['right-before', percent(measured?.before)],
    ['right-after', percent(measured?.after)],
    ['before', percent(before)],
    ['after', percent(after)],
  ];
  return (
    <tr data-iteration={index}>
      <th scope="row">{index}</th>
      <td>{attempts === 0 ? '–' : <AdapterLink digest={writer} />}</td>
      {figures.map(([name, value]) => (
        <td key={name} class="end" data-value={name}>
          {value}
        </td>
      ))}
      <td>
        {run === null ? (
          '–'
        ) : (
          <a href={`/training/${run.runId}`}>
            <Status status={run.status} />
          </a>
        )}
      </td>
    </tr>
  );
}

/** What the doctor says of edits. It reads much: once a visit. */
function Findings(): JSX.Element {
  const { data, fault } = useView<{ readonly findings: readonly Finding[] }>('/api/views/doctor', false);
  const own = data?.findings.filter(({ code }) => code.startsWith('self-edits')) ?? [];
  return (
    <Card
      title="What the doctor says of edits"
      size="full"
      how={
        <How
          counted="Under a tenth of the attempts with a gain is too hard to learn from, over three tenths too easy."
          command="seam doctor"
        />
      }
    >
      {data === null ? (
        <Waiting fault={fault} />
      ) : own.length === 0 ? (
        <p>
          It finds nothing wrong with them. <a href="/doctor">Ask the doctor</a>
        </p>
      ) : (
        <ul class="findings">
          {own.map(({ code, evidence, remedy }) => (
            <li key={code}>
              <p>
                <Badge kind="warn">! {code}</Badge> {evidence}
              </p>
              <p class="dim">What to do: {remedy}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const isEdit = ({ edit }: TriedEdit): boolean => edit !== null;

/** Of the edits, the one with the highest reward. */
const bestOf = ({ tried }: EditedPassage): TriedEdit | undefined =>
  tried
    .filter(isEdit)
    .reduce<TriedEdit | undefined>(
      (best, each) => (best === undefined || each.reward > best.reward ? each : best),
      undefined,
    );

/** Questions right, as a share where they were measured, else in the words of the verdict. */
const rightAfter = (of: TriedEdit | undefined): string =>
  of === undefined ? '–' : of.after === null ? of.detail : percent(of.after);

function rightBefore({ tried }: EditedPassage): string {
  const measured = tried.find(({ before }) => before !== null);
  if (measured !== undefined) return percent(measured.before);
  return tried.find((each) => !isEdit(each))?.detail ?? 'not measured';
}

const ROOM: ReadonlySet<string> = new Set(['time', 'domain', 'right before']);

const columns = [
  { title: 'time', width: '84px', cell: ({ at }: EditedPassage) => <time class="mono dim">{clock(at)}</time> },
  {
    title: 'passage',
    width: 'minmax(180px, 3fr)',
    cell: ({ problemId, passage }: EditedPassage) => <a href={addressOf(problemId)}>{passage}</a>,
  },
  { title: 'domain', width: 'minmax(80px, 1fr)', cell: ({ domain }: EditedPassage) => domain },
  { title: 'edits', width: '64px', end: true, cell: ({ tried }: EditedPassage) => count(tried.filter(isEdit).length) },
  { title: 'right before', width: 'minmax(110px, 1fr)', cell: (row: EditedPassage) => rightBefore(row) },
  { title: 'after the best', width: 'minmax(110px, 1fr)', cell: (row: EditedPassage) => rightAfter(bestOf(row)) },
];

const addressOf = (problemId: string): string => `/problems/${encodeURIComponent(problemId)}`;

function Passages({ of }: { readonly of: readonly EditedPassage[] }): JSX.Element {
  if (of.length === 0)
    return (
      <Empty command="npm start -- --method self-edits --data-dir edits">
        No edit was tried yet. The frozen model is trained on each for a moment, and asked the passage's questions.
      </Empty>
    );
  return (
    <>
      <p class="dim line">
        <span>
          <span data-value="passages">{count(of.length)}</span> passages, newest first, each before and after its edits.
        </span>
        <How
          counted="The newest thousand passages that edits were tried on. Questions are answered without the passage."
          command="seam edits tried"
        />
      </p>
      <PeekList
        label="Passages, newest first"
        chosenLabel="The chosen passage"
        columns={columns}
        room={ROOM}
        rows={of}
        keyOf={({ problemId }) => problemId}
        onOpen={({ problemId }) => go(addressOf(problemId))}
        head={(problemId) => <a href={addressOf(problemId)}>Open</a>}
      >
        {(problemId) => {
          const passage = of.find((each) => each.problemId === problemId);
          return passage === undefined ? null : <Passage of={passage} />;
        }}
      </PeekList>
    </>
  );
}

function Passage({ of }: { readonly of: EditedPassage }): JSX.Element {
  const { passage, tried } = of;
  return (
    <>
      <h3>Passage</h3>
      <Text>{passage}</Text>
      <p>
        Before an edit: <strong data-value="before">{rightBefore(of)}</strong>
      </p>
      <div class="candidates">
        {tried.filter(isEdit).map((each) => (
          <Edit key={each.experienceId} of={each} />
        ))}
      </div>
    </>
  );
}

function Edit({ of }: { readonly of: TriedEdit }): JSX.Element {
  const { experienceId, adapterDigest, edit, success, detail, before, after } = of;
  return (
    <article class={`candidate ${success ? 'solved' : 'notSolved'}`} data-edit={experienceId}>
      <header>
        <Badge kind={success ? 'good' : 'bad'}>{success ? '✓ solved' : '✕ not solved'}</Badge>
        <span>reward {of.reward.toFixed(3)}</span>
        <AdapterLink digest={adapterDigest} />
      </header>
      <Text>{textOf(edit!)}</Text>
      <p class="verdict">
        {before === null || after === null
          ? detail
          : `${percent(before)} right before, ${percent(after)} after: ${points(after - before)} points`}
      </p>
    </article>
  );
}

/** An edit is an entry with one field; cut off it is no JSON any more. */
function textOf(entry: string): string {
  try {
    const { edit } = JSON.parse(entry) as { readonly edit?: unknown };
    return typeof edit === 'string' ? edit : pretty(entry);
  } catch {
    return entry;
  }
}
