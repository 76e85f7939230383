/** What keeps the system from learning, and what to do; and where it runs. */
import type { Finding } from '@seamstream/doctor';
import type { JSX } from 'preact';
import { Badge, Card, Facts, How, Waiting } from '../parts/pieces.js';
import { count, plural, time } from '../parts/words.js';
import { useView } from '../state/view.js';

interface Examined {
  readonly findings: readonly Finding[];
  readonly looked: {
    readonly groups: number;
    readonly runs: readonly string[];
    readonly admitted: number;
    readonly snapshots: readonly { readonly model: string; readonly state: string }[];
  };
}

interface Health {
  readonly log: {
    readonly driver: string;
    readonly identity: string;
    readonly topics: readonly { readonly name: string; readonly partitions: number }[];
  };
  readonly objects: { readonly driver: string };
  readonly node: string;
  readonly startedAt: number;
}

export function DoctorPage(): JSX.Element {
  // It reads much: once a visit, not at every change.
  const { data, fault } = useView<Examined>('/api/views/doctor', false);
  const health = useView<Health>('/api/views/health', false);
  return (
    <>
      <h1>Doctor</h1>
      <div class="cards">
        <Card
          title="Findings"
          size="wide"
          how={
            <How
              counted="The newest 256 groups, the runs since the last promotion, what is served, and what the buffer refused."
              command="seam doctor"
            />
          }
        >
          {data === null ? <Waiting fault={fault} /> : <Findings of={data} />}
        </Card>
        <Card title="Health" how={<How counted="What the gateway runs on." command="seam config" />}>
          {health.data === null ? (
            <Waiting fault={health.fault} />
          ) : (
            <Facts
              of={[
                ['log', health.data.log.driver],
                [
                  'identity',
                  <span key="i" class="mono wrap">
                    {health.data.log.identity}
                  </span>,
                ],
                ['objects', health.data.objects.driver],
                ['topics', plural(health.data.log.topics.length, 'topic')],
                ['Node', health.data.node],
                ['gateway since', time(health.data.startedAt)],
              ]}
            />
          )}
        </Card>
      </div>
    </>
  );
}

function Findings({ of }: { readonly of: Examined }): JSX.Element {
  const { findings, looked } = of;
  return (
    <>
      {findings.length === 0 ? (
        <p class="helps">
          <strong>✓ Nothing keeps this system from learning.</strong>
        </p>
      ) : (
        <ul class="findings" data-value="findings">
          {findings.map(({ code, severity, evidence, remedy }) => (
            <li key={code}>
              <p>
                <Badge kind={severity === 'error' ? 'bad' : 'warn'}>! {severity}</Badge> <strong>{code}</strong>
              </p>
              <p>{evidence}</p>
              <p class="dim">What to do: {remedy}</p>
            </li>
          ))}
        </ul>
      )}
      <p class="dim">
        Looked at {plural(looked.groups, 'group')}, {plural(looked.runs.length, 'run')} and {count(looked.admitted)}{' '}
        admissions. {looked.snapshots.filter(({ state }) => state === 'agrees').length} of {looked.snapshots.length}{' '}
        snapshots of read models were compared and agree.
      </p>
    </>
  );
}
