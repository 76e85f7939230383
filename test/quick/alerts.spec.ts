/** Alerts and the board name metrics and labels that a gateway or a planner has, and each alert has a runbook whose commands exist. */
import { readFileSync } from 'node:fs';
import { LOOP_METRICS } from '@seamstream/operations/views';
import { newWorld } from '@seamstream/testing';
import { closeServices, serve } from '../../apps/trainer/src/trainer-world.fake.js';
import { ALERTS, runbookOf } from '../../infra/monitoring/alerts.mjs';
import { PROMOTIONS, ROWS, VARIABLES } from '../../infra/monitoring/board.mjs';
import { gatewayMetrics, type Shown } from '../alerts/gateway-metrics.js';
import { complaintAbout } from '../alerts/seam-line.js';

const RUNBOOK = readFileSync(new URL('../../docs/how-to/alerts.md', import.meta.url), 'utf8');
const PANELS = ROWS.flatMap(({ panels }) => panels);
const EXPRESSIONS = [
  ...ALERTS.map(({ expr }) => expr),
  ...[PROMOTIONS, ...PANELS.flatMap(({ lines }) => lines.map(({ expr }) => expr))],
];

let shown: Shown;
beforeAll(async () => {
  const gateway = await gatewayMetrics();
  const planner = await serve(newWorld(), { config: { roles: ['planner'] } });
  const own = planner.metrics.registry.getMetricsAsArray() as unknown as Shown['metrics'];
  shown = { ...gateway, metrics: [...gateway.metrics, ...own] };
});
afterAll(closeServices);

describe('the metrics of a gateway', () => {
  it('show a figure for every metric of the loop, and that the loop was read', () => {
    const names = new Set([...shown.text.matchAll(/^(seam_[a-z_]+)(?=[{ ])/gm)].map(([, name]) => name));
    expect(LOOP_METRICS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
    expect(shown.text).toMatch(/^seam_loop_up 1$/m);
  });

  it('count what answers use and cost, and show the fullest limit without its client', () => {
    expect(shown.text).toContain(
      'seam_chat_tokens_total{kind="prompt"} 40\nseam_chat_tokens_total{kind="completion"} 2\n',
    );
    expect(shown.text).toMatch(/^seam_chat_cost_total 0.000044$/m);
    expect(shown.text).toMatch(/^seam_chat_unpriced_total 0$/m);
    expect(shown.text).toContain('seam_quota_used_ratio{measure="requests",per="day",mode="enforced"} 0.1\n');
  });
});

describe('alerts and the board', () => {
  it.each(EXPRESSIONS)('%s is about metrics and labels that there are', (expr) => {
    const selectors = [...expr.matchAll(/\b(seam_[a-z_]+)(\{([^}]*)\})?/g)];
    expect(selectors.length).toBeGreaterThan(0);
    const labels = selectors.flatMap(([, name, braces, inside]) => {
      expect({ name, isThere: metricOf(name!) !== undefined, braces }).toMatchObject({
        isThere: true,
        // Without them the chart could not put its selector in.
        braces: expect.any(String),
      });
      const own = labelsOf(name!);
      for (const [, label] of inside!.matchAll(/(\w+)=/g)) expect(own).toContain(label);
      return own;
    });
    for (const [, by] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of by!.split(', ')) expect(labels).toContain(label);
  });

  it.each(VARIABLES)('the variable $name has values', ({ metric, label }) => {
    expect(labelsOf(metric)).toContain(label);
  });

  it('the board has the lift in its first panel, as a band', () => {
    expect(PANELS[0]!.lines.map(({ expr }) => /seam_lift_(\w+)/.exec(expr)![1])).toEqual([
      'lower',
      'upper',
      'estimate',
    ]);
  });
});

describe('the file of the board', () => {
  const { panels } = JSON.parse(
    readFileSync(new URL('../../infra/monitoring/board.json', import.meta.url), 'utf8'),
  ) as {
    readonly panels: readonly BoardPanel[];
  };

  it('has panels side by side within the width of a screen, each under one id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it('fills between lines that the same panel draws, of one mode each', () => {
    const [{ targets, fieldConfig }] = panels.filter(({ fieldConfig: own }) => (own?.overrides ?? []).length > 0) as [
      Required<BoardPanel>,
    ];
    const names = targets.flatMap(({ legendFormat }) =>
      ['deploy', 'explore'].map((mode) => legendFormat.replace('{{mode}}', mode)),
    );
    const filled = fieldConfig.overrides.flatMap(({ matcher, properties }) =>
      properties.filter(({ id }) => id === 'custom.fillBelowTo').map(({ value }) => [matcher.options, value]),
    );
    expect(filled).toEqual(['deploy', 'explore'].map((mode) => [`upper ${mode}`, `lower ${mode}`]));
    expect(names).toEqual(expect.arrayContaining(filled.flat()));
  });
});

interface BoardPanel {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly legendFormat: string }[];
  readonly fieldConfig?: {
    readonly overrides: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: string | number }[];
    }[];
  };
}

describe('the runbook', () => {
  const sections = new Map(
    RUNBOOK.split(/^### /m)
      .slice(1)
      .map((text) => [text.split('\n')[0]!, text.split(/^## /m)[0]!]),
  );

  it('has a section for each alert, where the alert says, and no other', () => {
    expect([...sections.keys()].sort()).toEqual(ALERTS.map(({ name }) => name).sort());
    for (const { name } of ALERTS) expect(runbookOf({ name })).toBe(`docs/how-to/alerts.md#${name.toLowerCase()}`);
    expect(RUNBOOK).toContain(`${ALERTS.length} rules`);
  });

  it.each(ALERTS)('says of $name what it means, where to look and what to do', ({ name }) => {
    const text = sections.get(name)!;
    for (const part of ['**It means**', '**Look**', '**Do**']) expect(text).toContain(`\n${part} `);
    expect(text).toMatch(/`seam [a-z]/);
  });

  it('names commands and options that there are', async () => {
    const lines = [...new Set([...RUNBOOK.replaceAll('\n', ' ').matchAll(/`(seam [^`]+)`/g)].map(([, line]) => line!))];
    expect(lines.length).toBeGreaterThan(20);
    const said = await Promise.all(lines.map(complaintAbout));
    expect(said.filter((each) => each !== null)).toEqual([]);
    expect(await complaintAbout('seam adapters undo')).toBe('seam adapters undo: no command undo');
    expect(await complaintAbout('seam lift --domains')).toBe('seam lift --domains: no option --domains');
  });
});

function metricOf(name: string): Shown['metrics'][number] | undefined {
  const base = name.replace(/_(bucket|count|sum)$/, '');
  return shown.metrics.find((each) => each.name === name || (each.name === base && each.type === 'histogram'));
}

/** Besides its own those that Prometheus gives. */
function labelsOf(name: string): readonly string[] {
  return [...metricOf(name)!.labelNames, ...(name.endsWith('_bucket') ? ['le'] : []), 'instance'];
}
