/** What parts of the work have cost, and what an extra solved problem costs, by the prices and results of a log. */
import { type EventMeta, type EventOf, type SeamEvent, tenantOf } from '@seamstream/events';
import type { Lift } from '@seamstream/read-models';
import { NEWEST_RULE } from '@seamstream/release';
import { type Estimate, type LiftStage, liftInterval } from '@seamstream/statistics';
import { type DeclaredLimits, moneyAt } from '../quotas/index.js';
import { type EstimateMemory, liftAnswers, liftOfTenant, wentAsDrawn } from '../read-models/index.js';
import {
  type ArmsCost,
  type ExtraSolved,
  extraSolvedOf,
  NO_COST,
  type PartCost,
  plusItem,
} from './extra-solved.decide.js';
import { moneyOfEntry } from './problem-cost.js';
import { SeenIds } from './seen-ids.js';
import { type Executed, moneyOfAttempt } from './spent-cost.js';

/** What extra solved problems are told apart by. */
export const EXTRA_GROUPS = ['arm', 'domain', 'adapter', 'tenant'] as const;
export type ExtraGroup = (typeof EXTRA_GROUPS)[number];

export interface ExtraCost {
  /** All of the treated arm last, under the name null. */
  readonly rows: readonly ExtraSolved[];
  /** False: an experiment of deployed problems did not go as it was drawn, so that extra solved problems may come from that. */
  readonly isCausal: boolean;
  /** What else was paid, in no row above. */
  readonly besides: {
    /** Attempts and entries of groups to learn from. */
    readonly exploration: PartCost;
    /** Of candidates that wrote next to the served adapter. */
    readonly shadow: PartCost;
    /** Replies of a model that trained a library. */
    readonly training: PartCost;
    /** Wall-clock time of training runs, in milliseconds: no price is declared for it. */
    readonly trainingMs: number;
    /** The log has no usage of verifiers. */
    readonly verifier: null;
  };
}

const NOTHING: ArmsCost = { treated: NO_COST, control: NO_COST, generator: NO_COST };
/** Of all problems. */
const ALL = '';

interface ExtraWanted {
  readonly lift: Lift;
  /** Whose problems were added alone; undefined: all. Of its domains and of adapters no lift is known. */
  readonly tenant: string | undefined;
  /** Of earlier answers; this one is added. */
  readonly estimates: EstimateMemory | undefined;
}

/** Adds up what was paid for. Problems come before what was done for them, since their mode says in which sum that is. */
export class ExtraSums {
  private readonly arms = new Map<string, ArmsCost>();
  private exploration = NO_COST;
  private shadow = NO_COST;
  private training = NO_COST;
  private trainingMs = 0;
  /** Problems of tenants to learn from: their controls are compared with groups. */
  private readonly explored = new SeenIds();

  constructor(
    private readonly by: ExtraGroup,
    private readonly declared: DeclaredLimits,
  ) {}

  publish({ meta, mode, problem }: EventOf<'ProblemPublished'>): void {
    if (mode === 'explore') this.explored.add(tenantsProblem(meta, problem));
  }

  /** @param event of an attempt the first alone */
  add(event: SeamEvent): void {
    switch (event.type) {
      case 'ExperienceGenerated':
        this.addEntry(event);
        break;
      case 'AnswerRecorded':
      case 'OutcomeRecorded':
        this.addAttempt(event);
        break;
      case 'LibraryReplyRecorded': {
        const used = { prompt: event.promptTokens, cached: 0, completion: event.responseTokens };
        this.training = plusItem(this.training, moneyAt(this.declared, event.model, event.meta.occurredAt, used));
        break;
      }
      case 'TrainingRunCompleted':
        this.trainingMs += event.durationMs;
        break;
      default:
    }
  }

  cost(wanted: ExtraWanted): ExtraCost {
    const { exploration, shadow, training, trainingMs } = this;
    return {
      rows: rowsOf(this.arms, this.by, wanted),
      isCausal: wentAsDrawn(wanted.lift.modes.find(({ mode }) => mode === 'deploy')?.experiments ?? []),
      besides: { exploration, shadow, training, trainingMs, verifier: null },
    };
  }

  private addEntry(entry: EventOf<'ExperienceGenerated'>): void {
    const money = moneyOfEntry(entry, this.declared);
    if (entry.arm === 'explore') this.exploration = plusItem(this.exploration, money);
    else if (isOfShadow(entry)) this.shadow = plusItem(this.shadow, money);
    else this.addTo(entry, (cost) => ({ ...cost, generator: plusItem(cost.generator, money) }));
  }

  private addAttempt(executed: Executed): void {
    const money = moneyOfAttempt(executed, this.declared);
    const { arm, meta, problem } = executed;
    if (arm === 'explore' || this.explored.has(tenantsProblem(meta, problem)))
      this.exploration = plusItem(this.exploration, money);
    else if (isOfShadow(executed)) this.shadow = plusItem(this.shadow, money);
    else {
      const part = arm === 'control' ? 'control' : 'treated';
      this.addTo(executed, (cost) => ({ ...cost, [part]: plusItem(cost[part], money) }));
    }
  }

  private addTo(of: Executed | EventOf<'ExperienceGenerated'>, change: (cost: ArmsCost) => ArmsCost): void {
    const { arms, by } = this;
    const adapter = of.arm === 'control' ? undefined : (of.adapterDigest ?? 'base');
    const own = by === 'domain' ? of.problem.domain : by === 'tenant' ? tenantOf(of.meta) : adapter;
    const names = by === 'arm' || own === undefined ? [ALL] : [ALL, `=${own}`];
    for (const name of names) arms.set(name, change(arms.get(name) ?? NOTHING));
  }
}

/** Two tenants may give their problems the same id. */
const tenantsProblem = (meta: EventMeta, { problemId }: { readonly problemId: string }): string =>
  `${tenantOf(meta)}/${problemId}`;

/** A problem that is deployed has one candidate, and a second one where a release shadows it. */
const isOfShadow = ({ arm, candidateIndex }: { readonly arm: string; readonly candidateIndex: number }): boolean =>
  arm === 'deploy' && candidateIndex > 0;

function rowsOf(
  arms: ReadonlyMap<string, ArmsCost>,
  by: ExtraGroup,
  { lift, tenant, estimates }: ExtraWanted,
): readonly ExtraSolved[] {
  const all = arms.get(ALL);
  if (all === undefined) return [];
  const whole = tenant === undefined ? liftOfDeployed(lift, estimates) : liftOfTenant(tenant, lift);
  const liftOf = (name: string): Estimate | null => {
    if (by === 'tenant') return liftOfTenant(name, lift);
    // Of one tenant domains are not counted apart, nor are adapters.
    if (tenant !== undefined) return null;
    if (by === 'adapter') return liftOfAdapter(name, lift);
    return liftOfDeployed(lift, estimates, name);
  };
  const single = [...arms]
    .filter(([name]) => name !== ALL)
    .sort(([, a], [, b]) => b.treated.items - a.treated.items)
    .map(([marked, cost]) => {
      const name = marked.slice(1);
      // No control belongs to an adapter: all of them say what a control costs.
      return extraSolvedOf(name, by === 'adapter' ? { ...cost, control: all.control } : cost, liftOf(name));
    });
  return [...single, extraSolvedOf(null, all, whole)];
}

/**
 * Of deployed problems, or of those of one domain. An interval takes time in which a gateway does nothing else, so what is not shown
 * here is not estimated: other modes, the course, checks of experiments.
 */
function liftOfDeployed(lift: Lift, estimates: EstimateMemory | undefined, domain?: string): Estimate | null {
  const deployed = lift.modes.find(({ mode }) => mode === 'deploy');
  const of = domain === undefined ? deployed : deployed?.domains.find((each) => each.domain === domain);
  if (deployed === undefined || of === undefined) return null;
  const alone = { ...deployed, counts: of.counts, domains: [], series: [], experiments: [] };
  return liftAnswers({ ...lift, modes: [alone] }, estimates).modes[0]!.lift;
}

/** Against the controls that were drawn while it was served: guards count them. It is no decision, so the newest rule counts for all guards. */
function liftOfAdapter(name: string, { decisions }: Lift): Estimate | null {
  const { guards } = decisions[NEWEST_RULE];
  const stages = new Map<number, LiftStage['counts'][number][]>();
  for (const { adapterDigest, domains } of guards) {
    if ((adapterDigest ?? 'base') !== name) continue;
    for (const { controlShare, counts } of domains.flatMap((each) => each.stages))
      if (controlShare > 0 && controlShare < 1)
        stages.set(controlShare, [...(stages.get(controlShare) ?? []), ...counts]);
  }
  return liftInterval([...stages].map(([share, counts]) => ({ treatedShare: 1 - share, counts })));
}
