/** Light, dark, or as the system has it. Kept by the browser. */
import { effect, signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const kept = localStorage.getItem('theme');
const chosen = signal<Theme>(THEMES.find((each) => each === kept) ?? 'auto');
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});

/** What is chosen, and what it comes to. */
export const theme = {
  get value(): 'light' | 'dark' {
    return chosen.value === 'auto' ? (systemIsDark.value ? 'dark' : 'light') : chosen.value;
  },
};
export const chosenTheme = chosen;

export function nextTheme(): void {
  chosen.value = THEMES[(THEMES.indexOf(chosen.value) + 1) % THEMES.length]!;
}

effect(() => {
  localStorage.setItem('theme', chosen.value);
  if (chosen.value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen.value;
});
