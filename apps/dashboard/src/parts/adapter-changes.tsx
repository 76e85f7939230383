/** The same problems through an adapter and its parent: what it rescued and what it broke. */
import type { ProblemDifference } from '@seamstream/events';
import type { AdapterChanges } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { useViewAsOf } from '../state/view.js';
import { AdapterLink, Badge, Card, How, Waiting } from './pieces.js';
import { count, plural, pretty, short } from './words.js';

export function Changes({ digest }: { readonly digest: string }): JSX.Element {
  const { data, fault } = useViewAsOf<AdapterChanges>(`/api/views/adapters/${digest}/changes`);
  return (
    <Card
      title="Against its parent"
      size="full"
      how={
        <How
          counted="Problems that both were asked, side by side. Rescued: it solved them and its parent did not. Broken: the other way round. The log has the first few of each kind with what both said, and counts the others."
          command={`seam adapters changes ${short(digest)}`}
        />
      }
    >
      {data?.adapterDigest === digest ? <Told of={data} /> : <Waiting fault={fault} />}
    </Card>
  );
}

function Told({ of }: { readonly of: AdapterChanges }): JSX.Element {
  const { parent, problems, rescued, broken, differences, onlyCounted } = of;
  if (rescued === null || broken === null)
    return <p class="dim">It was not asked the same problems as its parent, side by side.</p>;
  return (
    <>
      <p>
        Of {plural(problems, 'problem')} it rescued <strong data-value="rescued">{count(rescued)}</strong> that{' '}
        <AdapterLink digest={parent} /> did not solve, and broke <strong data-value="broken">{count(broken)}</strong>.
      </p>
      {differences.map((each) => (
        <Difference key={`${each.problemId} ${each.rescued}`} of={each} />
      ))}
      {onlyCounted === 0 ? null : (
        <p class="dim">
          <span data-value="only-counted">{count(onlyCounted)}</span> more the log only counts.
        </p>
      )}
    </>
  );
}

function Difference({ of }: { readonly of: ProblemDifference }): JSX.Element {
  return (
    <details data-difference={of.problemId}>
      <summary>
        <Badge kind={of.rescued ? 'good' : 'bad'}>{of.rescued ? '✓ rescued' : '✕ broken'}</Badge> {of.domain}:{' '}
        {of.question}
      </summary>
      <div class="candidates">
        <Side title="parent" entry={of.parentEntry} answer={of.parentAnswer} isSolved={!of.rescued} />
        <Side title="this adapter" entry={of.entry} answer={of.answer} isSolved={of.rescued} />
      </div>
    </details>
  );
}

/** What one writer's entry came to on a problem. */
export function Side(props: {
  readonly title: string;
  readonly entry: string | null;
  readonly answer: string | null;
  readonly isSolved: boolean;
}): JSX.Element {
  return (
    <div class={`candidate ${props.isSolved ? 'solved' : 'failed'}`}>
      <h3>{props.title}</h3>
      {/* As many as there are problems: no region to be scrolled. */}
      <p class="wrap mono changed">{props.entry === null ? 'no entry' : pretty(props.entry)}</p>
      <p>
        answer: <strong class="wrap">{props.answer ?? 'none'}</strong>
      </p>
    </div>
  );
}
