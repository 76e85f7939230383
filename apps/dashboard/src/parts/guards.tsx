/** What guards have muted, and what it is worth to withhold entries. */
import type { PlainGuards, Withheld } from '@seamstream/operations/release';
import type { JSX } from 'preact';
import { Interval } from './interval.js';
import { AdapterLink, Card, Empty, Heads, How, Scrolled, Status } from './pieces.js';
import { count, percent, plural, short } from './words.js';

export function Guards({ of }: { readonly of: PlainGuards }): JSX.Element {
  return (
    <>
      {of.guards.length === 0 ? (
        <div class="card full">
          <Empty command={'seam release guard on --by NAME --reason "why"'}>
            No guard is on. A guard mutes domains in which entries do harm.
          </Empty>
        </div>
      ) : null}
      {of.guards.map((guard) => (
        <Guard key={guard.event.guardId} of={guard} />
      ))}
      <ControlArm of={of.controlArm} />
      {of.refusedCount === 0 ? null : <p>{plural(of.refusedCount, 'record')} of guards do not count.</p>}
    </>
  );
}

function Guard({ of }: { readonly of: PlainGuards['guards'][number] }): JSX.Element {
  const { event, plan, adapterDigest, domains } = of;
  return (
    <Card
      title={`Guard ${short(event.guardId)}`}
      size="full"
      how={
        <How
          counted="Deployed problems that were drawn under this guard while the adapter was served, in the order of publication. A domain is muted when its evidence of harm reaches its part of the risk; that is for good, but for a person, another plan or another adapter."
          command="seam release status"
        />
      }
    >
      <p>
        Over <AdapterLink digest={adapterDigest} />, by {event.plannedBy} ({event.reason}): {percent(plan.alpha)} risk
        for all domains; where it mutes, {percent(plan.share)} of the problems keep their entries.
      </p>
      {domains.length === 0 ? <p class="dim">No problem counts for it yet.</p> : null}
      <Scrolled label="Guarded domains">
        <table class="forest">
          <Heads
            titles={['domain', 'with', 'without', 'points, at any look', 'stands', 'why']}
            numbers={['with', 'without']}
          />
          <tbody>
            {domains.map(({ domain, treated, control, lift, muting, now, withheld }) => (
              <tr key={domain}>
                <th scope="row">{domain}</th>
                <td class="end" data-value={`treated-${domain}`}>
                  {count(treated)}
                </td>
                <td class="end">{count(control)}</td>
                <td class="bar">
                  <Interval
                    of={lift === null ? null : { value: lift.value, interval: lift.interval95 }}
                    name={domain}
                  />
                </td>
                <td data-value={`guard-${domain}`}>
                  <Status status={muting === null ? 'open' : muting.ended === null ? 'muted' : 'unmuted'} />
                </td>
                <td class="wrap">
                  {muting === null
                    ? (now?.reason ?? 'Its counts are not possible: nothing is decided.')
                    : muting.ended === null
                      ? muting.event.reason
                      : `${muting.ended.unmutedBy}: ${muting.ended.reason}`}
                  {withheld === null ? null : <small class="counts">{withheldText(withheld)}</small>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </Card>
  );
}

function ControlArm({ of }: { readonly of: PlainGuards['controlArm'] }): JSX.Element | null {
  if (of.all.problems === 0) return null;
  return (
    <Card
      title="What withholding entries is worth"
      how={
        <How
          counted="Deployed problems without an entry, times the lift of their domain: how many more would have been solved with one. Below 0: harm that was prevented."
          command="seam release status"
        />
      }
    >
      <table class="plain-table">
        <Heads titles={['domain', 'without', 'more solved with entries']} numbers={['without']} />
        <tbody>
          {[...of.domains, { ...of.all, domain: 'all' }].map(({ domain, ...withheld }, at) => (
            <tr key={at}>
              <th scope="row">{domain}</th>
              <td class="end">{count(withheld.problems)}</td>
              <td data-value={`worth-${at}`}>{moreText(withheld)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function withheldText(withheld: Withheld): string {
  return `${plural(withheld.problems, 'problem')} had no entry since it was muted; more solved with one: ${moreText(withheld)}`;
}

function moreText({ moreSolved }: Withheld): string {
  if (moreSolved === null) return 'not known';
  const { value, interval } = moreSolved;
  const [middle, low, high] = [value, ...interval].map(whole);
  return `${middle} (${low} to ${high})`;
}

/** Problems without a figure behind the point. */
function whole(problems: number): string {
  const rounded = Math.round(Math.abs(problems));
  return `${problems < 0 && rounded > 0 ? '−' : ''}${count(rounded)}`;
}
