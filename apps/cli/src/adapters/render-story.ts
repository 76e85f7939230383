/** What an adapter changed against its parent, and where adapters were in use. Pure. */
import type { ProblemDifference } from '@seamstream/events';
import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { AdapterChanges, ListedUse, ListedUses } from '@seamstream/operations/read-models';
import type { Style } from '../terminal/style.js';
import { type Column, renderFacts, renderTable } from '../terminal/table.js';
import { timeText } from '../terminal/text.js';

export function renderChanges(changes: AdapterChanges, style: Style): string {
  const { parent, problemSet, problems, rescued, broken, differences, onlyCounted } = changes;
  const of = parent === null ? 'the base model' : shortId(parent);
  if (rescued === null || broken === null || problemSet === null)
    return `It was not asked the same problems as its parent (${of}), side by side.\n`;
  const head = `Of ${plural(problems, 'problem')} of ${onOneLine(problemSet)} it rescued ${count(rescued)} that its parent (${of}) did not solve, and broke ${count(broken)}.\n`;
  const rest = onlyCounted === 0 ? '' : `${plural(onlyCounted, 'further one', 'further ones')} the log only counts.\n`;
  return `${head}${differences.map((each) => `\n${renderDifference(each, style)}`).join('')}${rest === '' ? '' : `\n${rest}`}`;
}

function renderDifference(of: ProblemDifference, style: Style): string {
  const told = (text: string | null): string => (text === null ? '–' : onOneLine(text));
  return renderFacts(
    [
      [
        of.rescued ? style.green('rescued') : style.yellow('broken'),
        `${onOneLine(of.problemId)} (${onOneLine(of.domain)})`,
      ],
      ['question', onOneLine(of.question)],
      ['entry before', told(of.parentEntry)],
      ['answer before', told(of.parentAnswer)],
      ['entry after', told(of.entry)],
      ['answer after', told(of.answer)],
    ],
    style,
  );
}

const USE_COLUMNS: readonly Column[] = [
  { title: 'ADAPTER' },
  { title: '#', align: 'right' },
  { title: 'STATUS' },
  { title: 'EXPERIENCES', align: 'right' },
  { title: 'EXPLORED', align: 'right' },
  { title: 'FIRST' },
  { title: 'LAST' },
  { title: 'FINGERPRINT' },
  { title: 'RELEASES' },
];

export function renderUse({ uses, unknown }: ListedUses, style: Style): string {
  if (uses.length === 0 && unknown === null) return 'No experience was written yet.\n';
  const rows = uses.map((use) => useRow(use, style));
  if (unknown === null) return renderTable(USE_COLUMNS, rows, style);
  const { digests, experiences, explored, lastAt, latest } = unknown;
  const last = lastAt === null ? '–' : timeText(lastAt);
  const row = [style.yellow('unknown'), '–', '–', count(experiences), count(explored), '–', last, '–', ''];
  const named = latest.length === 0 ? '' : ` Last in use: ${latest.map((digest) => onOneLine(digest)).join(', ')}.`;
  return `${renderTable(USE_COLUMNS, [...rows, row], style)}\nUnknown: ${plural(digests, 'digest')} of no published adapter.${named}\n`;
}

function useRow(use: ListedUse, style: Style): string[] {
  const { adapterDigest, version, status, isServed, experiences, explored, firstAt, lastAt, fingerprint } = use;
  return [
    adapterDigest === null ? 'base' : shortId(adapterDigest),
    version === null ? '–' : String(version),
    isServed ? style.green('served') : (status ?? '–'),
    count(experiences),
    count(explored),
    timeText(firstAt),
    timeText(lastAt),
    fingerprint === null ? '–' : onOneLine(fingerprint),
    use.releases
      .map(
        ({ releaseId, asCandidate, asParent }) =>
          `${shortId(releaseId)}: ${count(asCandidate)} as candidate, ${count(asParent)} as parent`,
      )
      .join('; '),
  ];
}
