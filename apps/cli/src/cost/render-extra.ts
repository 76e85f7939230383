/** What an extra solved problem costs, as text. Pure. */
import { count, onOneLine, rounded, shortId } from '@seamstream/kernel';
import type { ExtraCost, ExtraGroup, ExtraSolved, PartCost } from '@seamstream/operations/cost';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { moneyText, partText } from './money.js';

const HOUR_MS = 3_600_000;

export function renderExtra(
  { rows, isCausal, besides }: ExtraCost,
  by: ExtraGroup,
  currency: string | null,
  style: Style,
): string {
  const unit = currency ?? 'MONEY';
  const right = 'right' as const;
  const columns = [
    { title: 'WITH ENTRIES' },
    ...['PROBLEMS', `EXECUTOR ${unit}`, `GENERATOR ${unit}`, 'EXTRA SOLVED', `${unit} FOR EACH`].map((title) => ({
      ...{ title, align: right },
    })),
  ];
  const { exploration, shadow, training, trainingMs } = besides;
  return [
    '\nWhat treated problems cost more than controls, and for each problem that is solved in addition (at any look):\n',
    renderTable(
      columns,
      rows.map((row) => cellsOf(row, by)),
      style,
    ),
    isCausal
      ? ''
      : 'Not causal: arms are not as they were drawn, so extra solved problems may come from that. See "seam lift".\n',
    ...[
      ['Exploration', exploration],
      ['Shadow', shadow],
      ['Training by replies of a model', training],
    ].map(([name, part]) => partLine(name as string, part as PartCost)),
    trainingMs === 0
      ? ''
      : `Training runs: ${(trainingMs / HOUR_MS).toFixed(1)} hours; no price is declared for time.\n`,
    'Verifier: unknown, the log has no usage of it.\n',
  ].join('');
}

function cellsOf({ name, problems, extraCost, extraSolved, perExtra, shown }: ExtraSolved, by: ExtraGroup): string[] {
  const isDigest = by === 'adapter' && name !== 'base';
  return [
    name === null ? 'all' : isDigest ? shortId(name) : onOneLine(name),
    count(problems),
    ...[extraCost.executor, extraCost.generator].map((each) => (each === null ? 'unknown' : signed(each))),
    extraSolved === null ? 'unknown' : ratio(extraSolved, rounded),
    perExtra !== null ? ratio(perExtra, signed) : WHY[shown],
  ];
}

const WHY: Readonly<Record<ExtraSolved['shown'], string>> = {
  // Only a price can be missing then.
  extra: 'unknown: a price is missing',
  'not shown': 'not shown to solve any extra problem',
  harm: 'fewer problems are solved',
  unknown: 'unknown',
};

const ratio = (
  { value, interval: [low, high] }: NonNullable<ExtraSolved['perExtra']>,
  text: (each: number) => string,
) => `${text(value)} (${text(low)} to ${text(high)})`;

const signed = (micros: number): string => `${micros < 0 ? '−' : ''}${moneyText(Math.round(Math.abs(micros)))}`;

function partLine(name: string, part: PartCost): string {
  return part.items === 0 ? '' : `${name}: ${partText(part)}.\n`;
}
