/** One problem with an entry of the base model, and with one of an adapter. */
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
          counted="Answers to this problem that were judged and count, by who wrote the entry: the base model, or the adapter that is served. Where that has answered nothing here, it is the newest adapter that was served before and has. The first of each is shown, in the order in which the entries were written."
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
  const link = (digest: string): JSX.Element => <AdapterLink digest={digest} version={versions[digest]} />;
  if (base === null || adapter === null)
    return (
      <p class="dim">
        The log has no judged answer to this problem with an entry of {base === null ? 'the base model' : 'an adapter'}
        {base === null && adapter === null ? ', and none with one of an adapter' : null}.
      </p>
    );
  return (
    <>
      <p>
        With the base model <strong data-value="base-solved">{count(base.solved)}</strong> of{' '}
        <span data-value="base-judged">{count(base.judged)}</span> answers are right, with {link(adapter.digest)}{' '}
        <strong data-value="served-solved">{count(adapter.solved)}</strong> of{' '}
        <span data-value="served-judged">{count(adapter.judged)}</span>.{' '}
        {adapter.digest === served ? (
          'That adapter is served.'
        ) : (
          <>
            What is served, {link(served)}, has no judged answer to it: this is the newest adapter served before that
            has.
          </>
        )}
      </p>
      <div class="candidates" data-before-and-after>
        <Side title="base model" {...base.first} />
        <Side title={adapter.digest === served ? 'what is served' : 'an adapter before'} {...adapter.first} />
      </div>
    </>
  );
}
