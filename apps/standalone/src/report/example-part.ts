/** The part of a page that shows single problems: what the executor was given, what it answered, and whether that is right. */
import type { Prediction } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { escapeHtml } from './page-pieces.js';

/** Who wrote the entry, what it is, and what the executor answered with it. */
interface ShownAnswer {
  readonly title: string;
  /** Absent where the executor was asked without one; null where none could be written. */
  readonly entry?: string | null;
  /** Null where the executor was not asked. */
  readonly response: string | null;
  readonly solved: boolean;
}

interface ShownProblem {
  readonly domain: string;
  readonly prompt: string;
  readonly reference: string;
  readonly answers: readonly ShownAnswer[];
}

/** A problem with what was said about it, one answer next to another. */
export function renderProblem({ domain, prompt, reference, answers }: ShownProblem): string {
  return `<p class="soft">A problem of ${escapeHtml(domain)}; the right answer is ${escapeHtml(reference)}.</p><pre>${escapeHtml(prompt)}</pre><div class="example">${answers.map(renderAnswer).join('')}</div>`;
}

function renderAnswer({ title, entry, response, solved }: ShownAnswer): string {
  const given =
    entry === undefined
      ? ''
      : `<p class="soft">experience</p><pre>${escapeHtml(entry ?? 'none could be written')}</pre>`;
  return `<div><b>${title}: ${solved ? 'solved' : 'not solved'}</b>${given}<p class="soft">answer</p><pre>${escapeHtml(response ?? 'was not asked')}</pre></div>`;
}

/** Arms whose answers are shown, in the order of learning. */
const SHOWN_ARMS = ['noExperience', 'untrained', 'trained'] as const;
type ShownArm = (typeof SHOWN_ARMS)[number];

type Said = Pick<Prediction, 'entry' | 'response'> & { readonly solved: boolean };

/** One problem through all arms that are shown. */
type ToldProblem = Pick<ShownProblem, 'domain' | 'prompt' | 'reference'> & {
  readonly problemId: string;
} & Readonly<Record<ShownArm, Said>>;

/** Problems that rules choose, so that no person does. */
export interface Examples {
  /** That were asked in all arms. */
  readonly problems: number;
  /** The first, in the order of the set, that only the trained generator's entry solves; null where there is none. */
  readonly learned: ToldProblem | null;
  /** The first that the trained generator's entry does not solve, and how many there are; null where there is none. */
  readonly failed: ToldProblem | null;
  readonly failures: number;
}

/** Takes the predictions of a study as they are made, and chooses from them when all are there. */
export class ExampleChoice {
  readonly #said = new Map<string, Said>();

  constructor(private readonly problems: readonly Problem[]) {}

  take({ arm, problem, entry, response, success }: Prediction): void {
    if ((SHOWN_ARMS as readonly string[]).includes(arm))
      this.#said.set(`${arm}/${problem}`, { entry, response, solved: success === true });
  }

  chosen(): Examples {
    const told = this.problems.flatMap((problem, at) => this.#told(problem, at) ?? []);
    const failed = told.filter(({ trained }) => !trained.solved);
    const isLearned = (each: ToldProblem): boolean =>
      !each.noExperience.solved && !each.untrained.solved && each.trained.solved;
    return {
      problems: told.length,
      learned: told.find(isLearned) ?? null,
      failed: failed[0] ?? null,
      failures: failed.length,
    };
  }

  #told({ problemId, domain, prompt, reference }: Problem, at: number): ToldProblem | null {
    const [noExperience, untrained, trained] = SHOWN_ARMS.map((arm) => this.#said.get(`${arm}/${at}`));
    if (noExperience === undefined || untrained === undefined || trained === undefined) return null;
    return { problemId, domain, prompt, reference: reference ?? '', noExperience, untrained, trained };
  }
}

const TITLES: Readonly<Record<ShownArm, string>> = {
  noExperience: 'Without an experience',
  untrained: 'Untrained generator',
  trained: 'Trained generator',
};

function shownProblem(told: ToldProblem): ShownProblem {
  const answers = SHOWN_ARMS.map((arm): ShownAnswer => {
    const { entry, response, solved } = told[arm];
    const answer = { title: TITLES[arm], response, solved };
    return arm === 'noExperience' ? answer : { ...answer, entry };
  });
  const { domain, prompt, reference } = told;
  return { domain, prompt, reference, answers };
}

function howMany(failures: number): string {
  if (failures === 0) return 'There is none.';
  return failures === 1 ? 'It is the only one.' : `There are ${failures} of them.`;
}

/** Both problems with the rules that chose them. @param what the problems of the set, in words */
export function renderExamples({ problems, learned, failed, failures }: Examples, what: string): string {
  const set = `${problems} ${what}, in their order`;
  return `<h2>One problem, before and after</h2>
<p class="soft">Chosen by a rule: the first of the ${escapeHtml(set)}, that the executor solves neither alone nor with the untrained generator's entry, and solves with the trained one's.</p>
${learned === null ? '<p class="soft">There is none.</p>' : renderProblem(shownProblem(learned))}
<h2>One problem that it still fails</h2>
<p class="soft">Chosen by a rule: the first of the ${escapeHtml(set)}, that the executor does not solve with the trained generator's entry. ${howMany(failures)}</p>
${failed === null ? '' : renderProblem(shownProblem(failed))}`;
}
