/**
 * What a model is trained on from an edit, as the authors of SEAL prepare it:
 *
 *   edit ─► pieces: at `---`, and by kind at line ends or at "Question n:" ─► each "title\npiece" … and last "title\npassage"
 *
 * Lines: where the second one begins with "1.", the first announces the list and is left out. Questions: the request ends with
 * "Question 1:", so the text begins with the first question; where it repeats the words, what precedes them is left out.
 */
import type { Division, Passage, SelfEditKind } from './self-edit-kinds.js';

/** Three dashes or more. */
const SEPARATOR = '---';
/** As models write it: also in bold, or as a heading. */
const QUESTION = /(?:#{1,6} )?(?:\*\*)?Question \d{1,6}:(?:\*\*)?/;
const FIRST_QUESTION = /(?:#{1,6} )?(?:\*\*)?Question 1:/;

const PIECES: Readonly<Record<Division, (text: string) => readonly string[]>> = {
  lines: (text) => {
    const pieces = linesOf(text);
    return pieces[1]?.startsWith('1.') === true ? pieces.slice(1) : pieces;
  },
  questions: (text) => {
    const start = text.search(FIRST_QUESTION);
    return piecesAt(QUESTION, start < 0 ? text : text.slice(start)).flatMap(separatedPieces);
  },
  whole: separatedPieces,
};

function piecesAt(separator: RegExp, text: string): string[] {
  const pieces: string[] = [];
  for (const part of text.split(separator)) {
    const piece = part.trim();
    if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

/** A pattern of dashes would need a stack as deep as a line of them is long. What is left of a line's last dashes belongs to it. */
function separatedPieces(text: string): string[] {
  const [first, ...others] = text.split(SEPARATOR);
  const pieces: string[] = [];
  for (const part of [first!, ...others.map((other) => other.replace(/^--?/, ''))]) {
    const piece = part.trim();
    if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

/** Separators at line ends and at dashes. Few lines have dashes: a pattern for both takes twice the time. */
function linesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const line of text.split('\n')) {
    const piece = line.trim();
    if (piece.includes(SEPARATOR)) for (const part of separatedPieces(piece)) pieces.push(part);
    else if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

/** The pieces of an edit, in their order, without title and passage; none for a kind of which nothing is written. */
export function editPieces({ template, division }: SelfEditKind, text: string): readonly string[] {
  return template === null ? [] : PIECES[division](text);
}

/** The documents of an edit, in their order; the last one is the passage. Linear in the text's length. */
export function trainingDocuments(kind: SelfEditKind, text: string, { title, passage }: Passage): readonly string[] {
  const titled = (document: string): string => (title === null ? document : `${title}\n${document}`);
  const documents = editPieces(kind, text).map(titled);
  documents.push(titled(passage.trim()));
  return documents;
}
