/**
 * Questions that are in files more than once: the same after normalisation, or nearly the same (Jaccard similarity of their
 * word shingles). Candidates come from the success buffer's MinHash index; each reported pair was compared itself, so a chain
 * of small changes makes no pair of its two ends.
 *
 * Memory: per different question its text and about 700 bytes, per repetition a row number and its answer.
 */
import { NearDuplicateClusters } from '@seamstream/near-duplicates';
import { normalisedQuestion, questionWords } from './question.js';

export interface DuplicateSettings {
  /** Similarity from which two questions are near duplicates, 0.5 to 1. Default 0.8, as in the success buffer. */
  readonly threshold?: number;
  /** Words per shingle. Default 3, as in the success buffer. */
  readonly shingleWords?: number;
}

/** A row whose question stands elsewhere too. */
export interface Duplicate {
  readonly row: number;
  /** Where: number of the file as it was added, and its row. */
  readonly otherFile: number;
  readonly otherRow: number;
  /** Jaccard similarity of the shingle sets; 1 and `exact` where the questions are the same after normalisation. */
  readonly similarity: number;
  readonly kind: 'exact' | 'near';
  /** Both rows state the same answer. A question with two answers has a wrong one. */
  readonly sameAnswer: boolean;
}

interface Occurrence {
  readonly file: number;
  readonly row: number;
  readonly answer: string;
}

export class QuestionIndex {
  private readonly numbers = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly occurrences: Occurrence[][] = [];
  private readonly clusters: NearDuplicateClusters;
  private readonly threshold: number;
  private readonly shingleWords: number;

  constructor({ threshold = 0.8, shingleWords = 3 }: DuplicateSettings = {}) {
    this.threshold = threshold;
    this.shingleWords = shingleWords;
    this.clusters = new NearDuplicateClusters({ threshold, shingleWords });
  }

  /** Number of different questions. */
  get size(): number {
    return this.texts.length;
  }

  /** Adds a row's question. `file` is any number that distinguishes the files; rows of a file come in ascending order. */
  add(file: number, row: number, question: string, answer: string): void {
    const normalised = normalisedQuestion(question);
    let number = this.numbers.get(normalised);
    if (number === undefined) {
      const words = questionWords(normalised);
      number = this.clusters.add(words.join(' '));
      this.numbers.set(normalised, number);
      this.texts.push(normalised);
      this.occurrences.push([]);
    }
    this.occurrences[number]!.push({ file, row, answer: answer.trim() });
  }

  /** Rows of a file whose question is in an earlier row of it, ascending; at most one counterpart for each. */
  within(file: number): Duplicate[] {
    return this.duplicates((number) => {
      const own = this.occurrences[number]!.filter((each) => each.file === file);
      return { rows: own, counterparts: own.slice(0, 1) };
    }, true);
  }

  /** Rows of a file whose question is in one of the other files, ascending; at most one counterpart for each. */
  across(file: number, others: readonly number[]): Duplicate[] {
    return this.duplicates((number) => {
      const all = this.occurrences[number]!;
      return {
        rows: all.filter((each) => each.file === file),
        counterparts: all.filter((each) => others.includes(each.file)).slice(0, 1),
      };
    }, false);
  }

  private duplicates(
    roles: (number: number) => { readonly rows: readonly Occurrence[]; readonly counterparts: readonly Occurrence[] },
    isEarlier: boolean,
  ): Duplicate[] {
    const found: Duplicate[] = [];
    for (const members of Map.groupBy(this.texts.keys(), (number) => this.clusters.clusterOf(number)).values()) {
      const shingles = new Map<number, ReadonlySet<string>>();
      const shinglesOf = (number: number): ReadonlySet<string> => {
        const set = shingles.get(number) ?? shingleSet(this.texts[number]!, this.shingleWords);
        shingles.set(number, set);
        return set;
      };
      const questions = members.map((number) => ({ number, ...roles(number) }));
      const counterparts = questions.flatMap(({ number, counterparts: [first] }) =>
        first === undefined ? [] : [{ number, ...first }],
      );
      for (const { number, rows } of questions) {
        if (rows.length === 0) continue;
        const same = counterparts.find((other) => other.number === number);
        // Within a file the first row of a question may still be near to an earlier row of another question.
        const near =
          same !== undefined && !isEarlier
            ? undefined
            : counterparts
                .filter((other) => other.number !== number && (!isEarlier || other.row < rows[0]!.row))
                .map((other) => ({ ...other, similarity: jaccard(shinglesOf(number), shinglesOf(other.number)) }))
                .find(({ similarity }) => similarity >= this.threshold);
        for (const { row, answer, file } of rows) {
          const isExact = same !== undefined && !(same.file === file && same.row === row);
          const other = isExact ? { ...same, similarity: 1 } : near;
          if (other === undefined) continue;
          found.push({
            row,
            otherFile: other.file,
            otherRow: other.row,
            similarity: other.similarity,
            kind: isExact ? 'exact' : 'near',
            sameAnswer: answer === other.answer,
          });
        }
      }
    }
    return found.sort((a, b) => a.row - b.row);
  }
}

/** As the success buffer's: a text shorter than a shingle is one shingle of all its words. */
function shingleSet(normalised: string, size: number): ReadonlySet<string> {
  const words = questionWords(normalised);
  const width = Math.min(size, words.length);
  const shingles = new Set<string>();
  for (let at = 0; at + width <= words.length && width > 0; at++) shingles.add(words.slice(at, at + width).join(' '));
  return shingles;
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = a.intersection(b).size;
  return a.size + b.size === 0 ? 1 : shared / (a.size + b.size - shared);
}
