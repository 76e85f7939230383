/** Several questions in one response: each is judged on its own, and the verdict is the share of those that are right. */
import type { VerifierSpec } from '@seamstream/events';
import { judgedEnd } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Judge, Verifier } from './verifier.types.js';

const NAME = 'passage@1';
const MOST_QUESTIONS = 100;
/** Characters of an answer's line that are judged. */
const MAX_LINE = 500;

/** @param judgeFor the judge of one question */
export function passageVerifier(judgeFor: (spec: VerifierSpec, reference: string) => Judge): Verifier {
  return {
    kind: 'passage',
    version: '1',
    options: { answers: 'exact, numeric or choice: who judges each answer; default exact' },
    prepare(reference, options) {
      const kind = new OptionReader(NAME, options).choice('answers', ['exact', 'numeric', 'choice']);
      const judges = referencesIn(reference).map((each) => judgeFor({ kind, version: '1', options: {} }, each));
      return async (text, context) => {
        const answers = answersByNumber(text, judges.length);
        const verdicts = await Promise.all(
          judges.map(async (judge, index) => {
            const answer = answers.get(index + 1);
            return answer === undefined ? null : judge(`Answer: ${answer}`, context);
          }),
        );
        const right = verdicts.filter((verdict) => verdict?.success === true).length;
        const wrong = verdicts.flatMap((verdict, index) => (verdict?.success === true ? [] : [index + 1]));
        const said = wrong.length === 0 ? '' : `; not ${wrong.join(', ')}`;
        return {
          success: right === judges.length,
          share: right / judges.length,
          extractedAnswer: answers.size === 0 ? null : [...answers].map(([n, answer]) => `${n}: ${answer}`).join('\n'),
          detail: `${right} of ${judges.length} questions right${said}`,
        };
      };
    },
  };
}

function referencesIn(reference: string): readonly string[] {
  let references: unknown;
  try {
    references = JSON.parse(reference);
  } catch {
    references = undefined;
  }
  const isList =
    Array.isArray(references) &&
    references.length > 0 &&
    references.length <= MOST_QUESTIONS &&
    references.every((each) => typeof each === 'string');
  if (isList) return references as string[];
  const expected = `a JSON array of 1 to ${MOST_QUESTIONS} texts`;
  throw badReference(NAME, expected, reference, 'Publish the problem with one reference for each question.');
}

/** The last line of each number, in the order of the numbers; numbers beyond the questions are none. */
function answersByNumber(text: string, questions: number): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const line of judgedEnd(text).split('\n')) {
    const [, digits, answer] = /^[ *]{0,8}(\d{1,3})[ *]{0,4}[:.)][ *]{0,4}(\S.*)$/.exec(line.slice(0, MAX_LINE)) ?? [];
    const number = Number(digits);
    if (answer !== undefined && number >= 1 && number <= questions) found.set(number, answer.trimEnd());
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}
