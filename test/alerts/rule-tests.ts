/** Files for `promtool test rules`, and rules that are slightly wrong. */
import { type Alert, runbookOf } from '../../infra/monitoring/alerts.mjs';
import type { Story } from './cases.js';

/** Of the story the minutes that decide: before, almost, from when it fires, and after. */
export function ruleTest(rules: string, stories: readonly Story[], alerts: readonly Alert[]): string {
  const tests = stories.map(({ alert, series, from, until, quiet = [], interval = '1m', labels = {} }) => {
    const { after, severity, summary } = alerts.find(({ name }) => name === alert)!;
    const fires = from + minutesOf(after);
    const fired = [
      {
        exp_labels: { severity, ...labels },
        exp_annotations: { summary, runbook_url: runbookOf({ name: alert }) },
      },
    ];
    const at = (minute: number, alertsThen: typeof fired) => ({
      ...{ eval_time: `${minute}m`, alertname: alert, exp_alerts: alertsThen },
    });
    return {
      name: alert,
      interval,
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        ...[...quiet, fires - 1, until].map((minute) => at(minute, [])),
        ...[fires, until - 1].map((minute) => at(minute, fired)),
      ],
    };
  });
  // JSON is YAML.
  return JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests });
}

const minutesOf = (after: string): number => Number(/^(\d+)m$/.exec(after)![1]);

/** The alert with one comparison or its patience changed, each with what was changed. */
export function* wrongVersions(alert: Alert): Generator<readonly [change: string, wrong: Alert]> {
  const { expr, after } = alert;
  for (const found of expr.matchAll(/ (>=|<=|==|>|<) (-?[\d.]+)?/g)) {
    const [text, operator, number] = found;
    const replaced = (by: string): Alert => ({
      ...alert,
      expr: `${expr.slice(0, found.index)}${by}${expr.slice(found.index + text.length)}`,
    });
    const rest = number ?? '';
    yield [`${text} the other way`, replaced(` ${OTHER_WAY[operator!]} ${rest}`)];
    if (number === undefined) continue;
    const step = Number(number) === 0 ? 1 : Math.abs(Number(number)) / 5;
    // A count of something is never below 0.
    for (const other of [Number(number) + step, Number(number) - step])
      if (operator !== '==' || other > 0)
        yield [`${text} as ${other.toPrecision(2)}`, replaced(` ${operator} ${other.toPrecision(2)}`)];
  }
  const [first, second] = expr.split(/ and (?=\(|count)/);
  if (second !== undefined) yield ['without its second condition', { ...alert, expr: first! }];
  const patience = minutesOf(after);
  yield ['twice as patient', { ...alert, after: `${patience === 0 ? 10 : 2 * patience}m` }];
  if (patience > 0) yield ['without patience', { ...alert, after: '0m' }];
}

const OTHER_WAY: Readonly<Record<string, string>> = { '>': '<=', '<': '>=', '>=': '<', '<=': '>', '==': '!=' };
