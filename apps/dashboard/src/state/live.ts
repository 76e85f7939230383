/** What changes while one looks: one stream of the read models' changes, closed while the page is hidden. */
import { computed, signal } from '@preact/signals';
import type { Overview } from '@seamstream/operations/views';

interface LiveChange {
  readonly position: Readonly<Record<string, number>>;
  readonly at: number;
  readonly overview: Overview;
}

type Connection = 'connecting' | 'live' | 'lost';

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

let source: EventSource | undefined;

function open(): void {
  if (source !== undefined) return;
  source = new EventSource(`/api/stream${lastId === '' ? '' : `?after=${encodeURIComponent(lastId)}`}`);
  const take = (message: MessageEvent<string>): void => {
    lastId = message.lastEventId;
    const next = JSON.parse(message.data) as LiveChange;
    if (paused.value) held.value = next;
    else change.value = next;
  };
  source.addEventListener('snapshot', take);
  source.addEventListener('change', take);
  source.onopen = () => {
    connection.value = 'live';
  };
  source.onerror = () => {
    connection.value = 'lost';
    // An answer that was refused is not tried again by the browser.
    if (source?.readyState === EventSource.CLOSED) {
      close();
      setTimeout(open, 2000);
    }
  };
}

function close(): void {
  source?.close();
  source = undefined;
}

/** Opens the stream, and closes it while the page is not seen: a browser has six connections to a host. */
export function followLog(): void {
  const follow = (): void => {
    if (document.visibilityState === 'visible') open();
    else close();
  };
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', close);
  follow();
}
