/** Rollouts of a team: every agent takes its turn on a problem, in groups; then the frozen executor and the verifier judge. */
import { answerOnce, type Environment, type ExecutorAnswer } from '@seamstream/environments';
import { answerClasses, judgeOf } from '@seamstream/evaluation';
import type { GradedProblem, Problem } from '@seamstream/events';
import { asData, type EntrySchemas, groundedSchema } from '@seamstream/experience';
import { canonicalJson, derivedId, SeamError, sha256 } from '@seamstream/kernel';
import type { Adapter, SamplingSettings } from '@seamstream/language-model';
import { encodePrompt, type GeneratorModel, type JudgedBy } from '@seamstream/rollout';
import { majorityVote } from '@seamstream/statistics';
import type { JsonSchema } from '@seamstream/token-grammar';
import { builtInVerifiers, finalAnswer, type Verifiers } from '@seamstream/verifiers';
import { type Agent, askedOf, type Team } from './team.js';

/** What one agent did in a rollout, with everything that cannot be measured again later. */
export interface Turn {
  readonly agent: string;
  readonly promptTokenIds: readonly number[];
  readonly tokenIds: readonly number[];
  /** ln of each token's probability under the distribution that it was drawn from, in nats; 0 where forced. */
  readonly logProbs: readonly number[];
  readonly forced: readonly boolean[];
  readonly text: string;
  /** Null: the bare base model. */
  readonly adapterDigest: string | null;
}

export interface TeamRollout {
  readonly rolloutId: string;
  readonly problem: Problem;
  /** Of the problem's group, from 0. */
  readonly candidate: number;
  /** In the order of the agents. */
  readonly turns: readonly Turn[];
  /** By turn: false where its most tokens cut it off, and where it was not taken. Absent of a rollout that was read from the log. */
  readonly finished?: readonly boolean[];
  /** By turn: why it was not taken and has no text; null where it was. Absent where all were. */
  readonly untaken?: readonly (string | null)[];
  /** What the team came to: an entry, or an answer; null where none could be formed. */
  readonly outcome: string | null;
  readonly response: string;
  readonly success: boolean;
  readonly reward: number;
  /** The model whose opinion the verdict is; null or absent where none was asked, or a record of an earlier version does not say. */
  readonly judgedBy?: JudgedBy;
}

/** An agent with what computes it. */
export interface AgentModel {
  readonly agent: Agent;
  readonly model: GeneratorModel;
  readonly adapter: Adapter | null;
}

/** How far an agent is with its turns of a batch. */
export interface TurnProgress {
  readonly agent: string;
  readonly done: number;
  readonly total: number;
}

export interface RolloutSettings {
  readonly team: Team;
  /** In the order of the team. */
  readonly agents: readonly AgentModel[];
  readonly groupSize: number;
  readonly sampling: SamplingSettings;
  readonly schemaFor: EntrySchemas;
  /** The frozen executor; null where the team writes texts. */
  readonly environment: Environment | null;
  /** Default: the built-in ones, without a model that judges. */
  readonly verifiers?: Verifiers | undefined;
  /** What a prompt means that leaves no room for its turn: an error (the default), or a rollout without an answer. */
  readonly tooLong?: 'error' | 'no answer';
  /** Ids and seeds follow from it. */
  readonly seed: string;
  /** Receives now and then how many turns of an agent are written. */
  readonly onTurns?: ((progress: TurnProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The rollouts of every problem, group by group, in order. What a rollout comes to depends on its own problem, seed and weights only.
 * @throws INVALID_CONFIGURATION before an agent is asked, for problems that a model has to judge where none does; VERIFIER_FAILED and
 * others where a verdict cannot be had
 */
export async function rollOutTeam(
  problems: readonly GradedProblem[],
  settings: RolloutSettings,
): Promise<readonly TeamRollout[]> {
  const { team, agents, groupSize, seed, verifiers = builtInVerifiers } = settings;
  verifiers.assertCanJudge(problems);
  const states = problems.flatMap((problem) =>
    Array.from({ length: groupSize }, (_, candidate) => ({
      problem,
      candidate,
      rolloutId: derivedId(seed, `rollout/${problem.problemId}`, candidate),
      turns: [] as Turn[],
      finished: [] as boolean[],
      untaken: [] as (string | null)[],
    })),
  );
  // 1. Turn by turn, all rollouts together.
  for (const each of agents) {
    settings.signal?.throwIfAborted();
    const taken = await turnsOf(each, states, settings);
    states.forEach((state, at) => {
      const { turn, finished, untaken } = taken[at]!;
      state.turns.push(turn);
      state.finished.push(finished);
      state.untaken.push(untaken);
    });
  }
  // 2. What the team came to, and what that is worth.
  const outcomes = await Promise.all(
    states.map(async (state) => (isCutShort(team, state) ? null : outcomeOf(team, state, verifiers))),
  );
  const answers = await answersTo(states, outcomes, settings);
  return Promise.all(
    states.map(async ({ rolloutId, problem, candidate, turns, finished, untaken }, at): Promise<TeamRollout> => {
      const answer = answers[at];
      const facts = { rolloutId, problem, candidate, turns, finished, untaken, outcome: outcomes[at] ?? null };
      if (answer === undefined) return { ...facts, response: '', success: false, reward: 0 };
      const { success, reward, judgedBy = null } = await judgeOf('the team', problem, answer, verifiers);
      return { ...facts, response: answer.text, success, reward, judgedBy };
    }),
  );
}

/** Why no agent could be asked about the problem in any sample; null where one was. A sample that an agent could not be asked in is no answer. */
export function whyUnasked(rollouts: readonly TeamRollout[]): string | null {
  const reasons = rollouts.flatMap(({ turns, untaken = turns.map(() => null) }) => untaken);
  return reasons.includes(null) ? null : (reasons[0] ?? null);
}

/** A rollout under way. */
interface RolloutState {
  readonly problem: GradedProblem;
  readonly rolloutId: string;
  readonly turns: readonly Turn[];
  readonly untaken: readonly (string | null)[];
}

/** What several rollouts ask an agent alike. */
interface AskedPrompt {
  readonly prompt: number[];
  readonly schema: JsonSchema | undefined;
  /** Of these rollouts. */
  readonly places: number[];
}

/** A turn, and what its rollout notes of it. */
interface TakenTurn {
  readonly turn: Turn;
  readonly finished: boolean;
  readonly untaken: string | null;
}

/** Whether an agent of a chain was not asked: those after it have nothing to read. */
function isCutShort({ topology }: Team, { untaken }: Pick<RolloutState, 'untaken'>): boolean {
  return topology === 'chain' && untaken.some((reason) => reason !== null);
}

/** Equal prompts are computed once: agents that agree make the next one cheaper. */
async function turnsOf(
  { agent, model, adapter }: AgentModel,
  states: readonly RolloutState[],
  { team, sampling, schemaFor, signal, tooLong = 'error', onTurns }: RolloutSettings,
): Promise<readonly TakenTurn[]> {
  const asked = new Map<string, AskedPrompt>();
  states.forEach((state, place) => {
    if (isCutShort(team, state)) return;
    const { problem, turns } = state;
    const before = team.topology === 'vote' ? '' : turns.map(({ text }) => `${asData(text)}\n`).join('');
    const text = askedOf(agent, { problem: asData(problem.prompt), before });
    const known = asked.get(`${problem.problemId}\n${text}`);
    if (known === undefined) {
      const schema = agent.field === null ? undefined : fieldSchema(agent.field, problem, schemaFor);
      asked.set(`${problem.problemId}\n${text}`, { prompt: encodePrompt(model, text), schema, places: [place] });
    } else known.places.push(place);
  });
  const room = model.config.maxPositions - sampling.maxTokens;
  const [requests = [], unfitting = []] = [true, false].map((fits) =>
    [...asked.values()].filter(({ prompt }) => prompt.length <= room === fits),
  );
  const refusalOf = ({ prompt }: AskedPrompt): string =>
    `Cannot ask agent ${agent.name}: expected at most ${model.config.maxPositions} tokens, got a prompt of ${prompt.length} and a turn of ${sampling.maxTokens}. Shorten problem or role.`;
  if (tooLong === 'error' && unfitting.length > 0) throw new SeamError('PROMPT_TOO_LONG', refusalOf(unfitting[0]!));
  const adapterDigest = adapter?.digest ?? null;
  const without = { agent: agent.name, promptTokenIds: [], tokenIds: [], logProbs: [], forced: [], text: '' };
  const taken = states.map(({ untaken }): TakenTurn => {
    const reason = untaken.find((each) => each !== null) ?? null;
    return { turn: { ...without, adapterDigest }, finished: false, untaken: reason };
  });
  for (const each of unfitting)
    for (const place of each.places) taken[place] = { ...taken[place]!, untaken: refusalOf(each) };
  let done = 0;
  const written = (finished: readonly number[]): void => {
    done += finished.reduce((sum, request) => sum + requests[request]!.places.length, 0);
    onTurns?.({ agent: agent.name, done, total: states.length });
  };
  written([]);
  const generated = await model.generate(
    requests.map(({ prompt, schema, places }) => ({
      promptTokenIds: prompt,
      seeds: places.map((place) => turnSeed(states[place]!.rolloutId, agent.name)),
      sampling,
      ...(schema === undefined ? {} : { schema }),
    })),
    {
      ...(adapter === null ? {} : { adapter }),
      ...(signal === undefined ? {} : { signal }),
      onProgress: ({ finished }) => written(finished.map(({ request }) => request)),
    },
  );
  requests.forEach(({ prompt, places }, request) =>
    places.forEach((place, at) => {
      const { tokenIds, logProbs, forced, finishReason } = generated[request]![at]!;
      const turn: Turn = {
        agent: agent.name,
        promptTokenIds: prompt,
        // As the log holds them: who learns from the record learns the same.
        ...{ tokenIds, logProbs: logProbs.map(Math.fround), forced },
        text: model.tokenizer.decode(tokenIds),
        adapterDigest,
      };
      taken[place] = { turn, finished: finishReason === 'completed', untaken: null };
    }),
  );
  return taken;
}

export function turnSeed(rolloutId: string, agent: string): string {
  return derivedId(rolloutId, `turn/${agent}`);
}

/** By schema and field: grammars are remembered by the schema's object. */
const fieldSchemas = new WeakMap<JsonSchema, Map<string, JsonSchema>>();

/** The schema of an entry that has one field of it, narrowed to what the problem says. */
export function fieldSchema(
  field: string,
  { domain, prompt }: Pick<Problem, 'domain' | 'prompt'>,
  schemaFor: EntrySchemas,
): JsonSchema {
  const whole = schemaFor(domain);
  const known = fieldSchemas.get(whole) ?? new Map<string, JsonSchema>();
  fieldSchemas.set(whole, known);
  const properties = whole.properties as Readonly<Record<string, JsonSchema>>;
  const own: JsonSchema = known.get(field) ?? {
    ...whole,
    properties: { [field]: properties[field]! },
    required: [field],
  };
  known.set(field, own);
  return groundedSchema(own, prompt);
}

/** An entry of the agents' fields, the answer that most gave, or the last one's. */
export async function outcomeOf(
  { topology, agents }: Team,
  { problem, turns }: { readonly problem: GradedProblem; readonly turns: readonly Pick<Turn, 'text'>[] },
  verifiers: Verifiers = builtInVerifiers,
): Promise<string | null> {
  if (topology === 'vote') {
    const answers = turns.map(({ text }) => finalAnswer(text));
    return majorityOf(answers, problem, verifiers);
  }
  if (agents.every(({ field }) => field === null)) return turns.at(-1)?.text ?? null;
  const entry: Record<string, unknown> = {};
  for (const { text } of turns) Object.assign(entry, fieldsIn(text));
  return Object.keys(entry).length === agents.length ? JSON.stringify(entry) : null;
}

function fieldsIn(text: string): object {
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : {};
  } catch {
    return {}; // a turn that was cut off at its most tokens
  }
}

/**
 * The answer that most agents gave, as the first of them wrote it; of equally many the first. Null where none was given. Answers that the
 * problem's verifier takes for one another are one, as in an evaluation of the team.
 */
export async function majorityOf(
  answers: readonly (string | null)[],
  { verifier }: Pick<GradedProblem, 'verifier'>,
  verifiers: Verifiers = builtInVerifiers,
): Promise<string | null> {
  const { winner } = majorityVote(await answerClasses(answers, verifier, verifiers));
  return winner === null ? null : answers[winner]!;
}

async function answersTo(
  states: readonly { readonly problem: GradedProblem }[],
  outcomes: readonly (string | null)[],
  { team, environment, signal }: RolloutSettings,
): Promise<
  readonly (Extract<ExecutorAnswer, { status: 'answered' }> | { text: string; finished: true } | undefined)[]
> {
  if (team.agents.every(({ field }) => field === null))
    return outcomes.map((outcome) =>
      outcome === null
        ? undefined
        : { text: team.topology === 'vote' ? `Answer: ${outcome}` : outcome, finished: true },
    );
  if (environment === null)
    throw new SeamError('INTERNAL', 'Cannot roll out a team: expected an executor for its entries, got none.');
  // Equal entries of a problem are executed once.
  const asked = new Map<string, { readonly problem: GradedProblem; readonly entry: string }>();
  states.forEach(({ problem }, at) => {
    const entry = outcomes[at];
    if (entry != null) asked.set(`${problem.problemId} ${entry}`, { problem, entry });
  });
  const answers = await answerOnce(
    environment,
    [...asked.values()].map(({ problem, entry }) => ({
      problem: { problemId: problem.problemId, domain: problem.domain, prompt: problem.prompt },
      entry,
      seed: derivedId(problem.problemId, sha256(canonicalJson(entry))),
    })),
    { signal },
  );
  const byKey = new Map([...asked.keys()].map((key, at) => [key, answers[at]!]));
  return states.map(({ problem }, at) => {
    const answer = outcomes[at] === null ? undefined : byKey.get(`${problem.problemId} ${outcomes[at]}`)!;
    if (answer === undefined || answer.status === 'answered') return answer;
    throw new SeamError(
      answer.code,
      `Cannot roll out a team: the executor failed at problem ${problem.problemId}: ${answer.reason}`,
    );
  });
}
