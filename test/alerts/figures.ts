/** A file for `promtool test rules`: whether expressions have a figure where Prometheus scrapes what a process shows. */

/** `$` of Grafana, as it is when all is chosen. */
const withAll = (expr: string): string => expr.replaceAll(/\$__(rate_)?interval/g, '5m').replaceAll(/\$[a-z]+/g, '.*');

/**
 * Each expression is asked after ten minutes, of one instance whose counters have risen and whose gauges have stayed.
 * @param exposition as a scraper gets it
 */
export function figureTest(expressions: readonly string[], exposition: string): string {
  const counters = new Set([...exposition.matchAll(/^# TYPE (\S+) (?:counter|histogram)$/gm)].map(([, name]) => name!));
  const series = [...exposition.matchAll(/^(seam_\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => {
    const isCounter = counters.has(name!) || counters.has(name!.replace(/_(bucket|count|sum)$/, ''));
    const own = [...(labels === '' ? [] : [labels]), 'instance="a"'].join(',');
    return { series: `${name}{${own}}`, values: `${value}${isCounter ? '+1' : ''}x20` };
  });
  const asked = expressions.map((expr) => ({
    ...{ expr: `count(${withAll(expr)}) > bool 0`, eval_time: '10m' },
    exp_samples: [{ labels: '{}', value: 1 }],
  }));
  // JSON is YAML.
  return JSON.stringify({ tests: [{ interval: '1m', input_series: series, promql_expr_test: asked }] });
}
