/** One problem with an entry of the base model, and with one of the adapter that is served. */
import type { AgainstBase } from '@seamstream/operations/show';
import type { JSX } from 'preact';
import { Side } from './adapter-changes.js';
import { AdapterLink, Card, How } from './pieces.js';
import { count } from './words.js';

interface Compared {
  readonly of: AgainstBase;
  /** Numbers of adapters by their digest. */
  readonly versions: Readonly<Record<string, number>>;
}

export function BeforeAndAfter({ of, versions, problemId }: Compared & { readonly problemId: string }): JSX.Element {
  return (
    <Card
      title="Before and after"
      size="full"
      how={
        <How
          counted="Answers to this problem that were judged and count, by who wrote the entry: the base model, or the adapter that is served. The first of each is shown, in the order in which the entries were written."
          command={`seam show ${problemId}`}
        />
      }
    >
      <Told of={of} versions={versions} />
    </Card>
  );
}

function Told({ of: { served, base, adapter }, versions }: Compared): JSX.Element {
  if (served === null) return <p class="dim">The base model is served: there is no adapter to compare it with.</p>;
  const link = <AdapterLink digest={served} version={versions[served]} />;
  if (base === null || adapter === null)
    return (
      <p class="dim">
        The log has no judged answer to this problem with an entry of{' '}
        {base === null ? 'the base model' : <>{link}, which is served</>}
        {base === null && adapter === null ? <>, and none with one of {link}, which is served</> : null}.
      </p>
    );
  return (
    <>
      <p>
        With the base model <strong data-value="base-solved">{count(base.solved)}</strong> of{' '}
        <span data-value="base-judged">{count(base.judged)}</span> answers are right, with {link}, which is served,{' '}
        <strong data-value="served-solved">{count(adapter.solved)}</strong> of{' '}
        <span data-value="served-judged">{count(adapter.judged)}</span>.
      </p>
      <div class="candidates" data-before-and-after>
        <Side title="base model" {...base.first} />
        <Side title="what is served" {...adapter.first} />
      </div>
    </>
  );
}
