/** A text as it was and as it is: words that are gone are struck, new ones underlined. */
import type { JSX } from 'preact';
import { wordDiff } from './word-diff.js';

/** @param props.before null where there was none, as `after` where there is none any more */
export function ChangedText({
  before,
  after,
}: {
  readonly before: string | null;
  readonly after: string | null;
}): JSX.Element {
  return (
    <p class="changed">
      {wordDiff(before ?? '', after ?? '').map(({ kind, text }, index) =>
        kind === 'same' ? text : kind === 'gone' ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>,
      )}
    </p>
  );
}
