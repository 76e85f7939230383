/**
 * What tool configurations are worth, from recorded attempts at tasks on grids: the arms next to each other, what each switch changes, and
 * the configuration that would have been the best fixed one. Pure. Intervals at 95 % are over tasks, since attempts at one task are alike.
 */
import {
  AUGMENTATION_FAMILIES,
  cellAccuracy,
  isSameGrid,
  parseGrid,
  readAttempts,
  readToolConfiguration,
  type ToolConfiguration,
} from '@seamstream/grid-tasks';
import { sha256 } from '@seamstream/kernel';
import { boundedMean, type Estimate, mean } from '@seamstream/statistics';

/** An attempt as the log has it, with its whole problem. */
export interface RecordedAttempt {
  readonly problemId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The grid that is right. */
  readonly reference: string;
  /** JSON text of the configuration; '' for the fixed one, null where nothing was trained. */
  readonly entry: string | null;
  readonly response: string;
}

export const GRID_ARMS = ['inContext', 'fixed', 'configured'] as const;
type GridArm = (typeof GRID_ARMS)[number];

export interface ArmFigures {
  readonly attempts: number;
  readonly tasks: number;
  /** Share of attempts that are right: the mean over tasks; null without tasks. */
  readonly right: Estimate | null;
  /** Share of cells of the better grid that agree, likewise. */
  readonly cells: Estimate | null;
  /** Tasks of which every output was answered right in some attempt. */
  readonly solvedTasks: number;
}

export const SWITCHES = [...AUGMENTATION_FAMILIES, 'output-tokens'] as const;
export type Switch = (typeof SWITCHES)[number];

interface SwitchFigures {
  readonly on: number;
  readonly off: number;
  /** Tasks with attempts of both. */
  readonly tasks: number;
  /** Share that is right with the switch on less the share with it off: the mean over these tasks; null without any. */
  readonly effect: Estimate | null;
}

interface BestFixed {
  /** Switches that are on, as chosen on either half of the tasks; what was chosen on one half is measured on the other. */
  readonly chosen: readonly (readonly Switch[])[];
  readonly tasks: number;
  readonly right: Estimate | null;
}

export interface GridReport {
  readonly attempts: number;
  readonly tasks: number;
  readonly arms: Readonly<Record<GridArm, ArmFigures>>;
  readonly switches: Readonly<Record<Switch, SwitchFigures>>;
  /** Configurations that could not be carried out, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  readonly bestFixed: BestFixed;
}

interface Judged {
  readonly task: string;
  readonly problemId: string;
  /** Outputs that the task asks for. */
  readonly outputs: number;
  readonly arm: GridArm;
  readonly isRight: boolean;
  readonly cells: number;
  /** Undefined of the other arms, and of an entry that is no configuration. */
  readonly configuration: ToolConfiguration | undefined;
  readonly failure: string | undefined;
}

/** The report on attempts, in any order. */
export function gridReport(attempts: readonly RecordedAttempt[]): GridReport {
  const judged = attempts.map(judge);
  const configured = judged.filter(({ configuration }) => configuration !== undefined);
  const failures: Record<string, number> = {};
  for (const { failure } of judged) if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  const figures = <Name extends string, Figures>(names: readonly Name[], of: (name: Name) => Figures) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Figures>;
  return {
    attempts: judged.length,
    tasks: byTask(judged).size,
    arms: figures(GRID_ARMS, (arm) => armFigures(judged.filter((each) => each.arm === arm))),
    switches: figures(SWITCHES, (name) => switchFigures(configured, name)),
    failures,
    bestFixed: bestFixed(configured),
  };
}

const FAILURE = /^No attempt: ([a-z-]+) \(/;

function judge({ problemId, metadata, reference, entry, response }: RecordedAttempt): Judged {
  const truth = parseGrid(reference);
  const grids = readAttempts(response);
  const read = entry === null || entry === '' ? undefined : readToolConfiguration(entry);
  return {
    task: metadata.task ?? problemId,
    problemId,
    outputs: Number(metadata.testInputs ?? 1),
    arm: entry === null ? 'inContext' : entry === '' ? 'fixed' : 'configured',
    isRight: grids.some((grid) => isSameGrid(grid, truth)),
    cells: Math.max(0, ...grids.map((grid) => cellAccuracy(grid, truth))),
    configuration: read?.value,
    failure: FAILURE.exec(response)?.[1],
  };
}

const byTask = (judged: readonly Judged[]) => Map.groupBy(judged, ({ task }) => task);
const rightShare = (judged: readonly Judged[]): number => mean(judged.map(({ isRight }) => (isRight ? 1 : 0)));

function armFigures(judged: readonly Judged[]): ArmFigures {
  const tasks = [...byTask(judged).values()];
  const solved = tasks.filter((task) => {
    const right = new Set(task.filter(({ isRight }) => isRight).map(({ problemId }) => problemId));
    return right.size >= task[0]!.outputs;
  });
  return {
    attempts: judged.length,
    tasks: tasks.length,
    right: boundedMean(tasks.map(rightShare), [0, 1]),
    cells: boundedMean(
      tasks.map((task) => mean(task.map(({ cells }) => cells))),
      [0, 1],
    ),
    solvedTasks: solved.length,
  };
}

function isOn({ configuration }: Judged, name: Switch): boolean {
  if (name === 'output-tokens') return configuration!.training.strategy === 'train_using_output_tokens';
  return configuration!.data_generation[`use_${name}_augmentations`];
}

/** Within tasks, so that which tasks a switch was tried on does not decide. */
function switchFigures(configured: readonly Judged[], name: Switch): SwitchFigures {
  const differences: number[] = [];
  let on = 0;
  for (const task of byTask(configured).values()) {
    const [withIt, without] = [task.filter((each) => isOn(each, name)), task.filter((each) => !isOn(each, name))];
    on += withIt.length;
    if (withIt.length > 0 && without.length > 0) differences.push(rightShare(withIt) - rightShare(without));
  }
  return {
    on,
    off: configured.length - on,
    tasks: differences.length,
    effect: boundedMean(differences, [-1, 1]),
  };
}

/**
 * A fixed choice of the switches, chosen on other tasks than it is measured on. Rates and epochs vary within a choice: two configurations
 * that a model writes are seldom equal in these.
 */
function bestFixed(configured: readonly Judged[]): BestFixed {
  const half = ({ task }: Judged): number => Number.parseInt(sha256(task).slice(0, 2), 16) % 2;
  const chosen: Switch[][] = [];
  const shares: number[] = [];
  for (const own of [0, 1]) {
    const choices = Map.groupBy(
      configured.filter((each) => half(each) === own),
      choiceOf,
    );
    const ranked = [...choices].map(([choice, judged]) => ({
      choice,
      value: mean([...byTask(judged).values()].map(rightShare)),
    }));
    const [best] = ranked.sort((a, b) => b.value - a.value || (a.choice < b.choice ? -1 : 1));
    if (best === undefined) continue;
    chosen.push(SWITCHES.filter((name) => best.choice.split(' ').includes(name)));
    const measured = configured.filter((each) => half(each) !== own && choiceOf(each) === best.choice);
    shares.push(...[...byTask(measured).values()].map(rightShare));
  }
  return { chosen, tasks: shares.length, right: boundedMean(shares, [0, 1]) };
}

const choiceOf = (judged: Judged): string => SWITCHES.filter((name) => isOn(judged, name)).join(' ');
