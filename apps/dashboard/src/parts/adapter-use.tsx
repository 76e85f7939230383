/** Which adapters wrote experiences: what was served, next to what is to be served. */
import type { ListedUse, ListedUses } from '@seamstream/operations/read-models';
import type { JSX } from 'preact';
import { useViewAsOf } from '../state/view.js';
import { AdapterLink, Card, How, PlainTable, Status, Waiting } from './pieces.js';
import { count, short, time } from './words.js';

const TITLES = ['adapter', 'stands', 'experiences', 'explored', 'first', 'last', 'fingerprint', 'releases'];

/** @param props.only this adapter alone; absent: all */
export function InUse({ only }: { readonly only?: string }): JSX.Element {
  const { data, fault } = useViewAsOf<ListedUses>('/api/views/adapters/use');
  const shown = data?.uses.filter(({ adapterDigest }) => only === undefined || adapterDigest === only);
  const unknown = only === undefined ? data?.unknown : null;
  return (
    <Card
      title="In use"
      size="full"
      how={
        <How
          counted="Experiences by the adapter that wrote them, the one in use last first; one that was delivered again counts once. A generator measures its digest from the tensors in use. Times are those of the generators. Digests of adapters that were never published are counted together. The log names no instance of a generator."
          command="seam adapters use"
        />
      }
    >
      {shown === undefined ? (
        <Waiting fault={fault} />
      ) : shown.length === 0 && unknown == null ? (
        <p class="dim">No experience was written {only === undefined ? 'yet' : 'by it'}.</p>
      ) : (
        <PlainTable label="Adapters in use" titles={TITLES} numbers={['experiences', 'explored']}>
          {shown.map((use) => (
            <Use key={use.adapterDigest} of={use} />
          ))}
          {unknown == null ? null : <UseOfUnknown of={unknown} />}
        </PlainTable>
      )}
    </Card>
  );
}

function UseOfUnknown({ of }: { readonly of: NonNullable<ListedUses['unknown']> }): JSX.Element {
  return (
    <tr data-use="unknown">
      <th scope="row">unknown</th>
      <td>–</td>
      <td class="end" data-value="experiences">
        {count(of.experiences)}
      </td>
      <td class="end" data-value="explored">
        {count(of.explored)}
      </td>
      <td>–</td>
      <td data-value="last">{of.lastAt === null ? '–' : time(of.lastAt)}</td>
      <td class="wrap" colSpan={2}>
        {count(of.digests)} of no published adapter <small class="mono">{of.latest.map(short).join(' ')}</small>
      </td>
    </tr>
  );
}

function Use({ of }: { readonly of: ListedUse }): JSX.Element {
  const { adapterDigest, version, status, isServed, experiences, explored, firstAt, lastAt, fingerprint } = of;
  return (
    <tr data-use={adapterDigest ?? 'base'}>
      <th scope="row">
        <AdapterLink digest={adapterDigest} version={version ?? undefined} />
      </th>
      <td>{isServed ? <Status status="served" /> : status === null ? '–' : <Status status={status} />}</td>
      <td class="end" data-value="experiences">
        {count(experiences)}
      </td>
      <td class="end" data-value="explored">
        {count(explored)}
      </td>
      <td data-value="first">{time(firstAt)}</td>
      <td data-value="last">{time(lastAt)}</td>
      <td class="mono wrap">{fingerprint ?? '–'}</td>
      <td>
        {of.releases.map(({ releaseId, asCandidate, asParent }) => (
          <span key={releaseId}>
            <a class="mono" href={`/releases/${releaseId}`}>
              {short(releaseId)}
            </a>{' '}
            <small>
              {count(asCandidate)} as candidate, {count(asParent)} as parent
            </small>{' '}
          </span>
        ))}
      </td>
    </tr>
  );
}
