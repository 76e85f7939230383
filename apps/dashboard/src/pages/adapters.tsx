/** Every adapter: from what it came, how it was measured, and what was decided on it. */
import type { AdapterLineage, AdapterVersion } from '@seamstream/read-models';
import type { JSX } from 'preact';
import { ActText } from '../parts/act-text.js';
import { Changes } from '../parts/adapter-changes.js';
import { InUse } from '../parts/adapter-use.js';
import { AdapterLink, Card, Empty, Facts, Heads, How, Status, Waiting } from '../parts/pieces.js';
import { bytes, count, figure, percent, plural, points, short, time } from '../parts/words.js';
import { path } from '../state/place.js';
import { useViewAsOf } from '../state/view.js';

export function AdaptersPage(): JSX.Element {
  const { data, fault } = useViewAsOf<AdapterLineage>('/api/views/adapters');
  if (data === null) return <Waiting fault={fault} />;
  const chosen = path.value[1];
  const version = data.versions.find(({ adapterDigest }) => adapterDigest === chosen);
  return (
    <>
      <h1>{version === undefined ? 'Adapters' : `Adapter v${version.version}`}</h1>
      {chosen !== undefined && version === undefined ? (
        <p class="fault">The log has no adapter {short(chosen)}.</p>
      ) : null}
      {version === undefined ? (
        <div class="cards">
          <Tree of={data} />
          <InUse />
        </div>
      ) : (
        <Detail of={version} lineage={data} />
      )}
    </>
  );
}

function Tree({ of }: { readonly of: AdapterLineage }): JSX.Element {
  if (of.versions.length === 0)
    return <Empty command="seam train sft">No adapter yet. A run publishes one after each window of problems.</Empty>;
  const children = Map.groupBy(of.versions, ({ parent }) => parent ?? '');
  const known = new Set(of.versions.map(({ adapterDigest }) => adapterDigest));
  const roots = of.versions.filter(({ parent }) => parent === null || !known.has(parent));
  return (
    <Card
      title="Lineage"
      size="full"
      how={
        <How
          counted="Each adapter under the one it was trained from, with its success on validation problems."
          command="seam adapters list"
        />
      }
    >
      {of.pin === null ? null : (
        <p>
          Pinned by {of.pin.by}: {of.pin.reason}
        </p>
      )}
      <ul class="lineage">
        <li>
          <span class="node">base model</span>
          <Branches of={roots} children={children} served={of.served} />
        </li>
      </ul>
    </Card>
  );
}

function Branches(props: {
  readonly of: readonly AdapterVersion[];
  readonly children: ReadonlyMap<string, readonly AdapterVersion[]>;
  readonly served: string | null;
}): JSX.Element {
  // A chain stands straight: only where two begin is there a step to the right.
  return (
    <ul class={props.of.length === 1 ? 'chain' : ''}>
      {props.of.map((version) => (
        <li key={version.adapterDigest}>
          <Node of={version} isServed={version.adapterDigest === props.served} />
          {props.children.has(version.adapterDigest) ? (
            <Branches {...props} of={props.children.get(version.adapterDigest)!} />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Node({ of, isServed }: { readonly of: AdapterVersion; readonly isServed: boolean }): JSX.Element {
  const rate = of.evaluation?.success;
  const parent = of.evaluation?.parentSuccess ?? null;
  return (
    <span class={`node${isServed ? ' served' : ''}`}>
      <span
        class={`swatch heat-${rate === undefined ? 'none' : Math.min(9, Math.floor(rate * 10))}`}
        aria-hidden="true"
      />
      <AdapterLink digest={of.adapterDigest} version={of.version} />
      <span>{of.algorithm}</span>
      <strong>{percent(rate)}</strong>
      {rate === undefined || parent === null ? null : <small>{points(rate - parent)} points to its parent</small>}
      <Status status={of.status} />
    </span>
  );
}

/** What is no weights has a page to itself. */
function kindOf({ key, kind, sizeBytes, adapterDigest }: AdapterVersion): JSX.Element | string {
  if (!key.startsWith('libraries/')) return `${kind}, ${bytes(sizeBytes)}`;
  return (
    <span>
      <a href={`/libraries/${adapterDigest}`}>library</a>, {bytes(sizeBytes)}
    </span>
  );
}

function Detail({ of, lineage }: { readonly of: AdapterVersion; readonly lineage: AdapterLineage }): JSX.Element {
  const versions = new Map(lineage.versions.map(({ adapterDigest, version }) => [adapterDigest, version]));
  const { evaluation, comparison } = of;
  const how = (
    <How counted="What the log says of this adapter." command={`seam adapters show ${short(of.adapterDigest)}`} />
  );
  return (
    <div class="cards">
      <Card title="Identity" how={how}>
        <Facts
          of={[
            ['status', <Status key="s" status={of.status} />],
            ['parent', <AdapterLink key="p" digest={of.parent} version={versions.get(of.parent ?? '')} />],
            [
              'run',
              <a key="r" class="mono" href={`/training/${of.runId}`}>
                {short(of.runId)}
              </a>,
            ],
            ['algorithm', of.algorithm],
            ['published', time(of.publishedAt)],
            ['kind, size', kindOf(of)],
            [
              'digest',
              <span key="d" class="mono wrap">
                {of.adapterDigest}
              </span>,
            ],
            [
              'base model',
              <span key="b" class="mono">
                {short(of.baseModelDigest)}
              </span>,
            ],
          ]}
        />
      </Card>
      <Card title="Measured" how={how} size="wide">
        {evaluation === null ? (
          <p class="dim">It was not measured.</p>
        ) : (
          <>
            <p>
              <strong>{percent(evaluation.success)}</strong> of {plural(evaluation.problems, 'problem')} of{' '}
              {evaluation.problemSet}, its parent <strong>{percent(evaluation.parentSuccess)}</strong>.
              {comparison === null
                ? null
                : ` It rescued ${count(comparison.rescued)} and broke ${count(comparison.broken)}: evidence ${figure(comparison.evidence)}${comparison.needed === null ? '' : `, needed ${figure(comparison.needed)}`}.`}
            </p>
            <table class="plain-table">
              <Heads
                titles={['domain', 'parent', 'this adapter', 'points']}
                numbers={['parent', 'this adapter', 'points']}
              />
              <tbody>
                {Object.entries(evaluation.perDomain).map(([domain, rate]) => (
                  <tr key={domain}>
                    <th scope="row">{domain}</th>
                    <td class="end">{percent(evaluation.parentPerDomain[domain])}</td>
                    <td class="end">{percent(rate)}</td>
                    <td class="end">
                      {evaluation.parentPerDomain[domain] === undefined
                        ? '–'
                        : points(rate - evaluation.parentPerDomain[domain])}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
      </Card>
      <Changes digest={of.adapterDigest} />
      <InUse only={of.adapterDigest} />
      <Card title="Decided" size="wide" how={how}>
        {of.acts.length === 0 ? <p class="dim">{of.reason ?? 'Nothing was decided on it.'}</p> : null}
        <ol class="timeline">
          {of.acts.map((each) => (
            <li key={`${each.act}${each.at}`}>
              <time>{time(each.at)}</time>
              <ActText of={each} />
            </li>
          ))}
        </ol>
      </Card>
      <Card title="Learned from" how={how}>
        <Facts
          of={of.inputs.map(({ topic, partition, from, to }): readonly [string, string] => [
            `${topic}/${partition}`,
            `${count(from)} to ${count(to)}`,
          ])}
        />
      </Card>
    </div>
  );
}
