/** A study of controls for a terminal. Pure. */

import type { ControlsStudy } from '@seamstream/evaluation';
import { plural, shortId } from '@seamstream/kernel';
import { faithfulSentence } from '../evaluate/render-evaluation.js';
import { renderJudges } from '../evaluate/render-judges.js';
import { renderUnjudged } from '../evaluate/render-unjudged.js';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import {
  EXPLANATION,
  leakSentences,
  STUDY_TITLES,
  studyRows,
  TIME_EXPLANATION,
  TIME_TITLES,
  timeRows,
} from './study-facts.js';

/** The first and the last column are words, the others figures. */
function columns(titles: readonly string[]): Column[] {
  return titles.map((title, at) => ({ title, align: at === 0 || title === '' ? 'left' : 'right' }));
}

export function renderStudy(study: ControlsStudy, adapter: string | null, style: Style): string {
  const rows = studyRows(study).map((row) => (row[0] === 'trained' ? [style.bold('trained'), ...row.slice(1)] : row));
  const times = timeRows(study);
  const leaks = leakSentences(study.leaks);
  return [
    renderTable(columns(STUDY_TITLES), rows, style),
    `${EXPLANATION}\n`,
    renderUnjudged(Object.values(study.rows), 'answer', 'could not be had or judged and count in no row'),
    renderJudges(Object.values(study.rows)),
    ...(leaks === '' ? [] : [`\n${leaks}\n`]),
    faithfulSentence(study.faithful),
    ...(times.length === 0 ? [] : [`\n${renderTable(columns(TIME_TITLES), times, style)}${TIME_EXPLANATION}\n`]),
    `\n${plural(study.problems, 'problem')} (set ${shortId(study.problemSetDigest)}), adapter ${adapter === null ? 'none: the base model' : shortId(adapter)}.\n`,
  ].join('');
}
