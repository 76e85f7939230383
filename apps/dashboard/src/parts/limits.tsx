/** Limits: how much each client and each tenant may use, what is used of it, and who declared which. */
import type { ClientLimits, HeldLimit, QuotaStatus } from '@seamstream/operations/quotas';
import type { JSX } from 'preact';
import { Badge, Card, Empty, How, PlainTable } from './pieces.js';
import { count, money, plural, time } from './words.js';

const SET = 'seam gateway quotas set <client> --measure requests --limit 60 --per minute --by me --reason "a trial"';
const TITLES = ['of', 'limit of', 'limit', 'used', 'of it reserved', 'left', 'until', 'mode', 'by the limit of'];
const NUMBERS = ['limit', 'used', 'of it reserved', 'left'];
const COUNTED =
  'A request takes room when it is let in, and is charged when it ends. Used is all that counts in the window, by UTC. Of it, reserved is the worst case of requests under way. Left is the limit less what is used.';

const amount = (measure: HeldLimit['measure'], value: number): string =>
  measure === 'money' ? money(value) : count(value);

const kindOf = ({ measure, per }: Pick<HeldLimit, 'measure' | 'per'>, currency: string | null): string =>
  `${measure === 'money' ? `money, ${currency ?? ''},` : measure} per ${per}`;

interface LimitsInUseProps {
  readonly of: readonly ClientLimits[];
  readonly currency: string | null;
  /** Null where it is not the reader's to see. */
  readonly openReservations: number | null;
  /** The reader sees their own client and their tenant alone. */
  readonly isOwn: boolean;
  readonly isOpen: boolean;
}

export function LimitsInUse({ of, currency, openReservations, isOwn, isOpen }: LimitsInUseProps): JSX.Element {
  return (
    <Card
      title={isOwn ? 'What you and your tenant may still use' : 'What clients and tenants may still use'}
      size="full"
      how={<How counted={COUNTED} command="seam gateway quotas use" />}
    >
      {of.length === 0 ? (
        isOwn || isOpen ? (
          <p class="dim">{isOpen ? 'There are no clients here: no limit holds.' : 'No limit holds for you.'}</p>
        ) : (
          <Empty command='seam gateway keys issue "support bot" --role publisher --by me'>
            No key is open, no one is signed in, and no limit names a client.
          </Empty>
        )
      ) : (
        <PlainTable label="Limits in use" titles={TITLES} numbers={NUMBERS}>
          {of.flatMap((client) =>
            client.limits.length === 0
              ? [<Unlimited key={client.client} of={client} />]
              : client.limits.map((limit) => (
                  <Held
                    key={`${client.client} ${limit.measure} ${limit.per}`}
                    of={limit}
                    client={client}
                    currency={currency}
                  />
                )),
          )}
        </PlainTable>
      )}
      {openReservations === null ? null : (
        <p class="dim">
          <span data-value="open-reservations">{count(openReservations)}</span> reservations of requests under way. A
          request with limits of its client and of its tenant has two.
        </p>
      )}
    </Card>
  );
}

function Who({ of }: { readonly of: ClientLimits }): JSX.Element {
  const { client, kind, tenant, name, role } = of;
  return (
    <th scope="row">
      {kind === 'tenant' ? (
        `${tenant} as a whole`
      ) : (
        <>
          {name === null ? null : `${name} `}
          <span class="mono">{client}</span>
        </>
      )}
      {role === null ? null : <small> {role}</small>}
    </th>
  );
}

function Unlimited({ of }: { readonly of: ClientLimits }): JSX.Element {
  return (
    <tr data-client={of.client}>
      <Who of={of} />
      <td colSpan={TITLES.length - 1} class="dim">
        no limit, so nothing is counted
      </td>
    </tr>
  );
}

function Held(props: {
  readonly of: HeldLimit;
  readonly client: ClientLimits;
  readonly currency: string | null;
}): JSX.Element {
  const { measure, per, limit, used, reserved, left, endsMs, mode, declaredFor, declaredBy, declaredAt } = props.of;
  const isFull = left === 0;
  const share = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <tr data-client={props.client.client} data-limit={`${measure}/${per}`}>
      <Who of={props.client} />
      <td>{kindOf(props.of, props.currency)}</td>
      <td class="end" data-value="limit">
        {amount(measure, limit)}
      </td>
      <td class="end">
        <span data-value="used">{amount(measure, used)}</span>
        <span class={`gauge ${isFull ? 'beyond' : ''}`}>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect width={share} y="2" height="6" rx="1" />
          </svg>
        </span>
      </td>
      <td class="end" data-value="reserved">
        {amount(measure, reserved)}
      </td>
      <td class="end">
        <span data-value="left">{amount(measure, left)}</span> {isFull ? <Badge kind="bad">! full</Badge> : null}
      </td>
      <td>{time(endsMs)}</td>
      <td data-value="mode">
        <Mode of={mode} />
      </td>
      <td>
        <span class="mono">{declaredFor}</span>{' '}
        <small>
          {time(declaredAt)} by {declaredBy}
        </small>
      </td>
    </tr>
  );
}

function Mode({ of }: { readonly of: HeldLimit['mode'] }): JSX.Element {
  return of === 'shadow' ? <Badge kind="warn">shadow: refuses nothing</Badge> : <Badge kind="dim">enforced</Badge>;
}

const DECLARED_TITLES = ['for', 'limit of', 'limit', 'used now', 'mode', 'declared'];

/** @param props.tenant those of this tenant alone, with the limit of each client; null: all */
export function DeclaredLimits(props: {
  readonly of: readonly QuotaStatus[];
  readonly currency: string | null;
  readonly tenant: string | null;
}): JSX.Element {
  const { currency, tenant } = props;
  const shown = props.of.filter(
    ({ keyId }) =>
      tenant === null || keyId === '*' || (keyId.includes('/') ? keyId.split('/')[0] : 'default') === tenant,
  );
  return (
    <Card
      title={`${plural(shown.length, 'limit')} declared`}
      size="full"
      how={
        <How
          counted="The last declaration for each client, measure and window. * is each client without such a limit, and is counted for each."
          command="seam gateway quotas list"
        />
      }
    >
      {shown.length === 0 ? (
        <Empty command={SET}>No limit is declared: clients may use as much as they like.</Empty>
      ) : (
        <PlainTable label="Declared limits" titles={DECLARED_TITLES} numbers={['limit', 'used now']}>
          {shown.map(({ keyId, measure, per, limit, used, mode, declaredBy, declaredAt }) => (
            <tr key={`${keyId} ${measure} ${per}`} data-declared={`${keyId} ${measure}/${per}`}>
              <th scope="row" class="mono">
                {keyId}
              </th>
              <td>{kindOf({ measure, per }, currency)}</td>
              <td class="end">{amount(measure, limit)}</td>
              <td class="end" data-value="used">
                {used === null ? 'for each' : amount(measure, used)}
              </td>
              <td>
                <Mode of={mode} />
              </td>
              <td>
                {time(declaredAt)} by {declaredBy}
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}
