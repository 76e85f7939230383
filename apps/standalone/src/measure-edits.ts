/** What is measured when the rounds of the self-edits demonstration are over: what edits are worth on passages that decided nothing before. */
import { trainableExecutor } from '@seamstream/environments';
import { type EditArm, studySelfEdits } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { editText } from '@seamstream/experience';
import { type Adapter, decodeAdapter } from '@seamstream/language-model';
import { generateExperiences } from '@seamstream/rollout';
import { entryKind, trainingDocuments } from '@seamstream/self-edits';
import { askedPassage } from '@seamstream/tasks';
import type { Host } from './host-services.js';
import { learnedRounds, type MeasureRunInput, roundsFacts } from './measure-run.js';
import { type EditsReport, holds, type IterationRow } from './report/edits-report.js';
import { exploredOf, type LoopProgress, rate } from './round-progress.js';
import { heldOutPassages } from './world-files.js';

/**
 * An endpoint's edits are not part of a demonstration. As many tokens of the passage alone would be the passage alone: all documents are one
 * step here, and a repeated one does not change its mean.
 */
const ARMS: readonly EditArm[] = ['nothing', 'passage', 'before', 'after'];
/** Trainings of each edit. */
const SEEDS = ['1'];

export async function measureEditsRun(input: MeasureRunInput): Promise<EditsReport> {
  const { host, progress, own, run } = input;
  const { served } = progress.adapters;
  const problems = own?.measured ?? heldOutPassages(run.settings.seed, input.heldOut);
  const { study, example } = await measureEdits(host, served, problems, input.say);
  return {
    method: 'self-edits',
    ...{ study, example, iterations: iterationsOf(progress), served: served?.adapterDigest ?? null },
    ...(await roundsFacts(input, 'held-out passages of the demonstration')),
    converged: holds(study),
  };
}

function iterationsOf(progress: LoopProgress): readonly IterationRow[] {
  return learnedRounds(progress).map(({ row, figure, end }) => ({
    ...{ round: row.round, attempts: row.byAdapter.executed + row.byBase.executed },
    solved: rate(exploredOf(row)) ?? 0,
    ...{ meanReward: figure('meanReward'), rewardStd: figure('rewardStd') },
    rewards: row.rewards,
    ...{ gainingShare: figure('gainingShare'), keptEntries: figure('keptEntries'), ...end },
  }));
}

/**
 * Every arm on every passage. Edits are drawn, as in the rounds: a writer's most likely edit says little of what it writes.
 * @param served null: nothing was promoted, and both writers are the base model
 */
async function measureEdits(
  host: Host,
  served: { readonly adapterDigest: string; readonly key: string } | null,
  problems: readonly Problem[],
  say: (activity: string) => void,
): Promise<Pick<EditsReport, 'study' | 'example'>> {
  const adapter =
    served === null
      ? null
      : decodeAdapter(await host.drivers.objects.get(served.key), { digest: served.adapterDigest });
  const written = {
    before: await editsBy(null, host, problems),
    after: await editsBy(adapter, host, problems),
  };
  const kind = entryKind(host.entrySchemas)!;
  const places = new Map(problems.map(({ problemId }, at) => [problemId, at]));
  const documents = ({ problemId, prompt }: Problem, writer: keyof typeof written): readonly string[] | null => {
    const text = written[writer][places.get(problemId)!] ?? null;
    return text === null ? null : trainingDocuments(kind, text, askedPassage(prompt)!);
  };
  const study = await studySelfEdits(problems, {
    executor: trainableExecutor(host.executor, 'measure self-edits'),
    prompts: host.prompts,
    innerUpdate: host.innerUpdate,
    seeds: SEEDS,
    arms: ARMS,
    edits: (problem) => ({ before: documents(problem, 'before'), after: documents(problem, 'after') }),
    onTrial: ({ arm }, done, total) => say(`measuring self-edits: ${arm} ${done}/${total}`),
  });
  const at = problems.findIndex((_, index) => written.before[index] !== null && written.after[index] !== null);
  return {
    study,
    example: at < 0 ? null : { prompt: problems[at]!.prompt, before: written.before[at]!, after: written.after[at]! },
  };
}

/** An edit of each problem, as the generator draws them in the rounds; null where none could be written. */
async function editsBy(
  adapter: Adapter | null,
  { generator, prompts, schemaFor, sampling }: Host,
  problems: readonly Problem[],
): Promise<readonly (string | null)[]> {
  const written = await generateExperiences(
    problems.map((problem) => ({ eventId: problem.problemId, problem })),
    {
      ...{ model: generator, adapter, prompts, sampling, groupSize: 1 },
      schemaFor: (domain) => schemaFor(domain),
    },
  );
  return written.map((each) => {
    const entry = each.status === 'explored' ? each.candidates[0]?.entry : undefined;
    return entry === undefined ? null : editText(entry);
  });
}
