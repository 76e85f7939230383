/** What was decided on an artefact, by whom and why; and where it changed nothing, why not. */
import type { AdapterAct } from '@seamstream/read-models';
import type { ComponentChildren, JSX } from 'preact';

/** @param props.children what the decision is on, where the place does not say it */
export function ActText(props: { readonly of: AdapterAct; readonly children?: ComponentChildren }): JSX.Element {
  const { act, by, reason, status, hindrance } = props.of;
  return (
    <div>
      <strong>{act === 'rolledBack' ? 'rolled back' : act}</strong> {props.children}by {by}: {reason}
      {status === 'counted' ? null : (
        <span class="fault">
          {' '}
          {status}: {hindrance}
        </span>
      )}
    </div>
  );
}
