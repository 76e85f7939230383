/** Teams of agents: each by its slot, with what the gate did and what its last stage came to. */
import type { ListedTeam } from '@seamstream/operations/team';
import type { JSX } from 'preact';
import { PeekList } from '../parts/peek-list.js';
import { Empty, Facts, How, Waiting } from '../parts/pieces.js';
import { count, percent, points, short } from '../parts/words.js';
import { go } from '../state/place.js';
import { useView } from '../state/view.js';

const addressOf = (slot: string): string => `/teams/${encodeURIComponent(slot)}`;

const ROOM: ReadonlySet<string> = new Set(['accepted', 'taken back', 'given up']);

const number = (title: string, of: (team: ListedTeam) => string) => ({
  title,
  width: 'minmax(80px, 1fr)',
  end: true,
  cell: of,
});

const columns = [
  { title: 'team', width: 'minmax(140px, 2fr)', cell: ({ slot }: ListedTeam) => <a href={addressOf(slot)}>{slot}</a> },
  {
    title: 'served',
    width: 'minmax(110px, 1fr)',
    cell: ({ served }: ListedTeam) => <span class="mono">{served === null ? 'base models' : short(served)}</span>,
  },
  number('stages', ({ stages }) => count(stages)),
  number('accepted', ({ accepted }) => count(accepted)),
  number('taken back', ({ takenBack }) => count(takenBack)),
  number('given up', ({ givenUp }) => count(givenUp)),
  number('success', ({ success }) => percent(success)),
  number('before', ({ parentSuccess }) => percent(parentSuccess)),
];

export function TeamsPage(): JSX.Element {
  const { data, fault } = useView<{ readonly teams: readonly ListedTeam[] }>('/api/views/teams');
  if (data === null) return <Waiting fault={fault} />;
  const { teams } = data;
  return (
    <>
      <h1>Teams</h1>
      {teams.length === 0 ? (
        <Empty command="npm start -- --method team --data-dir team">
          No team was tuned yet. Its agents are updated stage by stage, and promoted as one.
        </Empty>
      ) : (
        <>
          <p class="dim line">
            <span>
              <span data-value="teams">{count(teams.length)}</span> teams. Passes of updates that the gate accepted,
              took back or gave up are of all stages.
            </span>
            <How
              counted="Teams by their slot. Success is that of the last stage that was measured, on validation problems, and of the team that it began with."
              command="seam team list"
            />
          </p>
          <PeekList
            label="Teams"
            chosenLabel="The chosen team"
            columns={columns}
            room={ROOM}
            rows={teams}
            keyOf={({ slot }) => slot}
            onOpen={({ slot }) => go(addressOf(slot))}
            head={(slot) => <a href={addressOf(slot)}>Open</a>}
          >
            {(slot) => {
              const team = teams.find((each) => each.slot === slot);
              return team === undefined ? null : <Summary of={team} />;
            }}
          </PeekList>
        </>
      )}
    </>
  );
}

function Summary({ of }: { readonly of: ListedTeam }): JSX.Element {
  const { slot, served, stages, accepted, takenBack, givenUp, success, parentSuccess } = of;
  return (
    <Facts
      of={[
        ['slot', slot],
        [
          'served',
          <span key="s" class="mono wrap">
            {served ?? 'the base models'}
          </span>,
        ],
        ['stages', count(stages)],
        ['passes accepted', count(accepted)],
        ['passes taken back', count(takenBack)],
        ['passes given up', count(givenUp)],
        ['success of the last stage', percent(success)],
        [
          'to the team before',
          success === null || parentSuccess === null ? '–' : `${points(success - parentSuccess)} points`,
        ],
      ]}
    />
  );
}
