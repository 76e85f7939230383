/** `seam eval --team`: the options that belong to it alone, and its result as a table. */
import { onOneLine, plural, SeamError, shortId } from '@seamstream/kernel';
import { type EvaluatedTeam, evaluateTeam, type TeamRequest } from '@seamstream/operations/evaluate';
import { Option } from 'commander';
import { personOf, wholeNumber } from '../command-options.js';
import type { CommandRuntime } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { askingModels } from './asking-options.js';
import { renderJudges } from './render-judges.js';
import { estimateCell } from './render-sampled-evaluation.js';
import { renderUnjudged } from './render-unjudged.js';

/** As `seam eval` has them. */
export interface TeamOptions extends Omit<TeamRequest, 'team' | 'maxTokens'> {
  readonly team?: string;
  readonly maxTokens?: number;
}

const MAX_TOKENS = 256;

/** What an evaluation of an adapter has, and one of a team has not. */
const NOT_OF_TEAMS = ['arms'];

export function teamOptions(): Option[] {
  return [
    new Option('--team <file>', 'measure a team of agents instead (YAML or JSON: docs/teams.md)').conflicts(
      NOT_OF_TEAMS,
    ),
    new Option(
      '--vote',
      'with --team: each agent answers by itself and the majority counts, regardless of its topology',
    ),
    new Option('--max-tokens <n>', `with --team: most tokens of a turn (default: ${MAX_TOKENS})`).argParser(
      wholeNumber('--max-tokens', 1, 131_072),
    ),
  ];
}

/** @throws INVALID_INPUT for an option of teams without one */
export function isOfTeam<Given extends Omit<TeamOptions, 'adapter'>>(
  options: Given,
): options is Given & { readonly team: string } {
  if (options.team !== undefined) return true;
  const given = options.vote ? '--vote' : options.maxTokens !== undefined ? '--max-tokens' : undefined;
  if (given === undefined) return false;
  throw new SeamError('INVALID_INPUT', `Cannot evaluate: expected --team FILE with ${given}, got none. Name the team.`);
}

export async function teamEvaluation(
  runtime: CommandRuntime,
  path: string | undefined,
  request: Omit<TeamRequest, 'maxTokens'> & { readonly maxTokens?: number },
): Promise<ExitCode> {
  const { terminal } = runtime;
  const { maxTokens = MAX_TOKENS, record, by } = request;
  if (record === undefined && by !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot evaluate: expected --record with --by, got none. Add --record, or leave --by out.',
    );
  const signed = record === undefined ? {} : { by: await personOf(runtime, by) };
  const { result } = await askingModels(
    runtime,
    [],
    ({ result: figures, ...facts }: EvaluatedTeam) => {
      if (terminal.json) terminal.printJson({ ...facts, ...figures });
      else terminal.print(render({ ...facts, result: figures }, terminal.style));
    },
    (observer) => evaluateTeam(runtime, path, { ...request, ...signed, maxTokens }, observer),
  );
  return result.problems > 0 ? EXIT.ok : EXIT.failedCheck;
}

function render(evaluated: EvaluatedTeam, style: Style): string {
  const { result, topology, agents, given, samples, drawing, problemSetDigest, teamDigest } = evaluated;
  const { answers, passAt, meanAt, majorityAt, ties, perAgent } = result;
  const rows = [
    ...Object.entries(perAgent).map(([name, estimate]) => [`avg@${samples} of ${name}`, estimateCell(estimate)]),
    [`avg@${answers}`, estimateCell(meanAt)],
    ...Object.entries(passAt)
      .filter(([k]) => Number(k) > 1)
      .map(([k, estimate]) => [`pass@${k}`, estimateCell(estimate)]),
    [style.bold(`majority@${answers}`), estimateCell(majorityAt)],
  ].map((cells) => cells.map(onOneLine));
  const table = renderTable([{ title: 'FIGURE' }, { title: 'SUCCESS', align: 'right' }], rows, style);
  const names = agents.map(({ name }) => name).join(', ');
  const how = topology === 'vote' ? 'each answers, and the majority counts' : 'each reads what came before';
  return `${table}\n${renderUnjudged([result], 'problem', 'could not be asked and count nowhere')}${renderJudges([result])}${plural(ties, 'vote')} tied: the answer that came first decides. In brackets: 95 %, over the problems (Agresti and Coull).
${plural(given, 'problem')} (set ${shortId(problemSetDigest)}), ${plural(agents.length, 'agent')} (${onOneLine(names)}; ${how}), ${teamDigest === null ? 'their base models' : `team ${shortId(teamDigest)}`}, temperature ${drawing.temperature}, top-p ${drawing.topP}.\n`;
}
