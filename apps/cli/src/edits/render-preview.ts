/** Prompts, documents and what the filters say, as text. Pure. */
import { onOneLine, withoutControls } from '@seamstream/kernel';
import type { EditPreview, PassagePreview } from '@seamstream/operations/edits';
import type { Style } from '../terminal/style.js';

export function renderPreview({ kind, passages, tokens }: EditPreview, style: Style): string {
  return `${[`kind ${kind}`, ...passages.map((passage) => renderPassage(passage, tokens, style))].join('\n\n')}\n`;
}

function renderPassage(preview: PassagePreview, tokens: EditPreview['tokens'], style: Style): string {
  const { row, title, prompt, documents, refused } = preview;
  const heading = style.bold(`row ${row}${title === null ? '' : `: ${onOneLine(title)}`}`);
  const asked = prompt === null ? 'Nothing is asked.' : `${style.dim('prompt')}\n${withoutControls(prompt)}`;
  const made = (documents ?? []).map(
    (document, at) => `${style.dim(`document ${at + 1}`)}\n${withoutControls(document)}`,
  );
  return [heading, asked, ...made, ...(refused === undefined ? [] : [verdict(refused, tokens)])].join('\n');
}

function verdict(refused: NonNullable<PassagePreview['refused']> | null, tokens: EditPreview['tokens']): string {
  const estimate = tokens === 'estimated' ? ' (tokens estimated)' : '';
  if (refused === null) return `The filters keep it${estimate}.`;
  const figures = Object.entries(refused.figures).map(([name, figure]) => `${name} ${Number(figure.toFixed(3))}`);
  return `The filters refuse it as ${refused.reason}: ${figures.join(', ')}${estimate}.`;
}
