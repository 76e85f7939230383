/** Records that a consumer could not use: why, with their bytes, and how they go back. */
import type { JSX } from 'preact';
import { Badge, Card, Empty, Facts, How, Text, Waiting } from '../parts/pieces.js';
import { count, plural, time } from '../parts/words.js';
import { query, setQuery } from '../state/place.js';
import { useView } from '../state/view.js';

interface ToldLetter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly group: string;
  readonly code: string;
  readonly reason: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly redriven: boolean;
  readonly meta: { readonly messageId: string; readonly occurredAt: number };
}

interface ToldLetters {
  readonly deadLetters: readonly ToldLetter[];
  readonly byCode: Readonly<Record<string, number>>;
  readonly unreadable: number;
}

/** Letters that are shown of those that are chosen, the newest first. */
const MOST = 200;

export function DeadLettersPage(): JSX.Element {
  const { data, fault } = useView<ToldLetters>('/api/views/dead-letters');
  if (data === null) return <Waiting fault={fault} />;
  const code = query.value.get('code');
  const chosen = data.deadLetters.filter((letter) => code === null || letter.code === code).toReversed();
  const how = (
    <How
      counted="Records of the topic seam.dead-letters, and which of them were sent again."
      command="seam dead-letters list"
    />
  );
  return (
    <>
      <h1>Dead letters</h1>
      {data.deadLetters.length === 0 ? (
        <Empty command="seam dead-letters list">No record went to the dead letters.</Empty>
      ) : (
        <div class="cards">
          <Card title="By code" how={how}>
            <p class="big">
              <span data-value="letters">{count(data.deadLetters.length)}</span> <small>letters</small>
            </p>
            <ul class="plain">
              {Object.entries(data.byCode).map(([each, times]) => (
                <li key={each}>
                  <button
                    type="button"
                    aria-pressed={code === each}
                    onClick={() => setQuery({ code: code === each ? undefined : each })}
                  >
                    {each} {count(times)}
                  </button>
                </li>
              ))}
            </ul>
            <p>To send them again, once their cause is mended:</p>
            <code class="command">seam dead-letters redrive{code === null ? '' : ` --code ${code}`} --dry-run</code>
          </Card>
          <Card title={plural(chosen.length, 'letter')} size="wide" how={how}>
            {chosen.slice(0, MOST).map((letter) => (
              <details key={letter.meta.messageId}>
                <summary>
                  <span class="mono">{`${letter.topic}/${letter.partition}/${letter.offset}`}</span>{' '}
                  <Badge kind="bad">! {letter.code}</Badge>{' '}
                  {letter.redriven ? <Badge kind="dim">sent again</Badge> : null} {letter.reason}
                </summary>
                <Facts
                  of={[
                    ['time', time(letter.meta.occurredAt)],
                    ['consumer', letter.group],
                    [
                      'key',
                      <span key="k" class="mono">
                        {letter.key ?? 'none'}
                      </span>,
                    ],
                  ]}
                />
                <h3>bytes, base64</h3>
                <Text>{letter.value ?? 'no value'}</Text>
              </details>
            ))}
          </Card>
        </div>
      )}
    </>
  );
}
