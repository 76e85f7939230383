/** The frame of all pages: where one is, whether it is live, and what is found. */
import type { DashboardPage } from '@seamstream/gateway-contract';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AsOf } from './parts/as-of.js';
import { KeyForm } from './parts/key-form.js';
import { Waiting } from './parts/pieces.js';
import { Search } from './parts/search.js';
import { count } from './parts/words.js';
import { isSignedIn, needsKey, readWho, signOut } from './state/access.js';
import { helpIsOpen, listenToKeys } from './state/keys.js';
import { connection, foldedRecords, followLog, lag, paused, togglePause } from './state/live.js';
import { asOf, path } from './state/place.js';
import { chosenTheme, nextTheme } from './state/theme.js';
import { reading } from './state/view.js';

type Load = () => Promise<ComponentType>;

/** Pages by the first word of their address; each is loaded when it is gone to. */
const PAGES: Readonly<Record<DashboardPage, readonly [title: string, load: Load, one?: Load]>> = {
  '': ['Overview', async () => (await import('./pages/overview.js')).OverviewPage],
  problems: [
    'Problems',
    async () => (await import('./pages/problems.js')).ProblemsPage,
    async () => (await import('./pages/problem.js')).ProblemPage,
  ],
  adapters: ['Adapters', async () => (await import('./pages/adapters.js')).AdaptersPage],
  releases: ['Releases', async () => (await import('./pages/releases.js')).ReleasesPage],
  training: ['Training', async () => (await import('./pages/training.js')).TrainingPage],
  libraries: [
    'Libraries',
    async () => (await import('./pages/libraries.js')).LibrariesPage,
    async () => (await import('./pages/library.js')).LibraryPage,
  ],
  teams: [
    'Teams',
    async () => (await import('./pages/teams.js')).TeamsPage,
    async () => (await import('./pages/team.js')).TeamPage,
  ],
  'self-edits': ['Self-edits', async () => (await import('./pages/self-edits.js')).SelfEditsPage],
  buffer: ['Buffer', async () => (await import('./pages/buffer.js')).BufferPage],
  log: ['Log', async () => (await import('./pages/log.js')).LogPage],
  'dead-letters': ['Dead letters', async () => (await import('./pages/dead-letters.js')).DeadLettersPage],
  access: ['Access', async () => (await import('./pages/access.js')).AccessPage],
  requests: ['Requests', async () => (await import('./pages/requests.js')).RequestsPage],
  cost: ['Cost', async () => (await import('./pages/cost.js')).CostPage],
  doctor: ['Doctor', async () => (await import('./pages/doctor.js')).DoctorPage],
};

export function App(): JSX.Element {
  useEffect(() => {
    followLog();
    listenToKeys();
  }, []);
  const isRefused = needsKey.value;
  useEffect(() => {
    if (!isRefused) void readWho();
  }, [isRefused]);
  const [name = '', id] = path.value;
  const page = isPage(name) ? PAGES[name] : undefined;
  useEffect(() => {
    document.title = page === undefined || name === '' ? 'Seamstream' : `${page[0]} · Seamstream`;
  }, [name]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <a href="/" class="brand">
          <img src="/icon.svg" alt="" width="24" height="24" />
          Seamstream
        </a>
        <Search />
        <Live />
        {isSignedIn.value && !isRefused ? (
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        ) : null}
        <button type="button" class="quiet" onClick={nextTheme} aria-label={`Colours: ${chosenTheme.value}`}>
          <span aria-hidden="true">{{ auto: '◐', light: '☀', dark: '☾' }[chosenTheme.value]}</span>
        </button>
        <button type="button" class="quiet" aria-label="Keys" onClick={() => (helpIsOpen.value = true)}>
          ?
        </button>
      </header>
      <nav class="side" aria-label="Pages">
        {Object.entries(PAGES).map(([own, [title]]) => (
          <a key={own} href={`/${own}`} aria-current={own === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <p class="note">read only</p>
      </nav>
      <main id="main" tabIndex={-1} aria-busy={reading.value > 0}>
        {isRefused ? (
          <KeyForm />
        ) : page === undefined ? (
          <h1>There is no such page.</h1>
        ) : (
          <>
            <AsOf page={name as DashboardPage} />
            <Loaded
              key={`${name}${id === undefined ? '' : '/'} ${asOf.value}`}
              load={id !== undefined && page[2] !== undefined ? page[2] : page[1]}
            />
          </>
        )}
      </main>
      <Help />
    </>
  );
}

const isPage = (name: string): name is DashboardPage => Object.hasOwn(PAGES, name);

function Loaded({ load }: { readonly load: Load }): JSX.Element {
  const [page, setPage] = useState<{ readonly Page: ComponentType } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    load().then(
      (Page) => setPage({ Page }),
      () => setFault('This page could not be loaded. Load it again: a newer release may be served.'),
    );
  }, []);
  return page === null ? <Waiting fault={fault} /> : <page.Page />;
}

const SAYS = { connecting: 'connecting', live: 'live', lost: 'not connected', apart: 'not live' } as const;

/** Whether the numbers move, and how far the log was folded. */
function Live(): JSX.Element {
  const state = paused.value ? 'paused' : connection.value;
  const behind = lag.value;
  return (
    <div class="live">
      <button type="button" class={`pill ${state}`} onClick={togglePause} aria-pressed={paused.value}>
        <span class="dot" aria-hidden="true" />
        {paused.value ? 'paused' : SAYS[connection.value]}
      </button>
      <span class="dim">
        {foldedRecords.value === null ? '' : `${count(foldedRecords.value)} records`}
        {behind === null || behind === 0 ? '' : `, ${count(behind)} to go`}
      </span>
    </div>
  );
}

const KEYS = [
  ['/', 'find any id, or words of a question'],
  ['j, k', 'the next row, the one before'],
  ['Enter', 'open the chosen row'],
  ['Esc', 'close what is open'],
  ['p', 'pause, and continue'],
  ['?', 'this list'],
] as const;

function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (helpIsOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [helpIsOpen.value]);
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={() => (helpIsOpen.value = false)}>
      <h2 id="keys">Keys</h2>
      <dl class="facts">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (helpIsOpen.value = false)}>
        Close
      </button>
    </dialog>
  );
}
