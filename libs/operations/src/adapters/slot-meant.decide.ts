/** Which slot a person acts on: the one that the artefact was published for, or the one that is named. Pure. */
import { GENERATOR_SLOT } from '@seamstream/events';
import { onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { type ServedAdapterState, type ServedSlots, servedIn } from '@seamstream/release';

/** What is known of it before the log is asked. */
export interface SlotWords {
  /** The slot that a person named; undefined where no person did. */
  readonly named: string | undefined;
  /** Of an artefact that the act names; undefined where it names none, or the base model. */
  readonly adapterDigest: string | undefined;
}

/**
 * The chain of the slot. Without a word it is the slot that the artefact was published for, or else the generators'.
 * @throws NOT_FOUND for a slot that the log does not name, CONFLICT for another one than the artefact's, INVALID_INPUT where it has several
 */
export function slotMeant(slots: ServedSlots, { named, adapterDigest }: SlotWords): ServedAdapterState {
  if (named !== undefined && !slots.has(named))
    throw new SeamError(
      'NOT_FOUND',
      `Cannot find slot ${quoted(named)}: expected one that the log names (${listed([...slots.keys()])}), got another. Correct --slot.`,
    );
  if (adapterDigest === undefined) return servedIn(slots, named ?? GENERATOR_SLOT);
  const own = [...slots.values()].filter(({ published }) =>
    published.some((each) => each.adapterDigest === adapterDigest),
  );
  const names = listed(own.map(({ slot }) => slot));
  const adapter = `adapter ${shortId(adapterDigest)}`;
  if (named === undefined) {
    const [only, ...others] = own;
    if (only !== undefined && others.length === 0) return only;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot act on ${adapter}: expected one slot that it was published for, got ${own.length === 0 ? 'none' : names}. Name one with --slot.`,
    );
  }
  const meant = own.find(({ slot }) => slot === named);
  if (meant !== undefined) return meant;
  throw new SeamError(
    'CONFLICT',
    `Cannot act on ${adapter} in slot ${quoted(named)}: expected an artefact of this slot, got one of ${names}. Leave --slot out, or name another artefact.`,
    { details: { adapterDigest } },
  );
}

const quoted = (slot: string): string => `"${onOneLine(slot)}"`;
const listed = (slots: readonly string[]): string => slots.map(quoted).sort().join(', ');
