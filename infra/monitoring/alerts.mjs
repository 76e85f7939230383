// Every alert once: when it fires, how bad it is, and what it says. scripts/reference.mjs makes alerts.yaml of it; docs/how-to/alerts.md has a
// section for each, test/alerts a test. Each metric has braces, so that the chart can put its own selector in.

/**
 * @typedef {object} Alert
 * @property {string} name
 * @property {string} expr in the language of Prometheus
 * @property {string} after how long it has to hold
 * @property {'critical' | 'warning'} severity critical: a person is woken
 * @property {string} summary one sentence
 */

/** @type {readonly Alert[]} */
export const ALERTS = [
  // Does it help?
  {
    name: 'SeamLiftNegative',
    expr: 'max by (mode) (seam_lift_upper{}) < 0',
    after: '5m',
    severity: 'critical',
    summary: 'Experiences do harm: the whole interval of the lift is below zero.',
  },
  {
    name: 'SeamDomainHarmed',
    expr: 'max by (mode) (seam_harmed_domains{}) > 0',
    after: '5m',
    severity: 'warning',
    summary: 'Experiences do harm in a domain, beyond chance.',
  },
  {
    name: 'SeamSampleRatio',
    expr: 'max by (mode) (seam_experiment_doubt_ratio{check="shares"}) >= 1',
    after: '5m',
    severity: 'warning',
    summary: 'The arms of an experiment have other shares than they were drawn with: its lift is not to be trusted.',
  },
  {
    name: 'SeamVerdictsMissing',
    expr: 'max by (mode) (seam_experiment_doubt_ratio{check="verdicts"}) >= 1',
    after: '5m',
    severity: 'warning',
    summary: 'One arm of an experiment lacks more verdicts than the other: its lift is not to be trusted.',
  },
  // Is anything lost?
  {
    name: 'SeamLedgerUnbalanced',
    expr: 'min(seam_ledger_balanced{}) == 0',
    after: '10m',
    severity: 'critical',
    summary: 'The ledger does not balance: problems are lost, or results belong to none.',
  },
  {
    name: 'SeamNoOutcomes',
    expr: '(max(seam_problems{standing="in_flight"}) - max(seam_waiting_answers{}) > 0) and (max(changes(seam_topic_offset{topic="seam.outcomes"}[30m])) == 0)',
    after: '5m',
    severity: 'critical',
    summary: 'Problems are in flight, and no outcome has come for half an hour.',
  },
  {
    name: 'SeamLagAge',
    expr: 'max by (group, topic) (seam_consumer_lag_seconds{}) > 600',
    after: '5m',
    severity: 'warning',
    summary: 'A record has waited for more than ten minutes, and its group does not catch up.',
  },
  {
    name: 'SeamDeadLetters',
    expr: '(sum(increase(seam_dead_letters_total{}[15m])) > 0) or (max(delta(seam_dead_letter_records{}[15m])) > 0)',
    after: '0m',
    severity: 'warning',
    summary: 'Records were given up and are in the dead letters.',
  },
  {
    name: 'SeamDeadLettersMany',
    expr: 'sum by (group) (rate(seam_dead_letters_total{}[10m])) > 0.05 * sum by (group) (rate(seam_records_consumed_total{}[10m]))',
    after: '5m',
    severity: 'critical',
    summary: 'A group gives up more than one record in twenty.',
  },
  {
    name: 'SeamRetries',
    expr: 'sum by (group, code) (increase(seam_retries_total{}[15m])) > 50',
    after: '15m',
    severity: 'warning',
    summary: 'A service tries the same work again and again.',
  },
  {
    name: 'SeamEventLogDown',
    expr: 'min by (instance) (seam_event_log_up{}) == 0',
    after: '5m',
    severity: 'critical',
    summary: 'A service gets no answer from the event log.',
  },
  {
    name: 'SeamLoopUnread',
    expr: 'max(seam_loop_up{}) == 0',
    after: '30m',
    severity: 'warning',
    summary: 'No gateway can read the log to its end, so the alerts of the loop are blind.',
  },
  // Is what is served right?
  {
    name: 'SeamFactsUnattested',
    expr: 'max by (topic) (seam_unbelieved_records{}) > 0',
    after: '15m',
    severity: 'warning',
    summary: 'Adapters, promotions, plans or versions wait for the attestation of a trusted key.',
  },
  {
    name: 'SeamDecisionRefused',
    expr: 'max(delta(seam_refused_decisions{}[1h])) > 0',
    after: '0m',
    severity: 'warning',
    summary: 'A decision on an adapter was recorded that the log does not bear out.',
  },
  {
    name: 'SeamReleaseEvidence',
    expr: 'max by (slot, claim) (seam_release_evidence_ratio{claim!="success"}) >= 1',
    after: '5m',
    severity: 'critical',
    summary: 'The evidence against a release has crossed its threshold, and the release still runs.',
  },
  {
    name: 'SeamReleaseRolledBack',
    expr: 'max(delta(seam_releases{status="rolled back"}[1h])) > 0',
    after: '0m',
    severity: 'warning',
    summary: 'A release was rolled back.',
  },
  {
    name: 'SeamReleaseIntervalWide',
    expr: '(max by (slot) (seam_release_interval_width{}) > max by (slot) (seam_release_planned_width{})) and (max by (slot) (seam_release_horizon_used_ratio{}) > 0.5)',
    after: '15m',
    severity: 'warning',
    summary: 'A release has used half of its problems, and its interval is wider than its plan needs.',
  },
  {
    name: 'SeamTrainingFinding',
    expr: 'max by (code) (seam_training_findings{}) == 1',
    after: '15m',
    severity: 'warning',
    summary: 'The newest training run shows what keeps it from learning.',
  },
  {
    name: 'SeamTrainingRunOld',
    expr: 'max(seam_training_oldest_run_seconds{}) > 43200',
    after: '15m',
    severity: 'warning',
    summary: 'A planned training run has not ended for half a day.',
  },
  // What do clients get, and what does it cost?
  {
    name: 'SeamGatewayErrors',
    expr: 'sum(rate(seam_http_request_seconds_count{status="5xx"}[5m])) > 0.05 * sum(rate(seam_http_request_seconds_count{}[5m]))',
    after: '5m',
    severity: 'critical',
    summary: 'More than one request in twenty ends with an error of the gateway.',
  },
  {
    name: 'SeamGatewaySlow',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(seam_http_request_seconds_bucket{route="/v1/chat/completions"}[5m]))) > 30',
    after: '10m',
    severity: 'warning',
    summary: 'One chat request in a hundred takes longer than half a minute.',
  },
  {
    name: 'SeamIssuerSilent',
    expr: 'max(seam_issuer_silence_seconds{}) > 900',
    after: '1m',
    severity: 'warning',
    summary:
      'The OpenID provider has not said which keys it has for a quarter of an hour: soon no token opens the gateway.',
  },
  {
    name: 'SeamCostBurn',
    expr: '(sum(rate(seam_chat_cost_total{}[1h])) > 3 * sum(rate(seam_chat_cost_total{}[1d]))) and count(seam_chat_cost_total{} offset 1d)',
    after: '15m',
    severity: 'warning',
    summary: 'Answers cost more than three times what they cost in the last day.',
  },
  {
    name: 'SeamQuotaNearlyUsed',
    expr: 'max by (measure, per, mode) (seam_quota_used_ratio{per=~"day|month"}) > 0.9',
    after: '5m',
    severity: 'warning',
    summary: 'A client has used nine tenths of a limit of a day or a month.',
  },
];

/** Where an alert is explained. */
export const runbookOf = ({ name }) => `docs/how-to/alerts.md#${name.toLowerCase()}`;

/** @param {readonly Alert[]} alerts @returns a file of rules, as Prometheus loads it */
export function rulesFile(alerts) {
  const rules = alerts.flatMap(({ name, expr, after, severity, summary }) => [
    `      - alert: ${name}`,
    `        expr: >-`,
    `          ${expr}`,
    `        for: ${after}`,
    `        labels:`,
    `          severity: ${severity}`,
    `        annotations:`,
    `          summary: ${JSON.stringify(summary)}`,
    `          runbook_url: ${runbookOf({ name })}`,
  ]);
  return ['groups:', '  - name: seamstream', '    rules:', ...rules, ''].join('\n');
}
