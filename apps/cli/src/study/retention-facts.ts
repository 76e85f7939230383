/** A study of retention as rows of text, the same for a terminal and for a page. Pure. */
import type { RetentionArm, RetentionResult } from '@seamstream/evaluation';
import { count, plural } from '@seamstream/kernel';
import type { RetentionReport } from '@seamstream/operations/evaluate';
import { inPoints } from './study-facts.js';

export const ARM_MEANING: Readonly<Record<RetentionArm, string>> = {
  plain: 'each edit after the last one',
  replay: 'earlier edits are learned again with each one',
  gate: 'an edit that costs too much is not merged',
  together: 'all edits in one training',
};

export const RETENTION_TITLES = ['ARM', 'GAIN', 'FORGETTING', 'NET', 'AHEAD OF PLAIN', 'REFUSED', ''] as const;

export const RETENTION_EXPLANATION =
  'In points. Gain: right after the own edit, less before any. Forgetting: right after the own edit, less at the end. Net: at the end, less before any. 95 % intervals over passages, of which each is the mean of all seeds.';

const NOTHING = '–';

/** Under {@link RETENTION_TITLES}. */
export function retentionRows({ arms }: RetentionReport): string[][] {
  return arms.map(({ arm, gain, forgetting, net, ahead, refused }) => [
    arm,
    ...[gain, forgetting, net, ahead].map(inPoints),
    count(refused),
    ARM_MEANING[arm],
  ]);
}

/** Titles of {@link placeRows}: one for each place of a sequence. */
export function placeTitles({ passages }: RetentionReport): string[] {
  return ['', ...Array.from({ length: passages }, (_, at) => `D${at + 1}`)];
}

const share = (value: number | null): string => (value === null ? NOTHING : value.toFixed(3));

/** Scores by place in the sequence: before any edit, right after the own one, and at the end. */
export function placeRows({ places }: RetentionResult): string[][] {
  const row = (title: string, of: (place: RetentionResult['places'][number]) => number | null): string[] => [
    title,
    ...places.map((place) => share(of(place))),
  ];
  return [
    row('before any edit', ({ before }) => before),
    row('right after its own edit', ({ learned }) => learned),
    row('after all edits', ({ final }) => final),
  ];
}

/** The whole matrix: a row for each edit, a column for each place. */
export function matrixRows({ matrix }: RetentionResult): string[][] {
  return matrix.map((row, at) => [matrix.length === 1 ? 'after all edits' : `after edit ${at + 1}`, ...row.map(share)]);
}

export function retentionSentence({ passages, seeds, measure, before }: RetentionReport): string {
  return `${plural(passages, 'passage')}, ${plural(seeds.length, 'sequence')}, ${measure === 'f1' ? 'F1' : 'exact match'}; before any edit ${share(before)}.`;
}
