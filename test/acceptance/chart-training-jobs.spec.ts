/** What the chart lets a worker do that starts Jobs, and the policy that narrows it. */
import { readFileSync } from 'node:fs';
import { podsOf } from './chart/policy.js';
import { openChart } from './chart/rendering.js';
import type { Values } from './chart/values.js';

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

(opened === undefined ? describe.skip : describe)('The training Jobs of the chart', () => {
  it('let the worker that starts them reach the API server alone, where values say who that is', async () => {
    const peers = [{ ipBlock: { cidr: '10.0.0.1/32' } }];
    const doorTo = async (values: Values) => {
      const { documents } = await chart.checked(['production', 'gpu'], values);
      return documents.find(({ metadata }) => metadata.name === 'demo-doors-to-api')?.spec?.egress;
    };
    const ports = [443, 6443].map((port) => ({ protocol: 'TCP', port }));
    expect(await doorTo({})).toEqual([{ ports }]);
    expect(await doorTo({ services: { worker: { trainingJobs: { apiPeers: peers } } } })).toEqual([
      { ports, to: peers },
    ]);
  });

  it('have a policy that names the account, the image and the volumes of the profile gpu', async () => {
    const text = readFileSync(new URL('../../infra/kubernetes/training-jobs-policy.yaml', import.meta.url), 'utf8');
    const [policy] = await chart.tools.check([text]);
    expect(policy).toMatchObject({ faults: [], documents: [{}, {}] });
    const { documents } = await chart.checked(['production', 'gpu']);
    const account = documents.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'demo-training')!;
    expect(text).toContain(`:seam:${account.metadata.name}'`);
    const [job] = podsOf(documents).filter(({ owner }) => owner.metadata.name === 'demo-training-job');
    expect(text).toContain(`'${job!.spec.containers[0]!.image}'`);
    const claims = job!.spec.volumes!.flatMap(
      ({ persistentVolumeClaim: claim }) => (claim as { claimName: string } | undefined)?.claimName ?? [],
    );
    expect(text).toContain(`[${claims.map((claim) => `'${claim}'`).join(', ')}]`);
  });
});
