/** The keyboard: one list at a time has j, k and Enter; Esc closes what is open. */
import { signal } from '@preact/signals';
import { togglePause } from './live.js';

interface KeyList {
  move(by: number): void;
  open(): void;
  close(): void;
}

let list: KeyList | undefined;
export const helpIsOpen = signal(false);

/** Gives a list the keys, until the returned function is called. */
export function withKeys(own: KeyList): () => void {
  list = own;
  return () => {
    if (list === own) list = undefined;
  };
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (isTyping(event.target)) (event.target as HTMLElement).blur();
      helpIsOpen.value = false;
      list?.close();
      return;
    }
    if (isTyping(event.target)) return;
    // A link or button that has the focus keeps its Enter.
    const hasOwnEnter = event.target instanceof HTMLElement && event.target.matches('a, button, summary');
    const act: Readonly<Record<string, (() => void) | undefined>> = {
      '/': () => document.getElementById('search')?.focus(),
      '?': () => {
        helpIsOpen.value = !helpIsOpen.value;
      },
      p: togglePause,
      j: () => list?.move(1),
      k: () => list?.move(-1),
      Enter: hasOwnEnter ? undefined : () => list?.open(),
    };
    const own = act[event.key];
    if (own === undefined) return;
    event.preventDefault();
    own();
  });
}
