/** Which facts are learned, as text. Pure. */
import { count, onOneLine, percent } from '@seamstream/kernel';
import type { LearnedFact, LearnedFactsAnswer } from '@seamstream/operations/read-models';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

/** @param tally of verdicts; nothing where there are none */
function rate({ outcomes, successes }: { readonly outcomes: number; readonly successes: number }): string {
  return outcomes === 0 ? '–' : percent(successes / outcomes);
}

function row({ domain, fact, without, before, now }: LearnedFact): string[] {
  return [
    onOneLine(domain),
    onOneLine(fact),
    rate(without),
    rate(before),
    now === null ? '–' : rate(now),
    now === null ? '–' : count(now.outcomes),
    now === null ? '–' : `v${now.version}`,
  ];
}

export function renderLearned({ facts, leftOut }: LearnedFactsAnswer, style: Style): string {
  if (facts.length === 0) return 'No problem with a verdict names the facts that it depends on (metadata.facts).\n';
  const table = renderTable(
    [
      { title: 'DOMAIN' },
      { title: 'FACT' },
      { title: 'WITHOUT', align: 'right' },
      { title: 'UNTRAINED', align: 'right' },
      { title: 'NEWEST', align: 'right' },
      { title: 'ANSWERS', align: 'right' },
      { title: 'ADAPTER', align: 'right' },
    ],
    facts.map(row),
    style,
  );
  const full = leftOut === 0 ? '' : `${count(leftOut)} verdicts are on facts beyond the 500 of their domain.\n`;
  return `${table}${full}`;
}
