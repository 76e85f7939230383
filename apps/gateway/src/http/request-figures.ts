/** Requests of this gateway since its start, from the series that /metrics has: by route, by part, errors by code, quantiles of their time. Pure. */

/** A sample of a histogram or a counter. */
export interface MetricSample {
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

/** Seconds of a request, as Prometheus' histogram_quantile estimates them: by lines between the ends of buckets. */
interface RequestSeconds {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface RouteFigures {
  readonly route: string;
  readonly method: string;
  readonly requests: number;
  /** By class of their status, e.g. 2xx. */
  readonly byStatus: Readonly<Record<string, number>>;
  readonly seconds: RequestSeconds;
}

interface ErrorFigures {
  readonly status: string;
  /** As the error's body has it; "none" where it has none. */
  readonly code: string;
  readonly requests: number;
}

/** Part of the time of chat requests that were answered whole. */
interface PartFigures {
  readonly part: string;
  readonly requests: number;
  /** Of all of them together. */
  readonly sumSeconds: number;
  readonly seconds: RequestSeconds;
}

export interface RequestFigures {
  /** The most asked first. */
  readonly routes: readonly RouteFigures[];
  /** In the order in which they follow one another; empty before the first answer. */
  readonly parts: readonly PartFigures[];
  /** The most frequent first. */
  readonly errors: readonly ErrorFigures[];
  /** Ends of the buckets that quantiles are estimated from, in seconds. */
  readonly buckets: readonly number[];
}

const PARTS = ['entry', 'executor', 'own'];

export function requestFigures({
  seconds,
  errors,
  parts,
}: {
  readonly seconds: readonly MetricSample[];
  readonly parts: readonly MetricSample[];
  readonly errors: readonly MetricSample[];
}): RequestFigures {
  const series = Map.groupBy(seconds, ({ labels }) => `${labels.method} ${labels.route}`);
  const routes = [...series.values()].map(routeOf);
  return {
    routes: routes.sort((a, b) => b.requests - a.requests || (a.route < b.route ? -1 : 1)),
    parts: [...Map.groupBy(parts, ({ labels }) => String(labels.part))]
      .map(([part, samples]) => partOf(part, samples))
      .sort((a, b) => PARTS.indexOf(a.part) - PARTS.indexOf(b.part)),
    errors: errors
      .map(({ labels, value }) => ({ status: String(labels.status), code: String(labels.code), requests: value }))
      .sort((a, b) => b.requests - a.requests || (`${a.status} ${a.code}` < `${b.status} ${b.code}` ? -1 : 1)),
    buckets: [...new Set(seconds.flatMap(({ labels: { le } }) => (typeof le === 'number' ? [le] : [])))].sort(
      (a, b) => a - b,
    ),
  };
}

function routeOf(samples: readonly MetricSample[]): RouteFigures {
  const { route, method } = samples[0]!.labels;
  const byStatus: Record<string, number> = {};
  for (const { metricName, labels, value } of samples)
    if (metricName?.endsWith('_count') === true) byStatus[String(labels.status)] = value;
  return {
    ...{ route: String(route), method: String(method), byStatus },
    requests: Object.values(byStatus).reduce((sum, each) => sum + each, 0),
    seconds: secondsOf(samples),
  };
}

function partOf(part: string, samples: readonly MetricSample[]): PartFigures {
  const valueOf = (name: string): number =>
    samples.find(({ metricName }) => metricName?.endsWith(name) === true)?.value ?? 0;
  return { part, requests: valueOf('_count'), sumSeconds: valueOf('_sum'), seconds: secondsOf(samples) };
}

function secondsOf(samples: readonly MetricSample[]): RequestSeconds {
  const upTo = new Map<number, number>();
  // The same end of several classes of status.
  for (const { labels, value } of samples)
    if (labels.le !== undefined) upTo.set(endOf(labels.le), (upTo.get(endOf(labels.le)) ?? 0) + value);
  const ends = [...upTo].sort(([a], [b]) => a - b);
  return { p50: quantile(ends, 0.5), p95: quantile(ends, 0.95), p99: quantile(ends, 0.99) };
}

const endOf = (le: string | number): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le));

/** @param ends of buckets, ascending, each with how many lie at or below it; the last is infinite and has all */
function quantile(ends: readonly (readonly [end: number, upTo: number])[], share: number): number {
  const all = ends.at(-1)?.[1] ?? 0;
  const at = ends.findIndex(([, upTo]) => upTo >= share * all);
  const [end, upTo] = ends[at] ?? [0, 0];
  const [start, before] = ends[at - 1] ?? [0, 0];
  // What is beyond the last end is known to be no less.
  if (end === Number.POSITIVE_INFINITY) return start;
  return start + ((end - start) * (share * all - before)) / (upTo - before);
}
