/** Access: who may do what, how much each may use and has used, what was refused, and who changed what. As far as the reader's role and tenant say. */
import type { ListedKey, SignedInUser } from '@seamstream/operations/access';
import type { SeenAccess } from '@seamstream/operations/quotas';
import type { JSX } from 'preact';
import { Audit } from '../parts/audit.js';
import { Choice, Filters, named } from '../parts/filters.js';
import { DeclaredLimits, LimitsInUse } from '../parts/limits.js';
import { Badge, Card, Empty, How, PlainTable, Waiting } from '../parts/pieces.js';
import { count, plural, time } from '../parts/words.js';
import { query, setQuery } from '../state/place.js';
import { useView } from '../state/view.js';

/** Windows of limits end by the clock, and the stream is not for readers of one tenant. */
const EVERY_MS = 5_000;

export function AccessPage(): JSX.Element {
  const { data, fault } = useView<SeenAccess>('/api/views/access', true, EVERY_MS);
  if (data === null)
    return (
      <>
        <h1>Access</h1>
        <Waiting fault={fault} />
      </>
    );
  const { you, keys, users, tenants, quotas, currency, openReservations } = data;
  const tenant = query.value.get('tenant');
  const isShown = (of: { readonly tenant: string }): boolean => tenant === null || of.tenant === tenant;
  return (
    <>
      <h1>Access</h1>
      {fault === null ? null : <Waiting fault={fault} />}
      {you.id === null ? null : <You of={you} />}
      <div class="cards">
        {you.id === null ? <Open hasKeys={keys?.some(({ state }) => state === 'open') === true} /> : null}
        {tenants === null ? null : <Tenants of={tenants} chosen={tenant} />}
        <LimitsInUse
          of={data.clients.filter(isShown)}
          {...{ currency, openReservations }}
          isOwn={tenants === null}
          isOpen={you.id === null}
        />
        {quotas === null ? null : <DeclaredLimits of={quotas} currency={currency} tenant={tenant} />}
        <Refused of={data.refused.filter(isShown)} isOwn={tenants === null} />
        {keys === null ? null : <Keys of={keys.filter(isShown)} />}
        {users === null ? null : <Users of={users.filter(isShown)} />}
      </div>
      {keys === null ? null : <Audit tenant={you.isOfAll ? null : you.tenant} shown={tenant} />}
    </>
  );
}

function Open({ hasKeys }: { readonly hasKeys: boolean }): JSX.Element {
  return (
    <div class="card full">
      <Badge kind="warn">! open</Badge>
      <p>
        This gateway asks for no key: all who are on this machine may do everything, and no limit holds for them. It
        answers this machine alone.
      </p>
      <p>To ask for keys, {hasKeys ? '' : 'make one, and '}start the gateway with them:</p>
      {hasKeys ? null : <code class="command">seam gateway keys issue "my page" --role admin --by me</code>}{' '}
      <code class="command">SEAM_GATEWAY_ACCESS=keys</code>
    </div>
  );
}

const SEES: Readonly<Record<string, string>> = {
  viewer: 'You see your own limits and those of your tenant as a whole.',
  publisher: 'You see your own limits and those of your tenant as a whole.',
  operator: 'You see clients and their limits. Keys, people and their acts are for an admin.',
  admin: 'You see keys, people, limits and acts.',
};

function You({ of }: { readonly of: SeenAccess['you'] }): JSX.Element {
  return (
    <p class="dim">
      You are <span class="mono">{of.id}</span>, {of.role} in {of.isOfAll ? 'all tenants' : of.tenant}. {SEES[of.role]}
    </p>
  );
}

const TENANT_TITLES = ['tenant', 'open keys', 'closed keys', 'signed in', 'limits'];

function Tenants(props: {
  readonly of: NonNullable<SeenAccess['tenants']>;
  readonly chosen: string | null;
}): JSX.Element {
  return (
    <Card
      title={plural(props.of.length, 'tenant')}
      size="full"
      how={
        <How
          counted="Tenants that a key, an open session or a limit names, and the default one."
          command="seam gateway tenants list"
        />
      }
    >
      <PlainTable label="Tenants" titles={TENANT_TITLES} numbers={TENANT_TITLES.slice(1)}>
        {props.of.map(({ tenant, openKeys, closedKeys, users, limits }) => (
          <tr key={tenant} data-tenant={tenant}>
            <th scope="row">
              <button
                type="button"
                aria-pressed={props.chosen === tenant}
                onClick={() => setQuery({ tenant: props.chosen === tenant ? undefined : tenant })}
              >
                {tenant}
              </button>
            </th>
            {[openKeys, closedKeys, users, limits].map((each, at) => (
              <td key={TENANT_TITLES[at + 1]} class="end" data-value={TENANT_TITLES[at + 1]}>
                {count(each)}
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
    </Card>
  );
}

const KEY_TITLES = ['key', 'name', 'role', 'tenant', 'made', 'ends', 'state'];
const STATE_KINDS = { open: 'good', expired: 'warn', revoked: 'bad' } as const;

function Keys({ of }: { readonly of: readonly ListedKey[] }): JSX.Element {
  const state = query.value.get('keys') ?? '';
  const shown = of.filter((key) => state === '' || key.state === state);
  return (
    <Card
      title={plural(of.length, 'key')}
      size="full"
      how={
        <How
          counted="Every key that was issued, the newest first. The log has the public part and a digest: no one can show a key again."
          command="seam gateway keys list"
        />
      }
    >
      {of.length === 0 ? (
        <Empty command='seam gateway keys issue "support bot" --role publisher --by me'>No key was issued yet.</Empty>
      ) : (
        <>
          <Filters>
            <Choice
              label="state"
              value={state}
              options={[['', 'all'], ...named(Object.keys(STATE_KINDS))]}
              onChoose={(keys) => setQuery({ keys })}
            />
          </Filters>
          <PlainTable label="Keys" titles={KEY_TITLES}>
            {shown.map((key) => (
              <Key key={key.keyId} of={key} />
            ))}
          </PlainTable>
        </>
      )}
    </Card>
  );
}

function Key({ of }: { readonly of: ListedKey }): JSX.Element {
  const { keyId, name, role, tenant, issuedAt, issuedBy, expiresAt, revoked, state } = of;
  return (
    <tr data-key={keyId}>
      <th scope="row" class="mono">
        {keyId}
      </th>
      <td>{name}</td>
      <td>{role}</td>
      <td>{tenant}</td>
      <td>
        {time(issuedAt)} by {issuedBy}
      </td>
      <td>{expiresAt === null ? 'never' : time(expiresAt)}</td>
      <td>
        <Badge kind={STATE_KINDS[state]}>{state}</Badge>
        {revoked === null ? null : (
          <small>
            {' '}
            {time(revoked.at)} by {revoked.by}: {revoked.reason}
          </small>
        )}
      </td>
    </tr>
  );
}

const USER_TITLES = ['user', 'role', 'tenant', 'signed in', 'until', 'sessions'];

function Users({ of }: { readonly of: readonly SignedInUser[] }): JSX.Element {
  return (
    <Card
      title={`${plural(of.length, 'user')} signed in`}
      size="full"
      how={
        <How
          counted="Users with an open session of the dashboard, by their names in the log. A user who sends a bearer token has none: who may come by one, the provider and your table of roles say."
          command="seam gateway users list"
        />
      }
    >
      {of.length === 0 ? (
        <p class="dim">No one is signed in by a provider.</p>
      ) : (
        <PlainTable label="Users" titles={USER_TITLES} numbers={['sessions']}>
          {of.map(({ userId, role, tenant, signedInAt, expiresAt, sessions }) => (
            <tr key={`${tenant} ${role} ${userId}`}>
              <th scope="row" class="mono">
                {userId}
              </th>
              <td>{role}</td>
              <td>{tenant}</td>
              <td>{time(signedInAt)}</td>
              <td>{time(expiresAt)}</td>
              <td class="end">{count(sessions)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}

const REFUSED_TITLES = ['time', 'client', 'requests', 'what, and why'];
/** Lines that are shown. */
const MOST_REFUSED = 50;

function Refused(props: { readonly of: SeenAccess['refused']; readonly isOwn: boolean }): JSX.Element {
  const { of, isOwn } = props;
  return (
    <Card
      title={isOwn ? 'Refused to you lately' : 'Refused lately'}
      size="full"
      how={
        <How
          counted="Requests of the last 24 hours without a right or without room. Gateways count them by client, reason and route, and record the counts each minute and when they end."
          command="seam audit --act refused"
        />
      }
    >
      {of.length === 0 ? (
        <p class="dim">Nothing was refused in the last 24 hours.</p>
      ) : (
        <PlainTable label="Refused lately" titles={REFUSED_TITLES} numbers={['requests']}>
          {of.slice(0, MOST_REFUSED).map(({ at, by, times, what, tenant, place }) => (
            <tr key={`${place.topic}/${place.partition}/${place.offset}`} data-refused={by ?? ''}>
              <td>{time(at)}</td>
              <td>
                <span class="mono">{by ?? 'unknown'}</span> <small>{tenant}</small>
              </td>
              <td class="end" data-value="times">
                {count(times)}
              </td>
              <td class="wrap">{what}</td>
            </tr>
          ))}
        </PlainTable>
      )}
      {of.length > MOST_REFUSED ? (
        <p class="dim">{count(of.length - MOST_REFUSED)} older lines are not shown.</p>
      ) : null}
    </Card>
  );
}
