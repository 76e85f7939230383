/** Values as a person writes them, and what an installation of production needs of others: Strimzi's Secrets, a certificate's name. */
import { podsOf } from './chart/policy.js';
import { environmentOf, handedByCheck, openChart } from './chart/rendering.js';

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

/** Helm reads YAML 1.1: a flag in a word, an octal number, a mapping that is merged; and whole numbers as floating ones. */
const WRITTEN = `
networkPolicy: { enabled: yes }
services:
  executor: &same
    terminationGraceSeconds: 0170
  generator:
    <<: *same
    settings: { SEAM_GENERATOR_GROUP_SIZE: 1_6, SEAM_GENERATOR_VLLM_REQUEST_TIMEOUT_MS: 3600000 }
`;

(opened === undefined ? describe.skip : describe)('The chart', () => {
  it('gives settings as they are written, and the check of a deployment reads the same', async () => {
    const { documents } = await chart.checked([], WRITTEN);
    await handedByCheck([], WRITTEN, documents);
    const [generator] = podsOf(documents.filter(({ metadata }) => metadata.name === 'demo-generator'));
    expect(generator?.spec.terminationGracePeriodSeconds).toBe(0o170);
    expect(environmentOf(generator!.spec.containers[0]!)).toMatchObject({
      SEAM_GENERATOR_GROUP_SIZE: '16',
      SEAM_GENERATOR_VLLM_REQUEST_TIMEOUT_MS: '3600000',
    });
  });

  it('waits for no password that Strimzi writes later, and has pods asked by the name in their certificate', async () => {
    const { documents } = await chart.checked(['production']);
    const before = documents.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']?.includes('pre-install'));
    expect(before.map(({ metadata }) => metadata.name)).toEqual([]);
    const topics = documents.filter(({ kind }) => kind === 'KafkaTopic');
    expect(topics.length).toBeGreaterThan(0);
    const [monitor] = documents.filter(({ kind }) => kind === 'PodMonitor');
    const [endpoint] = monitor!.spec?.podMetricsEndpoints as readonly unknown[];
    expect(endpoint).toMatchObject({ scheme: 'https', tlsConfig: { serverName: 'seamstream' } });
  });
});
