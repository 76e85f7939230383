/** What a client learns of its limits: headers as OpenAI's API sends them, and the refusal. Pure. */
import { type LimitUse, WHOLE_TENANT } from '@seamstream/operations/quotas';
import { NoRoomError } from '../access/refused-error.js';
import { ApiError } from '../http/api-error.js';

/** Both official clients wait by themselves for at most so long. Beyond that a new try is a person's. */
const LONGEST_WAIT_MS = 60_000;

/** A limit of the client that asks, or of its tenant as a whole. */
export interface PayerUse extends LimitUse {
  readonly payer: 'client' | 'tenant';
}

/** @param keyId as reservations name it */
export function payerNamed(keyId: string): PayerUse['payer'] {
  return keyId === WHOLE_TENANT ? 'tenant' : 'client';
}

/** `x-ratelimit-*` of requests, tokens and problems, each of the enforced limit with the least left. */
export function limitHeaders(uses: readonly LimitUse[], nowMs: number): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of ['requests', 'tokens', 'problems'] as const) {
    const [tightest] = uses
      .filter(({ measure, mode }) => measure === name && mode === 'enforced')
      .sort((a, b) => a.limit - a.used - (b.limit - b.used));
    if (tightest === undefined) continue;
    headers[`x-ratelimit-limit-${name}`] = String(tightest.limit);
    headers[`x-ratelimit-remaining-${name}`] = String(Math.max(0, tightest.limit - tightest.used));
    headers[`x-ratelimit-reset-${name}`] = durationOf(tightest.endsMs - nowMs);
  }
  return headers;
}

/** A limit in one word: `requests/hour` of the client, `tenant/requests/hour` of its tenant. */
const wordOf = ({ payer, measure, per }: PayerUse): string => `${payer === 'tenant' ? 'tenant/' : ''}${measure}/${per}`;

/** Limits that would have refused, were they enforced. */
export function shadowHeader(exceeded: readonly PayerUse[]): Readonly<Record<string, string>> {
  const told = exceeded.filter(({ mode }) => mode === 'shadow').map(wordOf);
  return told.length === 0 ? {} : { 'x-seam-quota-shadow': told.join(', ') };
}

/**
 * @param exceeded at least one enforced limit
 * @param wanted what the request asked room for
 * @param asked by whom, and when in milliseconds since the Unix epoch
 */
export function quotaRefusal(
  exceeded: readonly PayerUse[],
  wanted: Readonly<Record<LimitUse['measure'], number | null>>,
  headers: Readonly<Record<string, string>>,
  asked: { readonly who: NoRoomError['who']; readonly atMs: number },
): NoRoomError {
  const { who, atMs: nowMs } = asked;
  const refusing = exceeded.filter(({ mode }) => mode === 'enforced');
  // Waiting helps only when every limit has room again.
  const [last] = refusing.toSorted((a, b) => b.endsMs - a.endsMs);
  const { payer, measure, per, limit, used, endsMs } = last!;
  const never = refusing.find((each) => (wanted[each.measure] ?? Number.POSITIVE_INFINITY) > each.limit);
  const waitMs = Math.max(1, endsMs - nowMs);
  const again = never === undefined && waitMs <= LONGEST_WAIT_MS;
  const message =
    never === undefined
      ? `Cannot answer: expected room under the limit of ${PAYER[payer]}, ${amount(measure, limit)} per ${per}, got ${amount(measure, used)} used or reserved. Send the request again at ${new Date(endsMs).toISOString()}.`
      : `Cannot answer: expected at most ${amount(never.measure, never.limit)} per ${never.per} by the limit of ${PAYER[never.payer]}, got a request that may use ${wantedAmount(never.measure, wanted)}. ${never.measure === 'problems' ? 'Send fewer at a time' : 'Shorten it, or set max_completion_tokens'}.`;
  const facts = {
    status: 429,
    type: again ? measure : 'insufficient_quota',
    code: again ? 'rate_limit_exceeded' : 'insufficient_quota',
    message,
    headers: {
      ...headers,
      ...(never === undefined
        ? { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(waitMs) }
        : {}),
      'x-should-retry': String(again),
    },
  };
  return new NoRoomError(facts, who, `no room: ${wordOf(never ?? last!)}`);
}

/** The log did not say in time whether there is room: nothing was asked, and what was reserved is released. */
export function undecided(): ApiError {
  return new ApiError({
    status: 503,
    message:
      'Cannot answer now: expected the log to say whether there is room under the limits, got no word in time. Try again.',
    code: 'quota_undecided',
    headers: { 'retry-after': '1' },
  });
}

const PAYER = { client: 'the client', tenant: 'its whole tenant' } as const;

const MICROS = 1_000_000;

function amount(measure: LimitUse['measure'], value: number): string {
  return measure === 'money' ? `${value / MICROS} of money` : `${value} ${measure}`;
}

function wantedAmount(
  measure: LimitUse['measure'],
  wanted: Readonly<Record<LimitUse['measure'], number | null>>,
): string {
  const value = wanted[measure];
  return value === null
    ? 'an unknown amount of money, since no price of the executor is declared'
    : amount(measure, value);
}

/** As OpenAI's API writes it: 6m0s. */
function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${h > 0 ? `${h}h` : ''}${h > 0 || m > 0 ? `${m}m` : ''}${s}s`;
}
