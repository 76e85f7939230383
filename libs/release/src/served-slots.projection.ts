/** What every slot is served with: a chain for each slot that the log names, and always that of the generators. */
import { GENERATOR_SLOT, type SeamEvent } from '@seamstream/events';
import { evolveServedAdapter, initialServedAdapter, type ServedAdapterState } from './served-adapter.projection.js';

/** By slot. */
export type ServedSlots = ReadonlyMap<string, ServedAdapterState>;

export function initialServedSlots(): ServedSlots {
  return new Map([[GENERATOR_SLOT, initialServedAdapter()]]);
}

/** The chain of a slot; of one that the log has not named yet with what is known of runs so far. */
export function servedIn(slots: ServedSlots, slot: string): ServedAdapterState {
  return slots.get(slot) ?? { ...initialServedAdapter(slot), runs: slots.get(GENERATOR_SLOT)!.runs };
}

/** What is said of an artefact belongs to its slot; what is said of a run may bear out a promotion in any. */
export function evolveServedSlots(slots: ServedSlots, event: SeamEvent): ServedSlots {
  switch (event.type) {
    case 'AdapterPublished':
    case 'AdapterEvaluated':
    case 'AdapterPromoted':
    case 'AdapterRolledBack':
    case 'AdapterPinned':
    case 'AdapterUnpinned':
      return new Map(slots).set(event.slot, evolveServedAdapter(servedIn(slots, event.slot), event));
    case 'TrainingRunStarted':
    case 'TrainingRunCompleted':
    case 'TrainingRunRejected': {
      const next = [...slots].map(([slot, state]) => [slot, evolveServedAdapter(state, event)] as const);
      return next.every(([slot, state]) => state === slots.get(slot)) ? slots : new Map(next);
    }
    default:
      return slots;
  }
}
