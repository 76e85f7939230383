/** The manifest that engines/torch gives as an example, as the trainer submits it: strictly what Kubernetes' schemas say. */
import { readFile } from 'node:fs/promises';
import { kubernetesTools } from '@seamstream/dev-servers';
import { jobTemplate, KubernetesJobs } from '@seamstream/training-contract';
import { fetched } from '../real-model/fetched.js';

const EXAMPLE = new URL('../../engines/torch/kubernetes-job.json', import.meta.url);

const tools = await fetched('the schemas of Kubernetes', kubernetesTools);

(tools === undefined ? describe.skip : describe)('the Job that the trainer submits to Kubernetes', () => {
  it('has no field that Kubernetes does not know, and of each the right kind', async () => {
    const template = jobTemplate(await readFile(EXAMPLE, 'utf8'));
    const [server, accountFolder] = ['https://kubernetes.default.svc', '/none'];
    const command = ['torchrun', '--standalone', '--nproc-per-node', '8'];
    const jobs = new KubernetesJobs({ server, accountFolder, template, command });
    const job = jobs.manifestOf(`seam-${'0'.repeat(32)}`, '/shared/jobs/seam-job-1');
    const planted = [
      { ...job, spec: { ...job.spec, backOffLimit: 0 } },
      { ...job, spec: { ...job.spec, backoffLimit: 'none' } },
    ];
    const [right, ...wrong] = await tools!.check([job, ...planted].map((each) => JSON.stringify(each)));
    expect(right!.documents).toHaveLength(1);
    expect(right!.faults).toEqual([]);
    expect(wrong.map(({ faults }) => faults.join())).toEqual([
      expect.stringContaining('backOffLimit'),
      expect.stringContaining('backoffLimit'),
    ]);
  });
});
