/** Alerts, board and metrics as Prometheus reads them: each alert fires, is quiet in health and ends, and a slightly wrong one is noticed. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Promtool, promtool } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';
import { ALERTS, type Alert, rulesFile } from '../../infra/monitoring/alerts.mjs';
import { PROMOTIONS, ROWS } from '../../infra/monitoring/board.mjs';
import { STORIES, type Story } from './cases.js';
import { figureTest } from './figures.js';
import { gatewayMetrics } from './gateway-metrics.js';
import { ruleTest, wrongVersions } from './rule-tests.js';

const RULES = fileURLToPath(new URL('../../infra/monitoring/alerts.yaml', import.meta.url));
const run = await tool();

(run === undefined ? describe.skip : describe)('alerts', () => {
  it('are rules', async () => {
    expect(await run!(['check', 'rules', RULES])).toMatchObject({ status: 0 });
  });

  it('have a story each', () => {
    expect(ALERTS.filter((alert) => storiesOf(alert).length === 0)).toEqual([]);
  });

  it('fire when something is wrong, neither before nor in health, and end with it', async () => {
    const each = ALERTS.map((alert) => ({ rules: rulesFile([alert]), stories: storiesOf(alert) }));
    expect(await tried(each)).toEqual({ passed: [...ALERTS.keys()], said: '' });
  });

  it.each(ALERTS)('$name with another threshold, comparison or patience is noticed', async (alert) => {
    const versions = [...wrongVersions(alert)];
    expect(versions.length).toBeGreaterThan(2);
    const { passed } = await tried(
      versions.map(([, wrong]) => ({ rules: rulesFile([wrong]), stories: storiesOf(alert) })),
    );
    expect(passed.map((at) => versions[at]![0])).toEqual([]);
  });
});

(run === undefined ? describe.skip : describe)('what Prometheus reads', () => {
  it('are metrics of a gateway, without a complaint', async () => {
    const { stdout, stderr, status } = await run!(['check', 'metrics'], (await gatewayMetrics()).text);
    expect({ said: stdout + stderr, status }).toEqual({ said: '', status: 0 });
  });

  it('are expressions of the board, each of which has a figure where a gateway has answered', async () => {
    const expressions = ROWS.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines.map(({ expr }) => expr)));
    const file = join(await folder(), 'figures.yaml');
    const asked = [...expressions, withoutThreshold(PROMOTIONS)];
    await writeFile(file, figureTest(asked, `${(await gatewayMetrics()).text}${SHOWN_BY_OTHERS}`));
    const { stdout, stderr, status } = await run!(['test', 'rules', file]);
    expect({ stdout, stderr, status }).toMatchObject({
      stdout: expect.stringContaining('SUCCESS') as string,
      status: 0,
    });
  });
});

/** Of services that consume, and of a gateway whose executor failed. */
const SHOWN_BY_OTHERS = `
# TYPE seam_consumer_lag gauge
seam_consumer_lag{group="seam.generator",topic="seam.problems"} 3
# TYPE seam_consumer_lag_seconds gauge
seam_consumer_lag_seconds{group="seam.generator",topic="seam.problems"} 7
# TYPE seam_records_consumed_total counter
seam_records_consumed_total{group="seam.generator"} 5
# TYPE seam_dead_letters_total counter
seam_dead_letters_total{group="seam.generator",code="INVALID_INPUT"} 1
# TYPE seam_upstream_failures_total counter
seam_upstream_failures_total{code="ENDPOINT_FAILED"} 1
`;

/** A mark on the board is there when something changed. */
const withoutThreshold = (expr: string): string => expr.replace(/ > 0$/, '');

const storiesOf = ({ name }: Alert): readonly Story[] => STORIES.filter(({ alert }) => alert === name);

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'seam-alerts-'));

/** Of the files of rules those whose stories end as they should, and what promtool says of the others. */
async function tried(
  files: readonly { readonly rules: string; readonly stories: readonly Story[] }[],
): Promise<{ readonly passed: readonly number[]; readonly said: string }> {
  const place = await folder();
  const pathOf = (kind: string, at: number): string => join(place, `${kind}-${at}.yaml`);
  for (const [at, { rules, stories }] of files.entries()) {
    await writeFile(pathOf('rules', at), rules);
    await writeFile(pathOf('test', at), ruleTest(pathOf('rules', at), stories, ALERTS));
  }
  // A file that is no rules would fail as well.
  expect(await run!(['check', 'rules', ...files.map((_, at) => pathOf('rules', at))])).toMatchObject({ status: 0 });
  const { stdout, stderr } = await run!(['test', 'rules', ...files.map((_, at) => pathOf('test', at))]);
  const results = stdout.split(/^Unit Testing: .*$/m).slice(1);
  expect(results).toHaveLength(files.length);
  return { passed: [...results.keys()].filter((at) => results[at]!.trim() === 'SUCCESS'), said: stderr.trim() };
}

async function tool(): Promise<Promtool | undefined> {
  try {
    return await promtool();
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`SKIPPED: rules are not tested. ${messageOf(error)}\n`);
    return undefined;
  }
}
