/** What changes while one looks: one stream of the read models' changes, closed while the page is hidden. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Overview } from '@seamstream/operations/views';
import { askGateway, needsKey } from './access.js';
import { messagesIn } from './event-stream.js';

interface LiveChange {
  readonly position: Readonly<Record<string, number>>;
  readonly at: number;
  readonly overview: Overview;
}

/** `apart`: the stream is of the whole system, and the reader is of a tenant. */
type Connection = 'connecting' | 'live' | 'lost' | 'apart';

export const connection = signal<Connection>('connecting');
export const paused = signal(false);
/** The newest that is shown. */
export const change = signal<LiveChange | null>(null);
/** Came while paused. */
const held = signal<LiveChange | null>(null);
let lastId = '';

export const overview = computed(() => change.value?.overview ?? null);
/** Records of the log that the shown numbers were folded from. */
export const foldedRecords = computed(() => {
  const position = change.value?.position;
  return position === undefined ? null : Object.values(position).reduce((sum, next) => sum + next, 0);
});
/** Changes with what is shown: views are read again when it does. */
export const version = computed(() => change.value?.at ?? 0);
export const lag = computed(() => overview.value?.status.lag.reduce((sum, { records }) => sum + records, 0) ?? null);

export function togglePause(): void {
  paused.value = !paused.value;
  if (!paused.value && held.value !== null) {
    change.value = held.value;
    held.value = null;
  }
}

/** Before it is asked again, in milliseconds. */
const AGAIN_MS = 1000;
/** The same where it was refused: roles and tenants change seldom, and each refusal is counted. */
const REFUSED_AGAIN_MS = 60_000;
/** The gateway says something every 15 seconds: after so much silence the connection is dead. */
const SILENCE_MS = 45_000;

let following: AbortController | undefined;

function open(): void {
  if (following !== undefined || needsKey.value) return;
  following = new AbortController();
  void follow(following);
}

function close(): void {
  following?.abort();
  following = undefined;
}

async function follow(own: AbortController): Promise<void> {
  while (following === own) {
    const isRefused = (await readStream(own.signal).catch(() => undefined)) === 403;
    if (following !== own) return;
    connection.value = isRefused ? 'apart' : 'lost';
    if (needsKey.value) close();
    else await new Promise((resolve) => setTimeout(resolve, isRefused ? REFUSED_AGAIN_MS : AGAIN_MS));
  }
}

/** By fetch and not by EventSource, which cannot send a key. Returns where the stream ends. @returns the status of the answer */
async function readStream(left: AbortSignal): Promise<number> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  try {
    const answer = await askGateway(`/api/stream${lastId === '' ? '' : `?after=${encodeURIComponent(lastId)}`}`, {
      signal: AbortSignal.any([left, silent.signal]),
    });
    if (!answer.ok || answer.body === null) return answer.status;
    connection.value = 'live';
    for await (const { id, data } of messagesIn(answer.body, alive)) {
      lastId = id;
      const next = JSON.parse(data) as LiveChange;
      if (paused.value) held.value = next;
      else change.value = next;
    }
    return answer.status;
  } finally {
    clearTimeout(timer);
  }
}

/** Opens the stream, and closes it while the page is not seen: a browser has six connections to a host. */
export function followLog(): void {
  const followWhileSeen = (): void => {
    if (document.visibilityState === 'visible') open();
    else close();
  };
  document.addEventListener('visibilitychange', followWhileSeen);
  addEventListener('pagehide', close);
  // Also when a key was given.
  effect(() => {
    if (!needsKey.value) untracked(followWhileSeen);
  });
}
