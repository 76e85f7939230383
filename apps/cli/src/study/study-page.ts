/** A study of controls as one HTML page, of the pieces that the demonstration's report is made of. */

import type { ControlRow, ControlRowResult, ControlsStudy } from '@seamstream/evaluation';
import { plural, shortId } from '@seamstream/kernel';
import { bars, escapeHtml, page, table } from '@seamstream/standalone';
import { faithfulSentence } from '../evaluate/render-evaluation.js';
import {
  EXPLANATION,
  leakSentences,
  ROW_MEANING,
  STUDY_TITLES,
  studyRows,
  TIME_EXPLANATION,
  TIME_TITLES,
  timeRows,
} from './study-facts.js';

export function renderStudyPage(study: ControlsStudy, adapter: string | null): string {
  const rows = Object.entries(study.rows) as [ControlRow, ControlRowResult][];
  const times = timeRows(study);
  const paragraph = (text: string): string => (text === '' ? '' : `<p class="soft">${escapeHtml(text)}</p>`);
  return page(
    'Study of controls',
    `<h1>Study of controls</h1>
${paragraph(`${plural(study.problems, 'problem')} (set ${shortId(study.problemSetDigest)}), adapter ${adapter === null ? 'none: the base model' : shortId(adapter)}.`)}
<h2>Success</h2>
${bars(rows.filter(([, { problems }]) => problems > 0).map(([row, { success }]) => [ROW_MEANING[row], success]))}
<h2>Rows</h2>
${table(STUDY_TITLES, studyRows(study))}
${paragraph(EXPLANATION)}
${study.leaks === null ? '' : `<h2>Answers in entries</h2>${paragraph(leakSentences(study.leaks))}`}
${paragraph(faithfulSentence(study.faithful))}
${times.length === 0 ? '' : `<h2>Time to correct</h2>${table(TIME_TITLES, times)}${paragraph(TIME_EXPLANATION)}`}`,
  );
}
