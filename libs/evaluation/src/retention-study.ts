/** Edits merged one after the other into a model, with what is left of each passage after every one of them. */
import type { AdaptationRequest } from '@seamstream/environments';
import { Random } from '@seamstream/kernel';
import { costOf, isKept } from '@seamstream/statistics';
import {
  type Learner,
  type PassageQuestion,
  retentionOrder,
  type Scoring,
  scoresByPassage,
  trainingSeed,
  trainOn,
} from './passage-learning.js';
import type { RetentionArm, RetentionStep, RetentionStudied } from './retention.js';

export interface RetentionPassage {
  /** Trained on. */
  readonly documents: readonly string[];
  /** At least one; asked without the passage. */
  readonly questions: readonly PassageQuestion[];
}

export interface RetentionSettings extends Scoring {
  readonly executor: Learner;
  readonly update: AdaptationRequest['settings'];
  readonly arms: readonly RetentionArm[];
  /** Each has its own order of the passages, and its own randomness in training. */
  readonly seeds: readonly string[];
  /** Of the arm replay: earlier passages whose documents are learned again with each edit. */
  readonly replayed: number;
  /** Of the arm gate: an edit is refused where the mean score of what was learned before falls by more. 0 … 1. */
  readonly mostCost: number;
  /** Steps of an earlier run, the frozen model's scores first: they are not measured again. */
  readonly known?: Known | undefined;
  /** Called with each scores before the work continues. */
  readonly onScores?: ((line: RetentionLine) => Promise<void>) | undefined;
  readonly onProgress?: ((stage: string, done: number, total: number) => void) | undefined;
}

/** In the order in which they are measured: the frozen model, then each arm with each seed, step by step. */
export type RetentionLine = { readonly before: readonly number[] } | RetentionStep;

interface Known {
  readonly before?: readonly number[] | undefined;
  readonly steps: readonly RetentionStep[];
}

/**
 * Where the gate is among the arms, the first question of each passage with several is the gate's: what decides is not what is measured, in no
 * arm.
 * @throws INVALID_CONFIGURATION for an executor that cannot be trained; what it could not answer as the error of its failure; ABORTED
 */
export async function studyRetention(
  passages: readonly RetentionPassage[],
  settings: RetentionSettings,
): Promise<RetentionStudied> {
  const { executor, arms, seeds, known, onScores } = settings;
  const orders = new Map(seeds.map((seed) => [seed, retentionOrder(seed, passages.length)]));
  const study = new Study(passages, settings);
  const before = known?.before ?? (await study.scores(executor, [...passages.keys()])).map((score) => score!);
  if (known?.before === undefined) await onScores?.({ before });
  const steps: RetentionStep[] = [];
  for (const arm of arms) {
    for (const [seed, order] of orders) {
      const kept = (known?.steps ?? []).filter((step) => step.arm === arm && step.seed === seed);
      steps.push(...kept);
      for await (const step of study.sequence({ arm, seed, order, kept })) {
        steps.push(step);
        await onScores?.(step);
      }
    }
  }
  return { before, steps, orders };
}

interface Sequence {
  readonly arm: RetentionArm;
  readonly seed: string;
  readonly order: readonly number[];
  /** Its first steps, of an earlier run. */
  readonly kept: readonly RetentionStep[];
}

class Study {
  private readonly measured: readonly (readonly PassageQuestion[])[];
  private readonly gating: readonly (readonly PassageQuestion[])[];
  private done = 0;
  private readonly total: number;

  constructor(
    private readonly passages: readonly RetentionPassage[],
    private readonly settings: RetentionSettings,
  ) {
    const hasGate = settings.arms.includes('gate');
    const isShared = passages.map(({ questions }) => hasGate && questions.length > 1);
    this.measured = passages.map(({ questions }, index) => (isShared[index] ? questions.slice(1) : questions));
    this.gating = passages.map(({ questions }) => questions.slice(0, 1));
    this.total = settings.arms.reduce((sum, arm) => sum + (arm === 'together' ? 1 : passages.length), 0);
    this.total *= settings.seeds.length;
  }

  /** The steps that are not known yet. Those that are known are trained again where later ones begin with them. */
  async *sequence(sequence: Sequence): AsyncGenerator<RetentionStep> {
    const { arm, seed, order, kept } = sequence;
    const n = order.length;
    this.done += kept.length;
    if (arm === 'together') {
      if (kept.length > 0) return;
      const learned = await this.learn(this.settings.executor, order, trainingSeed(seed, 'together'));
      const model = learned ?? this.settings.executor;
      yield { arm, seed, step: n, scores: await this.scores(model, order), merged: learned !== null };
      this.tell(arm, seed);
      return;
    }
    if (kept.length === n) return;
    let model: Learner = this.settings.executor;
    for (let at = 0; at < n; at++) {
      const known = kept[at];
      if (known?.merged === false) continue;
      const learned = await this.learn(model, this.documentsAt(sequence, at), trainingSeed(seed, at));
      if (known !== undefined) {
        model = learned ?? model;
        continue;
      }
      const isMerged =
        learned !== null &&
        (arm !== 'gate' || isKept(await this.costs(model, learned, order.slice(0, at)), this.settings.mostCost));
      if (isMerged) model = learned;
      yield { arm, seed, step: at + 1, scores: await this.scores(model, order.slice(0, at + 1)), merged: isMerged };
      this.tell(arm, seed);
    }
  }

  /** By passage; null for those that are not asked. */
  async scores(model: Learner, asked: readonly number[]): Promise<readonly (number | null)[]> {
    const scores = await scoresByPassage(model, this.measured, asked, this.settings);
    return this.passages.map((_, index) => scores.get(index) ?? null);
  }

  private tell(arm: RetentionArm, seed: string): void {
    this.done++;
    this.settings.onProgress?.(`${arm}, seed ${seed}`, this.done, this.total);
  }

  /** The passage whose turn it is, with those that are replayed before it. */
  private documentsAt({ arm, seed, order }: Sequence, at: number): readonly number[] {
    if (arm !== 'replay') return [order[at]!];
    const earlier = Random.of('retention-replay', seed, at).shuffled(order.slice(0, at));
    return [...earlier.slice(0, this.settings.replayed), order[at]!];
  }

  /** Null where nothing can be trained on the documents. */
  private async learn(model: Learner, learned: readonly number[], seed: string): Promise<Learner | null> {
    const { update, signal } = this.settings;
    const documents = learned.flatMap((passage) => this.passages[passage]!.documents);
    const adaptation = await trainOn(
      model,
      { documents, settings: update, seed },
      { purpose: 'study retention', signal },
    );
    return adaptation.status === 'refused' ? null : adaptation.model;
  }

  /** By how much the mean score of what was learned before falls, by the gate's questions. */
  private async costs(model: Learner, learned: Learner, earlier: readonly number[]): Promise<number> {
    if (earlier.length === 0) return 0;
    const [was, is] = [
      await scoresByPassage(model, this.gating, earlier, this.settings),
      await scoresByPassage(learned, this.gating, earlier, this.settings),
    ];
    return costOf([...was.values()], [...is.values()]);
  }
}
