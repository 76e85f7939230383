/** What this run was begun with, and how it is run again, where `npm start` serves the page. */
import type { StartFacts, ToldStart } from '@seamstream/gateway-contract';
import type { JSX } from 'preact';
import { hasKey } from '../state/access.js';
import { useView } from '../state/view.js';
import { Card, Facts, How } from './pieces.js';
import { count, time } from './words.js';

/** The report comes when the rounds are over, and then the log does not grow. */
const AGAIN_MS = 10_000;

/** Nothing where another host serves the page. */
export function StartCard(): JSX.Element | null {
  const { data } = useView<ToldStart>('/api/views/start', false, AGAIN_MS);
  const { start, unread } = data ?? { start: null, unread: null };
  if (start === null && unread === null) return null;
  return (
    <Card
      title="This run"
      size="wide"
      how={
        <How
          counted="What the data folder says of its first start, its limits since then, and the commands of its report. Without a report, the commands leave out on how many problems it will be measured."
          command="seam status"
        />
      }
    >
      {start === null ? <p class="dim">{unread}</p> : <Begun start={start} />}
    </Card>
  );
}

function Begun({ start }: { readonly start: StartFacts }): JSX.Element {
  return (
    <>
      <Facts of={factsOf(start)} />
      <p>The same again, in an empty folder:</p>
      {start.commands.map((command) => (
        <code key={command} class="command" data-value="command">
          {command}
        </code>
      ))}
      <p>{start.hasReport ? <Report /> : 'It has no report yet: that comes when its rounds are over.'}</p>
    </>
  );
}

function factsOf(start: StartFacts): (readonly [string, string | JSX.Element])[] {
  const { method, seed, algorithm, roundSize, preset, problems, validation, test, version, begunAt, limits } = start;
  const { maxRounds, maxShiftedRounds } = limits.at(-1)!;
  const files = [
    ['preset', preset],
    ['problems', problems],
    ['validation', validation],
    ['test', test],
  ] as const;
  return [
    ['method', method],
    [
      'seed',
      <span key="s" data-value="seed">
        {String(seed)}
      </span>,
    ],
    ['algorithm', algorithm],
    ['problems a round', count(roundSize)],
    ['most rounds', count(maxRounds)],
    ...(maxShiftedRounds === 0 ? [] : [['most rounds with new problems', count(maxShiftedRounds)] as const]),
    ...files.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    ['begun', `${time(Date.parse(begunAt))}, Seamstream ${version}`],
  ];
}

/** A key is sent as a header. A link cannot send it. */
function Report(): JSX.Element {
  return hasKey() ? (
    <>Its report is report.html in the data folder.</>
  ) : (
    <a href="/api/views/report" target="_blank" rel="noreferrer">
      Its report
    </a>
  );
}
