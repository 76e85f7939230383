/**
 * The inside of a JSON string, byte by byte: well-formed UTF-8 of plain characters (plain-text.ts), with `"` and `\` escaped
 * and nothing else, which is how JSON.stringify writes such a string. Together with a count of code points it is what a
 * token may add to a free string, wherever the token's bytes begin and end.
 */
import { HIDDEN_CODE_POINTS } from './plain-text.js';

/** What every token does from one state. */
interface TokenSteps {
  /** Legal ones only, by ascending id. */
  readonly steps: readonly TokenStep[];
  /** Room for this many code points is room for any of them. */
  readonly largestNeed: number;
}

/** Between two characters; the only state in which the string may end. */
export const BETWEEN = 0;
const AFTER_BACKSLASH = 1;
const DEAD = -1;
/** The distance to an end that no tokens spell. */
export const UNREACHABLE = 0x7fffffff;

interface ByteState {
  /** Next state per byte; −1 where the byte is illegal. */
  readonly next: Int16Array;
  /** Bytes until the character is complete, at least. */
  readonly remaining: number;
}

/** Where a token leads from a state: `characters` code points are completed on the way. */
export interface Step {
  readonly state: number;
  readonly characters: number;
}

interface TokenStep extends Step {
  readonly id: number;
}

const states: readonly ByteState[] = buildStates();

/** Free: every continuation of `remaining` bytes is a plain character. */
function buildStates(): ByteState[] {
  const result: ByteState[] = [];
  const add = (remaining: number): ByteState => {
    const state = { next: new Int16Array(256).fill(DEAD), remaining };
    result.push(state);
    return state;
  };
  const between = add(0);
  const afterBackslash = add(1);
  for (let byte = 0x20; byte < 0x7f; byte++) between.next[byte] = BETWEEN;
  between.next[0x22] = DEAD;
  between.next[0x5c] = AFTER_BACKSLASH;
  afterBackslash.next[0x22] = BETWEEN;
  afterBackslash.next[0x5c] = BETWEEN;

  const free: number[] = [BETWEEN];
  for (let remaining = 1; remaining <= 3; remaining++) {
    const state = add(remaining);
    free.push(result.length - 1);
    for (let byte = 0x80; byte < 0xc0; byte++) state.next[byte] = free[remaining - 1]!;
  }
  /** The state before `remaining` bytes that complete the code points first … first + 64^remaining − 1. */
  const stateFor = (first: number, remaining: number, shortest: number): number => {
    const last = first + 64 ** remaining - 1;
    const hidden = hiddenWithin(first, last, shortest);
    if (hidden === last - first + 1) return DEAD;
    if (hidden === 0) return free[remaining]!;
    const state = add(remaining);
    const index = result.length - 1;
    for (let i = 0; i < 64; i++)
      state.next[0x80 + i] = stateFor(first + i * 64 ** (remaining - 1), remaining - 1, shortest);
    return index;
  };
  for (let byte = 0xc2; byte <= 0xdf; byte++) between.next[byte] = stateFor((byte & 0x1f) << 6, 1, 0x80);
  for (let byte = 0xe0; byte <= 0xef; byte++) between.next[byte] = stateFor((byte & 0x0f) << 12, 2, 0x800);
  for (let byte = 0xf0; byte <= 0xf4; byte++) between.next[byte] = stateFor((byte & 0x07) << 18, 3, 0x10000);
  return result;
}

/** How many code points of a range are hidden, written longer than necessary (below `shortest`) or beyond Unicode. */
function hiddenWithin(first: number, last: number, shortest: number): number {
  const overlap = (from: number, to: number): number => Math.max(0, Math.min(last, to) - Math.max(first, from) + 1);
  let hidden = overlap(0, shortest - 1) + overlap(0x110000, 0x1fffff);
  for (const [from, to] of HIDDEN_CODE_POINTS) hidden += overlap(Math.max(from, shortest), to);
  return hidden;
}

/** Follows the bytes; null where one of them is illegal. */
function walk(from: number, bytes: Uint8Array): Step | null {
  let state = from;
  let characters = 0;
  for (let i = 0; i < bytes.length; i++) {
    state = states[state]!.next[bytes[i]!]!;
    if (state === DEAD) return null;
    if (state === BETWEEN) characters++;
  }
  return { state, characters };
}

/** The string automaton over one vocabulary: which tokens are legal where, and how many are needed to reach an end. */
export class StringTokens {
  private readonly stepsFrom = new Map<number, TokenSteps>();
  private readonly masks = new Map<string, Int32Array>();
  private readonly distances = new Map<string, Int32Array[]>();
  private readonly idsByFirstByte: number[][] = Array.from({ length: 256 }, () => []);

  /** Whether a byte state can reach the end of its character by tokens of single bytes. */
  private readonly endable: readonly boolean[];

  /**
   * A byte without a token of its own takes nothing away but what only it could end: no token is legal that would begin such
   * a character and leave it open.
   */
  constructor(private readonly vocabulary: readonly Uint8Array[]) {
    const single = new Set<number>();
    vocabulary.forEach((bytes, id) => {
      if (bytes.length > 0) this.idsByFirstByte[bytes[0]!]!.push(id);
      if (bytes.length === 1) single.add(bytes[0]!);
    });
    const endable = states.map((_, state) => state === BETWEEN);
    // States nearer to the end of a character first: those lead on.
    for (const state of states
      .keys()
      .toArray()
      .sort((a, b) => states[a]!.remaining - states[b]!.remaining)) {
      endable[state] ||= [...single].some((byte) => endable[states[state]!.next[byte]!] === true);
    }
    this.endable = endable;
  }

  /** Where token `id` leads; null where it is illegal, whatever the length bounds. */
  step(from: number, id: number): Step | null {
    const bytes = this.vocabulary[id];
    const step = bytes === undefined || bytes.length === 0 ? null : walk(from, bytes);
    return step === null || !this.endable[step.state]! ? null : step;
  }

  /**
   * Ids legal in `state` when `room` more code points fit, ascending. A token that ends inside a character needs room
   * for that character too.
   */
  allowed(state: number, room: number): Int32Array {
    const { steps, largestNeed } = this.stepsOf(state);
    const key = `${state}/${Math.min(room, largestNeed)}`;
    let mask = this.masks.get(key);
    if (mask === undefined) {
      mask = Int32Array.from(steps.filter((step) => needOf(step) <= room).map(({ id }) => id));
      this.masks.set(key, mask);
    }
    return mask;
  }

  /** Fewest tokens from (state, count) to an end with minLength ≤ count ≤ maxLength. {@link UNREACHABLE} where the vocabulary cannot write that many characters. */
  distance(state: number, count: number, minLength: number, maxLength: number): number {
    return this.distanceTable(minLength, maxLength)[state]![count]!;
  }

  /** Most tokens that are needed after any one legal token, beginning at (state, count). */
  worstAfterOne(state: number, count: number, minLength: number, maxLength: number): number {
    const table = this.distanceTable(minLength, maxLength);
    let worst = 0;
    for (const step of this.transitions(state)) {
      if (count + needOf(step) <= maxLength) worst = Math.max(worst, 1 + table[step.state]![count + step.characters]!);
    }
    return worst;
  }

  private stepsOf(from: number): TokenSteps {
    let found = this.stepsFrom.get(from);
    if (found === undefined) {
      const steps: TokenStep[] = [];
      states[from]!.next.forEach((next, byte) => {
        if (next === DEAD) return;
        for (const id of this.idsByFirstByte[byte]!) {
          const step = walk(from, this.vocabulary[id]!);
          if (step !== null && this.endable[step.state]!) steps.push({ id, ...step });
        }
      });
      steps.sort((a, b) => a.id - b.id);
      found = { steps, largestNeed: steps.reduce((most, step) => Math.max(most, needOf(step)), 0) };
      this.stepsFrom.set(from, found);
    }
    return found;
  }

  private readonly transitionsFrom = new Map<number, readonly Step[]>();

  /** The distinct outcomes of all tokens. */
  private transitions(from: number): readonly Step[] {
    let transitions = this.transitionsFrom.get(from);
    if (transitions === undefined) {
      transitions = [
        ...new Map(
          this.stepsOf(from).steps.map(({ state, characters }) => [`${state}/${characters}`, { state, characters }]),
        ).values(),
      ];
      this.transitionsFrom.set(from, transitions);
    }
    return transitions;
  }

  /** [state][count]; filled from the end, states nearer to the end of a character first, since each token moves towards it or counts. */
  private distanceTable(minLength: number, maxLength: number): Int32Array[] {
    const key = `${minLength}/${maxLength}`;
    let table = this.distances.get(key);
    if (table !== undefined) return table;
    table = states.map(() => new Int32Array(maxLength + 1).fill(UNREACHABLE));
    const order = states.map((_, state) => state).sort((a, b) => rank(a) - rank(b));
    for (let count = maxLength; count >= 0; count--) {
      for (const state of order) {
        let best = state === BETWEEN && count >= minLength ? 0 : UNREACHABLE;
        if (best > 0) {
          for (const step of this.transitions(state)) {
            if (count + needOf(step) > maxLength) continue;
            const after = table[step.state]![count + step.characters]!;
            if (after !== UNREACHABLE && after + 1 < best) best = after + 1;
          }
        }
        table[state]![count] = best;
      }
    }
    this.distances.set(key, table);
    return table;
  }
}

function needOf({ state, characters }: Step): number {
  return characters + (state === BETWEEN ? 0 : 1);
}

function rank(state: number): number {
  return state === BETWEEN ? Number.POSITIVE_INFINITY : states[state]!.remaining;
}
