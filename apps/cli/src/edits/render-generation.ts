/** The result of writing edits, as text and as JSON. Pure. */
import { count, onOneLine, plural } from '@seamstream/kernel';
import type {
  AugmentedLine,
  EditCounts,
  EditsInspection,
  Generating,
  GenerationState,
} from '@seamstream/operations/edits';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

export interface GenerationFacts extends EditCounts {
  readonly file: string;
  /** Null: into the cache alone. */
  readonly out: string | null;
  readonly kind: string;
  readonly writer: Generating['writer'];
  /** Of this run: edits that the cache had, and that the model wrote. */
  readonly cached: number;
  readonly written: number;
  /** Null where nothing was asked for. */
  readonly hitRate: number | null;
  readonly tokens: Generating['tokens'];
  readonly seconds: number;
}

export function generationFacts(
  { kind, writer, tokens }: Generating,
  { counts, cached, written }: GenerationState,
  { file, out, ms }: { readonly file: string; readonly out: string | null; readonly ms: number },
): GenerationFacts {
  const failed = Object.values(counts.unaugmented).reduce((sum, each) => sum + each, 0);
  const asked = cached + written + failed;
  return {
    ...{ file, out, kind, writer, ...counts, cached, written },
    hitRate: asked === 0 ? null : cached / asked,
    ...{ tokens, seconds: ms / 1000 },
  };
}

export function renderGeneration(facts: GenerationFacts, style: Style): string {
  const { out, cached, written, hitRate, tokens, seconds } = facts;
  const estimated = tokens === 'estimated' ? ' (tokens estimated)' : '';
  return renderFacts(
    [
      ...countFacts(facts, estimated),
      ['from the cache', `${count(cached)} of ${count(cached + written)}, hit rate ${percent(hitRate)}`],
      ['time', `${seconds.toFixed(1)} s`],
      ['written to', out === null ? 'the cache' : onOneLine(out)],
    ],
    style,
  );
}

function countFacts(counts: EditCounts, note = ''): [string, string][] {
  return [
    ['passages', count(counts.passages)],
    ['edits', `${count(counts.edits)}, of which ${count(counts.kept)} are kept`],
    ['refused', `${byName(counts.refused)}${note}`],
    ['not written', byName(counts.unaugmented)],
    ['documents', count(counts.documents)],
  ];
}

function byName(counts: Readonly<Record<string, number>>): string {
  const named = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return named.length === 0 ? 'none' : named.map(([name, each]) => `${count(each)} ${onOneLine(name)}`).join(', ');
}

/** About how long it takes, in the unit that a person would say. */
export function remaining(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${minutes} min left` : `about ${(minutes / 60).toFixed(1)} h left`;
}

export function renderEdits({ counts, kinds, models, shown }: EditsInspection, style: Style): string {
  const facts = renderFacts(
    [
      ['kind', onOneLine(kinds.join(', '))],
      ['written by', models.length === 0 ? 'no model' : onOneLine(models.join(', '))],
      ...countFacts(counts),
    ],
    style,
  );
  return [facts, ...shown.map((line) => renderLine(line, style))].join('\n');
}

function renderLine(
  { row, number, title, edit, documents, refused, unaugmented }: AugmentedLine,
  style: Style,
): string {
  const figures = Object.entries(refused?.figures ?? {}).map(
    ([name, figure]) => `${name} ${Number(figure.toFixed(3))}`,
  );
  const verdict =
    unaugmented !== null
      ? `not written after ${plural(unaugmented.tries, 'try', 'tries')}, ${unaugmented.code}: ${unaugmented.reason}`
      : refused !== null
        ? `refused as ${refused.reason}: ${figures.join(', ')}${refused.of === undefined ? '' : `, like row ${refused.of}`}`
        : 'kept';
  return renderFacts(
    [
      ['row', `${row}${number === 0 ? '' : `, edit ${number + 1}`}${title === null ? '' : `: ${onOneLine(title)}`}`],
      ['edit', edit === null ? 'none' : onOneLine(edit)],
      ['filters', onOneLine(verdict)],
      ...documents.map((document, at): [string, string] => [`document ${at + 1}`, onOneLine(document)]),
    ],
    style,
  );
}
