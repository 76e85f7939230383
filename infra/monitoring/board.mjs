// The board of Grafana: whether it helps first, then what clients get, what waits, what is lost, what is learned, what it costs.
// scripts/reference.mjs makes board.json of it. test/quick/alerts.spec.ts knows each metric and label, test/alerts parses each expression.

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
/** Grafana's columns. */
const COLUMNS = 24;
const HEIGHT = 8;

const LIFT = 'mode=~"$mode"';
/** Of problems, as the metrics name them. */
const MODES = ['deploy', 'explore'];

/** A line of a panel: its expression, and what it is called. */
const line = (expr, legendFormat) => ({ expr, legendFormat });

/** @param lines of the chart @param more unit (Grafana's name), width of 24, band: the lower and the upper line, whose names end with the mode, words below the title */
const chart = (title, lines, more = {}) => ({ kind: 'timeseries', title, lines, ...more });
const figure = (title, lines, more = {}) => ({ kind: 'stat', title, lines, ...more });

/** Titles of rows, and their panels from left to right. */
export const ROWS = [
  {
    title: 'Does the advice help?',
    panels: [
      chart(
        'Lift, with its interval of 95 %',
        [
          line(`max by (mode) (seam_lift_lower{${LIFT}})`, 'lower {{mode}}'),
          line(`max by (mode) (seam_lift_upper{${LIFT}})`, 'upper {{mode}}'),
          line(`max by (mode) (seam_lift_estimate{${LIFT}})`, 'estimate {{mode}}'),
        ],
        {
          unit: 'percentunit',
          width: 12,
          band: ['lower', 'upper'],
          words: 'Success of treated problems less that of controls. seam lift prints the same.',
        },
      ),
      chart(
        'Lower end by domain',
        [line(`max by (domain) (seam_domain_lift_lower{${LIFT}, domain=~"$domain"})`, '{{domain}}')],
        { unit: 'percentunit' },
      ),
      chart(
        'Upper end by domain: below zero is harm',
        [line(`max by (domain) (seam_domain_lift_upper{${LIFT}, domain=~"$domain"})`, '{{domain}}')],
        { unit: 'percentunit' },
      ),
      chart(
        'Evidence against experiments: from 1 on they are not to be trusted',
        [line(`max by (mode, check) (seam_experiment_doubt_ratio{${LIFT}})`, '{{mode}} {{check}}')],
        { width: 8 },
      ),
      chart(
        'Problems without a verdict, by arm',
        [line(`max by (mode, arm) (seam_missing_verdicts{${LIFT}})`, '{{mode}} {{arm}}')],
        { width: 8 },
      ),
      chart(
        'Problems with a verdict, by arm',
        [
          line(`max by (mode, arm) (seam_judged_problems{${LIFT}})`, '{{mode}} {{arm}}'),
          line('max(seam_uncounted_problems{})', 'not counted yet'),
        ],
        { width: 8 },
      ),
    ],
  },
  {
    title: 'What clients get',
    panels: [
      chart(
        'Requests',
        [line('sum by (route) (rate(seam_http_request_seconds_count{}[$__rate_interval]))', '{{route}}')],
        {
          unit: 'reqps',
          width: 8,
        },
      ),
      chart(
        'Errors',
        [
          line(
            '(sum(rate(seam_http_request_seconds_count{status="5xx"}[$__rate_interval])) or vector(0)) / sum(rate(seam_http_request_seconds_count{}[$__rate_interval]))',
            'errors of the gateway',
          ),
          line(
            'sum by (code) (rate(seam_upstream_failures_total{}[$__rate_interval])) / on() group_left() sum(rate(seam_chat_requests_total{}[$__rate_interval]))',
            'tries of executors: {{code}}',
          ),
        ],
        { unit: 'percentunit', width: 8 },
      ),
      chart(
        'Time of a chat request',
        [0.5, 0.95, 0.99].map((share) =>
          line(
            `histogram_quantile(${share}, sum by (le) (rate(seam_http_request_seconds_bucket{route="/v1/chat/completions"}[$__rate_interval])))`,
            `${share * 100} %`,
          ),
        ),
        { unit: 's', width: 8 },
      ),
      chart(
        'Where the time of chat answers goes: mean',
        [
          line(
            'sum by (part) (rate(seam_chat_part_seconds_sum{}[$__rate_interval])) / sum by (part) (rate(seam_chat_part_seconds_count{}[$__rate_interval]))',
            '{{part}}',
          ),
        ],
        {
          unit: 's',
          width: 12,
          words: "entry: the wait for an experience; executor; own: the gateway's, with its records in the log.",
        },
      ),
      chart(
        'Where the time of chat answers goes: 95 % within',
        [
          line(
            'histogram_quantile(0.95, sum by (le, part) (rate(seam_chat_part_seconds_bucket{}[$__rate_interval])))',
            '{{part}}',
          ),
        ],
        { unit: 's', width: 12 },
      ),
    ],
  },
  {
    title: 'What waits',
    panels: [
      chart(
        'Age of the oldest record that waits',
        [line('max by (group, topic) (seam_consumer_lag_seconds{group=~"$group"})', '{{group}} of {{topic}}')],
        { unit: 's', width: 8 },
      ),
      chart(
        'Records that wait',
        [line('max by (group) (sum by (group, topic, instance) (seam_consumer_lag{group=~"$group"}))', '{{group}}')],
        {
          width: 8,
        },
      ),
      chart(
        'Records consumed',
        [line('sum by (group) (rate(seam_records_consumed_total{group=~"$group"}[$__rate_interval]))', '{{group}}')],
        { unit: 'cps', width: 8 },
      ),
    ],
  },
  {
    title: 'Is anything lost?',
    panels: [
      figure('Ledger', [line('min(seam_ledger_balanced{})', 'balances')], {
        words: '1: it balances. seam ledger prints the counts.',
      }),
      chart('Problems', [line('max by (standing) (seam_problems{})', '{{standing}}')], { width: 12 }),
      chart(
        'Dead letters and what lacks its origin',
        [
          line('sum by (group, code) (increase(seam_dead_letters_total{}[$__rate_interval]))', '{{group}} {{code}}'),
          line('max(seam_orphaned_problems{})', 'orphaned problems'),
        ],
        { width: 6 },
      ),
      chart(
        'New records',
        [
          line(
            'sum by (topic) (rate(seam_topic_offset{}[$__rate_interval])) / on() group_left() count(seam_loop_up{} == 1)',
            '{{topic}}',
          ),
        ],
        { unit: 'cps', width: 12 },
      ),
      chart(
        'Facts that are not believed',
        [
          line('max by (topic) (seam_unbelieved_records{})', '{{topic}}'),
          line('max(seam_refused_decisions{})', 'decisions that the log does not bear out'),
        ],
        { width: 12 },
      ),
    ],
  },
  {
    title: 'What is learned',
    panels: [
      figure('Served adapter', [line('max(seam_served_adapter_version{})', 'version')], {
        words: '0: the base model.',
      }),
      figure('Runs', [line('max by (status) (seam_training_runs{})', '{{status}}')]),
      chart('Loss and KL of the newest run', [
        line('max by (figure) (seam_training_figure{figure=~"loss|klNats|entropyNats"})', '{{figure}}'),
      ]),
      chart(
        'Groups from which something is learned',
        [
          line('max(seam_training_live_groups_ratio{})', 'live groups'),
          line('max(seam_training_figure{figure="meanReward"})', 'mean reward'),
        ],
        { unit: 'percentunit' },
      ),
      chart(
        'Releases: evidence, from 1 on it decides',
        [line('max by (slot, claim) (seam_release_evidence_ratio{})', '{{slot}} {{claim}}')],
        { width: 12 },
      ),
      chart(
        'Releases: width of the interval, and of the plan',
        [
          line('max by (slot) (seam_release_interval_width{})', '{{slot}}'),
          line('max by (slot) (seam_release_planned_width{})', '{{slot}}, planned'),
          line('max by (slot) (seam_release_horizon_used_ratio{})', '{{slot}}, used of the horizon'),
        ],
        { unit: 'percentunit', width: 12 },
      ),
    ],
  },
  {
    title: 'What it costs',
    panels: [
      chart(
        'Cost of answers in an hour',
        [line('sum(increase(seam_chat_cost_total{}[1h]))', 'in the declared currency')],
        {
          width: 8,
        },
      ),
      chart('Tokens', [line('sum by (kind) (rate(seam_chat_tokens_total{}[$__rate_interval]))', '{{kind}}')], {
        width: 8,
      }),
      chart(
        'Limits: the client that is nearest',
        [line('max by (measure, per, mode) (seam_quota_used_ratio{})', '{{measure}} in a {{per}}, {{mode}}')],
        { unit: 'percentunit', width: 8 },
      ),
    ],
  },
];

/** What a reader chooses: its name, and the metric and label whose values there are. */
export const VARIABLES = [
  { name: 'mode', metric: 'seam_lift_estimate', label: 'mode' },
  { name: 'domain', metric: 'seam_domain_lift_estimate', label: 'domain' },
  { name: 'group', metric: 'seam_consumer_lag_seconds', label: 'group' },
];

/** When something else began to be served. */
export const PROMOTIONS = 'max(changes(seam_served_adapter_version{}[$__interval])) > 0';

function panelOf({ kind, title, lines, unit = 'short', band, words = '' }, id, gridPos) {
  return {
    ...{ id, type: kind, title, description: words, gridPos, datasource: SOURCE },
    targets: lines.map(({ expr, legendFormat }, at) => ({
      ...{ refId: String.fromCharCode(65 + at), expr, legendFormat, datasource: SOURCE },
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(kind === 'timeseries' && { custom: { lineWidth: 1, fillOpacity: 0, showPoints: 'never' } }),
      },
      overrides: band === undefined ? [] : bandOf(band),
    },
    options: kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
  };
}

/** Fills what is between two lines of one mode. */
function bandOf([lower, upper]) {
  const named = (name) => ({ id: 'byName', options: name });
  const thin = { id: 'custom.lineWidth', value: 0 };
  return MODES.flatMap((mode) => [
    { matcher: named(`${lower} ${mode}`), properties: [thin] },
    {
      matcher: named(`${upper} ${mode}`),
      properties: [
        thin,
        { id: 'custom.fillBelowTo', value: `${lower} ${mode}` },
        { id: 'custom.fillOpacity', value: 20 },
      ],
    },
  ]);
}

const variableOf = ({ name, metric, label }) => ({
  ...{ name, type: 'query', datasource: SOURCE, query: `label_values(${metric}, ${label})` },
  ...{ refresh: 2, includeAll: true, multi: true, current: { text: 'All', value: '$__all' } },
});

/** The board as Grafana imports it: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
export function board() {
  const panels = [];
  let y = 0;
  for (const { title, panels: own } of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    for (const panel of own) {
      const { width = 6 } = panel;
      if (x + width > COLUMNS) [x, y] = [0, y + HEIGHT];
      panels.push(panelOf(panel, panels.length + 1, { x, y, w: width, h: HEIGHT }));
      x += width;
    }
    y += HEIGHT;
  }
  return {
    ...{ uid: 'seamstream', title: 'Seamstream', tags: ['seamstream'], schemaVersion: 39, version: 1 },
    ...{ editable: true, graphTooltip: 1, refresh: '1m', time: { from: 'now-24h', to: 'now' }, timezone: '' },
    annotations: {
      list: [
        {
          ...{ name: 'Promotions and rollbacks', enable: true, iconColor: 'blue', datasource: SOURCE },
          target: { refId: 'Anno', expr: PROMOTIONS },
        },
      ],
    },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }, ...VARIABLES.map(variableOf)],
    },
    panels,
  };
}
