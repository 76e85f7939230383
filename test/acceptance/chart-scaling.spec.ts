/** What the chart of infra/helm scales its services by, and how a worker starts the programs that train. */
import { loadConfig } from '@seamstream/service-kit';
import { jobTemplate, KubernetesJobs } from '@seamstream/training-contract';
import { podsOf, trainingJobs } from './chart/policy.js';
import { environmentOf, openChart } from './chart/rendering.js';
import { SCHEMAS, type Values } from './chart/values.js';

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

(opened === undefined ? describe.skip : describe)('The chart', () => {
  it('scales services by the age of their lag, as their own metric has it, and needs the address of who knows', async () => {
    const { documents } = await chart.checked(['production']);
    const aged = documents.flatMap(({ kind, metadata: { name }, spec }) => {
      const triggers = (kind === 'ScaledObject' ? spec?.triggers : []) as { metadata: Record<string, string> }[];
      return triggers.flatMap(({ metadata: { query, threshold } }) =>
        query?.includes('lag_seconds') === true ? [[name, query, threshold]] : [],
      );
    });
    expect(aged).toEqual(
      ['executor', 'generator'].map((name) => [
        `demo-${name}`,
        `max(seam_consumer_lag_seconds{namespace="seam", pod=~"demo-${name}-.*"})`,
        '300',
      ]),
    );
    const worker = { autoscaling: { enabled: false } };
    expect(
      await chart.render(['production'], { monitoring: { prometheusUrl: '' }, services: { worker } }),
    ).toMatchObject({ text: '', said: expect.stringContaining('lagAgeSeconds needs monitoring.prometheusUrl') });
  });

  describe('Training on PyTorch', () => {
    const worker = { settings: { SEAM_TRAINER_MODEL_FOLDER: '/models/base' } };
    const jobs = { enabled: true, image: 'torch:1', claim: 'jobs' };
    const render = (more: Values) =>
      chart.render([], { models: { claim: 'models' }, services: { worker: { ...worker, ...more } } });

    it('is submitted by a worker that reads the manifest, as a Job that Kubernetes knows', async () => {
      const { documents } = await chart.checked(['production', 'gpu']);
      const [job] = documents.flatMap(trainingJobs);
      const template = jobTemplate(JSON.stringify(job));
      const submitted = new KubernetesJobs({ server: '', accountFolder: '', template, command: ['torchrun'] });
      const [checked] = await chart.tools.check([JSON.stringify(submitted.manifestOf('seam-1', '/jobs/1'))]);
      expect(checked).toMatchObject({ faults: [], documents: [{ spec: { backoffLimit: 0 } }] });
      const [pod] = podsOf(documents.filter(({ kind }) => kind === 'ScaledJob'));
      expect(loadConfig(SCHEMAS.trainer, environmentOf(pod!.spec.containers[0]!))).toMatchObject({
        trainer: {
          engine: 'torch',
          torch: {
            launcher: 'kubernetes',
            processes: 8,
            jobsFolder: '/jobs',
            options: expect.stringContaining('bfloat16'),
          },
        },
      });
    });

    it.each([
      ['without an image', { trainingJobs: { ...jobs, image: '' } }, 'needs an image'],
      ['without a folder that is shared', { trainingJobs: { ...jobs, claim: '' } }, 'needs a claim'],
      ['where the Jobs have no model', { trainingJobs: jobs, settings: {} }, 'SEAM_TRAINER_MODEL_FOLDER below /models'],
      [
        'next to another launcher',
        { trainingJobs: jobs, settings: { ...worker.settings, SEAM_TRAINER_TORCH_LAUNCHER: 'ray' } },
        'SEAM_TRAINER_TORCH_LAUNCHER, which services.worker.trainingJobs gives',
      ],
    ])('is refused %s', async (_what, more, said) => {
      expect(await render(more)).toMatchObject({ text: '', said: expect.stringContaining(said) });
    });
  });

  it('asks for planned runs where the planner counts them, and needs the address of who knows', async () => {
    const { documents } = await chart.checked(['production']);
    const worker = documents.find(({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === 'demo-worker');
    expect(worker?.spec).toMatchObject({
      minReplicaCount: 0,
      triggers: [
        {
          type: 'prometheus',
          metadata: {
            serverAddress: 'http://prometheus-operated.monitoring:9090',
            query: 'max(seam_training_runs_waiting{namespace="seam", pod=~"demo-planner-.*"})',
            threshold: '1',
            ignoreNullValues: 'false',
          },
        },
      ],
    });
    const byLag = { autoscaling: { enabled: false } };
    expect(
      await chart.render(['production'], {
        monitoring: { prometheusUrl: '' },
        services: { generator: byLag, executor: byLag },
      }),
    ).toMatchObject({
      text: '',
      said: expect.stringContaining('services.worker.autoscaling needs monitoring.prometheusUrl'),
    });
  });
});
