/**
 * For each alert a story: healthy close to the threshold, then broken close beyond it, then healthy again. In promtool's
 * notation: `0x59` is 60 times 0, `0+5x59` 60 values that rise by 5, and `_` no value.
 */
export interface Story {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** First minute in which its expression holds, and the first in which it does not any more. */
  readonly from: number;
  readonly until: number;
  /** Further minutes at which it must not fire. */
  readonly quiet?: readonly number[];
  /** Between two values; a minute where absent. */
  readonly interval?: string;
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A gauge that is bad from minute 60 to 119. */
const between = (healthy: number | string, bad: number | string): string => `${healthy}x59 ${bad}x59 ${healthy}x59`;
const GAUGE = { from: 60, until: 120 };

const MODE = { mode: 'deploy' };
const CHAT = 'route="/v1/chat/completions",method="POST"';

export const STORIES: readonly Story[] = [
  {
    alert: 'SeamLiftNegative',
    series: {
      'seam_lift_upper{mode="deploy",instance="a"}': between(0.02, -0.02),
      'seam_lift_upper{mode="deploy",instance="b"}': between(0.02, -0.02),
      'seam_lift_upper{mode="explore",instance="a"}': '0.02x200',
    },
    ...{ ...GAUGE, labels: MODE },
  },
  {
    alert: 'SeamDomainHarmed',
    series: { 'seam_harmed_domains{mode="deploy"}': between(0, 1) },
    ...{ ...GAUGE, labels: MODE },
  },
  {
    alert: 'SeamSampleRatio',
    series: {
      'seam_experiment_doubt_ratio{mode="deploy",check="shares"}': between(0.9, 1),
      'seam_experiment_doubt_ratio{mode="explore",check="verdicts"}': '2x200',
    },
    ...{ ...GAUGE, labels: MODE },
  },
  {
    alert: 'SeamVerdictsMissing',
    series: {
      'seam_experiment_doubt_ratio{mode="deploy",check="verdicts"}': between(0.9, 1),
      'seam_experiment_doubt_ratio{mode="explore",check="shares"}': '2x200',
    },
    ...{ ...GAUGE, labels: MODE },
  },
  {
    alert: 'SeamLedgerUnbalanced',
    series: { 'seam_ledger_balanced{}': between(1, 0) },
    ...GAUGE,
  },
  {
    // One problem waits for an outcome and another for feedback. Nothing comes from minute 60 on, until the first is solved.
    alert: 'SeamNoOutcomes',
    series: {
      'seam_problems{standing="in_flight"}': '2x119 1x59',
      'seam_waiting_answers{}': '1x179',
      'seam_topic_offset{topic="seam.outcomes"}': '0+1x59 59x119',
      'seam_topic_offset{topic="seam.problems"}': '0+1x179',
    },
    ...{ from: 89, until: 120 },
  },
  {
    alert: 'SeamLagAge',
    series: {
      'seam_consumer_lag_seconds{group="g",topic="t",instance="a"}': between(590, 610),
      'seam_consumer_lag_seconds{group="g",topic="t",instance="b"}': '0x179',
    },
    ...{ ...GAUGE, labels: { group: 'g', topic: 't' } },
  },
  {
    // The ledger counts what a consumer gave up before its metrics were read the first time.
    alert: 'SeamDeadLetters',
    series: { 'seam_dead_letter_records{}': '3x59 4x119', 'seam_dead_letters_total{group="g",code="C"}': '_x60 1x119' },
    ...{ from: 60, until: 75 },
  },
  {
    alert: 'SeamDeadLetters',
    series: { 'seam_dead_letters_total{group="g",code="C"}': '1x59 2x119' },
    ...{ from: 60, until: 75 },
  },
  {
    alert: 'SeamDeadLettersMany',
    series: {
      'seam_dead_letters_total{group="g",code="C"}': '0+4.5x59 270+5.5x59 594.5+4.5x59',
      'seam_records_consumed_total{group="g",topic="t"}': '0+100x179',
    },
    ...{ from: 66, until: 120, labels: { group: 'g' } },
  },
  {
    alert: 'SeamRetries',
    series: { 'seam_retries_total{group="g",code="C"}': '0+3x59 180+3.7x59 401.3+3x59' },
    ...{ from: 68, until: 127, labels: { group: 'g', code: 'C' } },
  },
  {
    alert: 'SeamEventLogDown',
    series: {
      'seam_event_log_up{instance="a"}': between(1, 0),
      'seam_event_log_up{instance="b"}': '1x179',
    },
    ...{ ...GAUGE, labels: { instance: 'a' } },
  },
  {
    alert: 'SeamLoopUnread',
    series: { 'seam_loop_up{instance="a"}': between(1, 0), 'seam_loop_up{instance="b"}': '0x179' },
    ...GAUGE,
  },
  {
    alert: 'SeamFactsUnattested',
    series: { 'seam_unbelieved_records{topic="seam.adapters"}': between(0, 1) },
    ...{ ...GAUGE, labels: { topic: 'seam.adapters' } },
  },
  {
    alert: 'SeamDecisionRefused',
    series: { 'seam_refused_decisions{}': '2x59 3x119' },
    ...{ from: 60, until: 120 },
  },
  {
    alert: 'SeamReleaseEvidence',
    series: {
      'seam_release_evidence_ratio{slot="generator",claim="harm"}': between(0.9, 1),
      'seam_release_evidence_ratio{slot="generator",claim="success"}': '2x179',
    },
    ...{ ...GAUGE, labels: { slot: 'generator', claim: 'harm' } },
  },
  {
    alert: 'SeamReleaseRolledBack',
    series: { 'seam_releases{status="rolled back"}': '1x59 2x119', 'seam_releases{status="promoted"}': '0+1x179' },
    ...{ from: 60, until: 120 },
  },
  {
    alert: 'SeamReleaseIntervalWide',
    series: {
      'seam_release_interval_width{slot="generator"}': between(0.09, 0.11),
      'seam_release_planned_width{slot="generator"}': '0.1x179',
      'seam_release_horizon_used_ratio{slot="generator"}': '0.55x179',
    },
    ...{ ...GAUGE, labels: { slot: 'generator' } },
  },
  {
    // As wide as before, with fewer and more problems.
    alert: 'SeamReleaseIntervalWide',
    series: {
      'seam_release_interval_width{slot="generator"}': '0.2x179',
      'seam_release_planned_width{slot="generator"}': '0.1x179',
      'seam_release_horizon_used_ratio{slot="generator"}': between(0.45, 0.55),
    },
    ...{ ...GAUGE, labels: { slot: 'generator' } },
  },
  {
    alert: 'SeamTrainingFinding',
    series: { 'seam_training_findings{code="kl-explosion"}': '_x60 1x59 _x60' },
    // A series that is gone is remembered for five minutes.
    ...{ ...GAUGE, until: 125, labels: { code: 'kl-explosion' } },
  },
  {
    // A run that was planned half a day before minute 60, and ends in minute 119.
    alert: 'SeamTrainingRunOld',
    series: {
      'seam_training_oldest_run_seconds{instance="a"}': '39660+60x118 0x60',
      'seam_training_oldest_run_seconds{instance="b"}': '0x200',
    },
    ...{ from: 60, until: 119 },
  },
  {
    alert: 'SeamGatewayErrors',
    series: {
      [`seam_http_request_seconds_count{${CHAT},status="5xx"}`]: '0+4.5x59 270+5.5x59 594.5+4.5x59',
      [`seam_http_request_seconds_count{${CHAT},status="2xx"}`]: '0+95.5x59 5730+94.5x59 11305.5+95.5x59',
    },
    ...{ from: 63, until: 122 },
  },
  {
    // Of a hundred 1.5 take between 10 and 60 seconds, then 1.8 do: the quantile moves from 27 to 32 seconds. Streams that stay open do not count.
    alert: 'SeamGatewaySlow',
    series: {
      [`seam_http_request_seconds_bucket{${CHAT},status="2xx",le="10"}`]: '0+98.5x59 5910+98.2x59 11802+98.5x59',
      [`seam_http_request_seconds_bucket{${CHAT},status="2xx",le="60"}`]: '0+100x179',
      [`seam_http_request_seconds_bucket{${CHAT},status="2xx",le="+Inf"}`]: '0+100x179',
      'seam_http_request_seconds_bucket{route="/api/stream",status="2xx",le="10"}': '0x179',
      'seam_http_request_seconds_bucket{route="/api/stream",status="2xx",le="60"}': '0x179',
      'seam_http_request_seconds_bucket{route="/api/stream",status="2xx",le="+Inf"}': '0+50x179',
    },
    ...{ from: 63, until: 123 },
  },
  {
    alert: 'SeamIssuerSilent',
    series: {
      'seam_issuer_silence_seconds{instance="a"}': '899x179',
      'seam_issuer_silence_seconds{instance="b"}': between(890, 901),
    },
    ...GAUGE,
  },
  {
    // 26 hours at 5 in five minutes, three at 19, then 5 again. The average of the day catches up meanwhile.
    alert: 'SeamCostBurn',
    series: { 'seam_chat_cost_total{}': '0+5x312 1600+19x36 2284+5x60' },
    // Within its first day a gateway has no average.
    ...{ interval: '5m', from: 1601, until: 1690, quiet: [300] },
  },
  {
    alert: 'SeamQuotaNearlyUsed',
    series: {
      'seam_quota_used_ratio{measure="money",per="day",mode="enforced"}': between(0.89, 0.91),
      'seam_quota_used_ratio{measure="requests",per="minute",mode="enforced"}': '1x179',
    },
    ...{ ...GAUGE, labels: { measure: 'money', per: 'day', mode: 'enforced' } },
  },
];
