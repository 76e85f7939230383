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

  it('are expressions of the board, each of which parses', async () => {
    const expressions = [
      PROMOTIONS,
      ...ROWS.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines.map(({ expr }) => expr))),
    ];
    const rules = expressions.map((expr, at) => ({
      record: `seam:board:${at}`,
      expr: expr.replaceAll(/\$__(rate_)?interval/g, '5m').replaceAll(/\$[a-z]+/g, '.*'),
    }));
    const file = join(await folder(), 'board.yaml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'board', rules }] }));
    expect(await run!(['check', 'rules', file])).toMatchObject({ status: 0, stderr: '' });
  });
});

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
