/** Addresses that values name: whether a pod reaches them through its NetworkPolicy, and whether anything answers there. */
import { isLoopback } from '@seamstream/kernel';
import type { ChartValues } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { type Rule, settingsIn } from './rule.js';

/** Addresses of the gateway itself: a client's browser asks there, and no pod. */
const OF_CLIENTS = /^services\.gateway\.settings\.SEAM_GATEWAY_LOGIN_PUBLIC_URL$/;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET_OF_AWS = /^(?!.*\.\.)(?!\d+(?:\.\d+){3}$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export const ADDRESSES: readonly Rule[] = [
  function doors(values: ChartValues): Findings {
    const { networkPolicy, kafka, objectStore, tracing, services } = values;
    if (!networkPolicy.enabled) return [];
    const { trainingJobs } = services.worker;
    const open = new Set([
      ...networkPolicy.extraPorts,
      ...kafka.brokers.map((broker) => Number(broker.slice(broker.lastIndexOf(':') + 1))),
      portOf(objectStore.endpoint) ?? 443,
      ...(tracing.url === '' ? [] : [portOf(tracing.url)!]),
    ]);
    const ofWorker = new Set(trainingJobs?.enabled === true ? trainingJobs.apiPorts : []);
    return settingsIn(values).flatMap(([value, , address]) => {
      // Its own address, and one that the chart opens a door to (templates/gateway.yaml).
      if (/^services\.gateway\.settings\.SEAM_GATEWAY_(LOGIN_PUBLIC|ISSUER)_URL$/.test(value)) return [];
      const port = portOf(address);
      if (port === undefined || open.has(port) || isLoopback(new URL(address).hostname)) return [];
      if (value.startsWith('services.worker.') && ofWorker.has(port)) return [];
      const message = `The address is at port ${port}, which the NetworkPolicy keeps shut.`;
      return [error('door-shut', [value, message, `Put ${port} into networkPolicy.extraPorts.`])];
    });
  },

  function loopback(values: ChartValues): Findings {
    const { kafka, objectStore, tracing } = values;
    const named: readonly (readonly [path: string, host: string | undefined])[] = [
      ...kafka.brokers.map((broker) => ['kafka.brokers', broker.slice(0, broker.lastIndexOf(':'))] as const),
      ['objectStore.endpoint', hostOf(objectStore.endpoint)],
      ['tracing.url', hostOf(tracing.url)],
      ...settingsIn(values).map(([path, , address]) => [path, hostOf(address)] as const),
    ];
    return named
      .filter(([path, host]) => host !== undefined && isLoopback(host) && !OF_CLIENTS.test(path))
      .map(([path, host]) => {
        const message = `${host} is the pod itself, and nothing answers there but what a cluster puts into its pods.`;
        return warning('address-of-the-pod', [path, message, 'Name the address that other pods know.']);
      });
  },

  /** S3 is asked for bucket.host unless the bucket is in the path, and a cluster has no such name. */
  function bucketInHost({ objectStore: { endpoint, pathStyle, bucket } }: ChartValues): Findings {
    const host = hostOf(endpoint);
    if (host === undefined || pathStyle || !/^[^.]+$|\.svc(\.|$)|^[\d.]+$|^\[/.test(host)) return [];
    const said: Said = [
      'objectStore.pathStyle',
      `The object store is asked for at ${bucket}.${host}, which no name server knows.`,
      'Set it to true: the bucket is then in the path.',
    ];
    return [error('bucket-in-the-host', said)];
  },

  /** Other servers have other rules, and AWS still has buckets that are older than its own. */
  function bucketOfAws({ objectStore: { endpoint, bucket } }: ChartValues): Findings {
    if (endpoint !== '' || bucket.startsWith('arn:') || BUCKET_OF_AWS.test(bucket)) return [];
    const said: Said = [
      'objectStore.bucket',
      `AWS makes no bucket of the name "${bucket}".`,
      'Name one of 3 to 63 small letters, digits, dots and hyphens, or set objectStore.endpoint to another server.',
    ];
    return [warning('bucket-not-of-aws', said)];
  },
];

/** The port of an http address; undefined for any other text. */
function portOf(address: string): number | undefined {
  const url = httpAddress(address);
  if (url === undefined) return undefined;
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host of an http address; undefined for any other text. */
const hostOf = (address: string): string | undefined => httpAddress(address)?.hostname;

function httpAddress(text: string): URL | undefined {
  return /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
