// The little of Markdown that the pages of the reference need.

/** @param cell text of one cell */
const cellText = (cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A table: `head` names the columns, `rows` are cells. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map(cellText).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text of at most 120 columns a line. */
export function paragraph(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > 120) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

export const code = (text) => `\`${text}\``;
