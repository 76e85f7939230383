/**
 * What is planned and decided of releases, with what is served and known of adapters. Facts about runs lie in another topic, and count as if
 * they had come first: so the few facts about adapters are kept, and folded when they are asked for.
 */
import { type SeamEvent, TOPIC } from '@seamstream/events';
import {
  evolveGuards,
  evolveReleases,
  evolveServedSlots,
  type GuardsState,
  initialGuards,
  initialReleases,
  initialServedSlots,
  type ReleasesState,
  type ServedSlots,
  servedIn,
} from '@seamstream/release';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface ReleaseProgressState {
  readonly folded: FoldedOffsets;
  /** What is known of runs. */
  runs: ServedSlots;
  /** The facts about adapters and releases, in the log's order. */
  readonly steps: SeamEvent[];
}

export interface ReleaseProgress extends ReleasesState {
  readonly slots: ServedSlots;
  readonly guards: GuardsState;
  /** The offset after the last record that was folded, by partition. */
  readonly folded: ReadonlyMap<string, number>;
}

export const releaseProgressProjection: KeptProjection<ReleaseProgressState, ReleaseProgress> = {
  name: 'release-progress',
  topics: [TOPIC.adapters, TOPIC.training],

  initialState: () => ({ folded: new Map(), runs: initialServedSlots(), steps: [] }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    if (position.topic === TOPIC.adapters) state.steps.push(event);
    else state.runs = evolveServedSlots(state.runs, event);
    return state;
  },

  read({ folded, runs, steps }) {
    let [slots, releases, guards] = [runs, initialReleases(), initialGuards()];
    for (const step of steps) {
      slots = evolveServedSlots(slots, step);
      guards = evolveGuards(guards, step);
      if ('slot' in step) releases = evolveReleases(releases, step, servedIn(slots, step.slot));
    }
    return { ...releases, slots, guards, folded: new Map(folded) };
  },
};
