/**
 * The decimal texts of the integers of a range, byte by byte, without leading zeros or `-0`. For each sign and number of digits the
 * range is one interval of digit strings; a state remembers, per interval, whether the digits so far still equal the lower
 * or the upper bound. Prefixes with the same memory have the same continuations, so states are few.
 */
interface Interval {
  readonly negative: boolean;
  /** Digit strings of equal length. */
  readonly low: string;
  readonly high: string;
}

interface Live {
  readonly interval: number;
  readonly atLow: boolean;
  readonly atHigh: boolean;
}

interface State {
  /** Bytes read, a minus sign included; −1 is nowhere. */
  readonly live: readonly Live[];
  readonly digits: number;
  readonly signed: boolean;
}

const MINUS = 0x2d;

export class IntegerAutomaton {
  private readonly intervals: Interval[] = [];
  private readonly states: State[] = [];
  private readonly indexOf = new Map<string, number>();
  readonly start: number;

  /** `minimum` ≤ `maximum`, both safe integers. */
  constructor(minimum: number, maximum: number) {
    this.addIntervals(false, Math.max(minimum, 0), maximum);
    this.addIntervals(true, Math.max(-maximum, 1), -minimum);
    this.start = this.intern({
      digits: 0,
      signed: false,
      live: this.intervals.map((_, interval) => ({ interval, atLow: true, atHigh: true })),
    });
  }

  private addIntervals(negative: boolean, low: number, high: number): void {
    for (let digits = 1; digits <= 16; digits++) {
      const from = Math.max(low, digits === 1 ? 0 : 10 ** (digits - 1));
      const to = Math.min(high, 10 ** digits - 1);
      if (from <= to) this.intervals.push({ negative, low: String(from), high: String(to) });
    }
  }

  private intern(state: State): number {
    const key = `${state.signed}/${state.digits}/${state.live.map(({ interval, atLow, atHigh }) => `${interval}${atLow ? 'l' : ''}${atHigh ? 'h' : ''}`).join()}`;
    let index = this.indexOf.get(key);
    if (index === undefined) {
      index = this.states.push(state) - 1;
      this.indexOf.set(key, index);
    }
    return index;
  }

  /** The state after a byte; −1 where the byte is illegal. */
  step(from: number, byte: number): number {
    const state = this.states[from]!;
    const digit = byte - 0x30;
    const minus = byte === MINUS && state.digits === 0 && !state.signed;
    if (!minus && (digit < 0 || digit > 9)) return -1;
    const live: Live[] = [];
    for (const { interval, atLow, atHigh } of state.live) {
      const { negative, low, high } = this.intervals[interval]!;
      if (minus) {
        if (negative) live.push({ interval, atLow, atHigh });
        continue;
      }
      if (negative !== state.signed || state.digits === low.length) continue;
      const least = low.charCodeAt(state.digits) - 0x30;
      const most = high.charCodeAt(state.digits) - 0x30;
      if ((atLow && digit < least) || (atHigh && digit > most)) continue;
      live.push({ interval, atLow: atLow && digit === least, atHigh: atHigh && digit === most });
    }
    if (live.length === 0) return -1;
    return this.intern({ live, digits: state.digits + (minus ? 0 : 1), signed: state.signed || minus });
  }

  /** Whether the digits so far are an integer of the range. */
  accepts(index: number): boolean {
    const { live, digits } = this.states[index]!;
    return digits > 0 && live.some(({ interval }) => this.intervals[interval]!.low.length === digits);
  }
}

/** An integer range over one vocabulary. */
export class IntegerTokens {
  private readonly masks = new Map<number, Int32Array>();
  private readonly distances = new Map<number, number>();
  readonly automaton: IntegerAutomaton;

  /** @param numeric ids of the tokens that consist of digits and minus signs only. */
  constructor(
    minimum: number,
    maximum: number,
    private readonly vocabulary: readonly Uint8Array[],
    private readonly numeric: readonly number[],
  ) {
    this.automaton = new IntegerAutomaton(minimum, maximum);
  }

  /** −1 where the token is illegal. */
  step(from: number, id: number): number {
    const bytes = this.vocabulary[id];
    if (bytes === undefined || bytes.length === 0) return -1;
    let state = from;
    for (const byte of bytes) {
      state = this.automaton.step(state, byte);
      if (state < 0) return -1;
    }
    return state;
  }

  /** Legal ids, ascending. */
  allowed(state: number): Int32Array {
    let mask = this.masks.get(state);
    if (mask === undefined) {
      mask = Int32Array.from(this.numeric.filter((id) => this.step(state, id) >= 0)).sort();
      this.masks.set(state, mask);
    }
    return mask;
  }

  /** Fewest tokens to an integer of the range; at most 17 deep, since every token adds a byte. */
  distance(state: number): number {
    if (this.automaton.accepts(state)) return 0;
    let distance = this.distances.get(state);
    if (distance === undefined) {
      distance = Number.POSITIVE_INFINITY;
      for (const id of this.allowed(state)) distance = Math.min(distance, 1 + this.distance(this.step(state, id)));
      this.distances.set(state, distance);
    }
    return distance;
  }

  worstAfterOne(state: number): number {
    let worst = 0;
    for (const id of this.allowed(state)) worst = Math.max(worst, 1 + this.distance(this.step(state, id)));
    return worst;
  }
}
