/**
 * Runs on a server of MLflow, by its REST interface (https://mlflow.org/docs/latest/api_reference/rest-api.html, version 2.0). The run's id
 * is a tag: a run that is there is continued, and of a metric only steps beyond the last one are sent.
 */
import { messageOf, onOneLine, SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import type { ExperimentTracker, Tracked, TrackedPoint, TrackedRun } from './tracker.port.js';

export interface MlflowSettings {
  /** Of the server: http://host:5000. */
  readonly url: string;
  readonly experiment: string;
  /** Sent along, say an authorization. Never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for an answer. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const TAG = 'seam.run';
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 8_388_608;
/** MLflow's limits of a request: metrics of a batch, parameters of a batch, and characters of a value. */
const MOST_METRICS = 1000;
const MOST_PARAMETERS = 100;
const MOST_CHARACTERS = 500;

const info = z.object({ run_id: z.string(), experiment_id: z.string() });
const runSchema = z.object({
  info,
  data: z
    .object({
      metrics: z.array(z.object({ key: z.string(), step: z.coerce.number().default(0) })).default([]),
      params: z.array(z.object({ key: z.string() })).default([]),
    })
    .prefault({}),
});

export class MlflowTracker implements ExperimentTracker {
  constructor(private readonly settings: MlflowSettings) {}

  async track(run: TrackedRun): Promise<Tracked> {
    // 1. The experiment and the run, made where they are not there.
    const experimentId = await this.experimentId();
    const found = await this.find(experimentId, run.id);
    const { info, data } = found ?? (await this.create(experimentId, run));
    // 2. What of it the server lacks.
    const last = new Map(data.metrics.map(({ key, step }) => [key, step]));
    const points = run.points.filter(({ metric, step }) => step > (last.get(metric) ?? -1));
    const written = new Set(data.params.map(({ key }) => key));
    const parameters = Object.entries(run.parameters).filter(([key]) => !written.has(key));
    // 3. In parts as large as the server takes; by step, so that an interrupted call leaves no gap.
    for (const part of partsOf(parameters, MOST_PARAMETERS))
      await this.ask('runs/log-batch', { run_id: info.run_id, params: part.map(parameterOf) });
    for (const part of partsOf(byStep(points), MOST_METRICS))
      await this.ask('runs/log-batch', { run_id: info.run_id, metrics: part.map(metricOf) });
    await this.ask('runs/update', {
      ...{ run_id: info.run_id, status: run.status.toUpperCase() },
      ...(run.endedAt === null ? {} : { end_time: run.endedAt }),
    });
    const where = `${this.settings.url.replace(/\/$/, '')}/#/experiments/${info.experiment_id}/runs/${info.run_id}`;
    return { added: points.length, where };
  }

  private async experimentId(): Promise<string> {
    const { experiment: name } = this.settings;
    const schema = z.object({ experiment: z.object({ experiment_id: z.string() }) });
    const query = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    const found = await this.ask(query, undefined, 'RESOURCE_DOES_NOT_EXIST');
    if (found !== null) return read(schema, found).experiment.experiment_id;
    const made = await this.ask('experiments/create', { name }, 'RESOURCE_ALREADY_EXISTS');
    // Another process made it in the meantime.
    if (made === null) return this.experimentId();
    return read(z.object({ experiment_id: z.string() }), made).experiment_id;
  }

  private async find(experimentId: string, id: string): Promise<z.infer<typeof runSchema> | undefined> {
    const answer = await this.ask('runs/search', {
      ...{ experiment_ids: [experimentId], max_results: 1 },
      filter: `tags.\`${TAG}\` = '${id.replaceAll("'", '')}'`,
    });
    return read(z.object({ runs: z.array(runSchema).default([]) }), answer).runs[0];
  }

  private async create(experimentId: string, { id, name, startedAt }: TrackedRun): Promise<z.infer<typeof runSchema>> {
    const answer = await this.ask('runs/create', {
      ...{ experiment_id: experimentId, run_name: name, start_time: startedAt },
      tags: [{ key: TAG, value: id }],
    });
    return read(z.object({ run: runSchema }), answer).run;
  }

  /**
   * @param body absent: a GET
   * @param missing the server's code that is an answer: null
   */
  private async ask(path: string, body?: object, missing?: string): Promise<unknown> {
    const { url, headers, timeoutMs = TIMEOUT_MS, signal } = this.settings;
    const late = AbortSignal.timeout(timeoutMs);
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/api/2.0/mlflow/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? late : AbortSignal.any([late, signal]),
      });
      status = response.status;
      text = await textOf(response);
    } catch (error) {
      if (signal?.aborted) throw new SeamError('ABORTED', 'Cannot show a run in MLflow: it was stopped.');
      if (error instanceof SeamError) throw error;
      const why = late.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error);
      throw new SeamError('ENDPOINT_UNAVAILABLE', `Cannot ask MLflow at ${url}: ${why}. Look whether it runs.`);
    }
    const answer = jsonOf(text);
    if (status === 200 && answer !== undefined) return answer;
    const { error_code: code, message } = z
      .object({ error_code: z.string().default(''), message: z.string().default('') })
      .catch({ error_code: '', message: '' })
      .parse(answer);
    if (missing !== undefined && code === missing) return null;
    const isPassing = status === 429 || status >= 500;
    throw new SeamError(
      isPassing ? 'ENDPOINT_UNAVAILABLE' : 'INVALID_CONFIGURATION',
      `Cannot ask MLflow at ${url}: expected status 200 with JSON, got ${status} ${onOneLine(`${code} ${message}`.slice(0, 300))}. Look at the address and the server.`,
    );
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    "Cannot read MLflow's answer: expected that of its REST interface 2.0, got another one. Look at the address.",
  );
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_ANSWER_BYTES)
      throw new SeamError('INVALID_CONFIGURATION', "Cannot read MLflow's answer: expected at most 8 MiB, got more.");
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function byStep(points: readonly TrackedPoint[]): readonly TrackedPoint[] {
  return points.toSorted((a, b) => a.step - b.step);
}

function metricOf({ metric, step, value, at }: TrackedPoint): object {
  return { key: metric, step, value, timestamp: at };
}

function parameterOf([key, value]: readonly [string, string]): object {
  return { key, value: value.slice(0, MOST_CHARACTERS) };
}

function partsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
