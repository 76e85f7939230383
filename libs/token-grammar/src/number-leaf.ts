/**
 * The decimal texts of a range of numbers, byte by byte, as JSON.stringify writes them: no leading zeros, no `-0`, an exponent only
 * where nothing bounds the number. Digits are few enough that reading the text as a double neither overflows nor crosses a bound.
 */
import type { Leaf, Rest } from './leaf.js';

export interface NumberBounds {
  readonly isInteger: boolean;
  readonly minimum: number;
  readonly maximum: number;
  /** The bound itself is not of the range. */
  readonly excludesMinimum: boolean;
  readonly excludesMaximum: boolean;
  /** Of integers only; 1 where every integer will do. */
  readonly multipleOf: number;
}

/** So many digits, and a double distinguishes any two numbers that have them. */
const EXACT_DIGITS = 15;
/** Of all others: more than doubles tell apart, far below their largest. */
const MOST_DIGITS = 20;
const MAX_STATES = 60_000;

/** Why a range cannot be followed. */
export class NumberProblem extends Error {}

/** A magnitude range of one sign: decimal digits before and after the point. */
interface Side {
  readonly low: Decimal;
  readonly high: Decimal | undefined;
  readonly excludesLow: boolean;
  readonly excludesHigh: boolean;
}

interface Decimal {
  readonly whole: string;
  readonly fraction: string;
}

interface Track {
  readonly negative: boolean;
  /** Digits before the point: exactly so many, or for the open track at least so many. */
  readonly digits: number;
  readonly isOpen: boolean;
  /** Bounds that a number of so many digits can reach. */
  readonly low: Decimal | undefined;
  readonly high: Decimal | undefined;
  readonly excludesLow: boolean;
  readonly excludesHigh: boolean;
}

interface Live {
  readonly track: number;
  readonly atLow: boolean;
  readonly atHigh: boolean;
}

interface State {
  readonly phase: 'start' | 'sign' | 'whole' | 'point' | 'fraction' | 'exponent' | 'exponent sign' | 'exponent digits';
  readonly digits: number;
  readonly fractionDigits: number;
  /** Whether a digit of the fraction is not 0: `-0.0` is a zero with a sign. */
  readonly isZero: boolean;
  readonly remainder: number;
  readonly live: readonly Live[];
  readonly exponent: string;
}

export class NumberLeaf implements Leaf {
  readonly start = 0;
  readonly least = 0;
  readonly most = Number.POSITIVE_INFINITY;
  readonly farthest = 0;
  readonly isEmpty: boolean;
  private readonly tracks: Track[] = [];
  private readonly states: State[] = [];
  private readonly indexOf = new Map<string, number>();
  private readonly rows: Int32Array[] = [];
  private readonly rests: (Rest | null)[] = [];
  private readonly hasExponent: boolean;
  private readonly digits: number;

  /** @throws NumberProblem where the range has too many states */
  constructor(
    readonly id: number,
    private readonly range: NumberBounds,
    spelled: readonly boolean[],
  ) {
    const { minimum, maximum, excludesMinimum, excludesMaximum } = range;
    // Rounding keeps to a bound that is of the range itself, however many digits are rounded.
    this.digits = excludesMinimum || excludesMaximum || range.multipleOf > 1 ? EXACT_DIGITS : MOST_DIGITS;
    this.hasExponent = !range.isInteger && minimum === Number.NEGATIVE_INFINITY && maximum === Number.POSITIVE_INFINITY;
    if (maximum >= 0) {
      const isBelow = minimum < 0;
      this.addTracks(false, {
        low: decimalOf(isBelow ? 0 : minimum),
        high: maximum === Number.POSITIVE_INFINITY ? undefined : decimalOf(maximum),
        excludesLow: !isBelow && excludesMinimum,
        excludesHigh: excludesMaximum,
      });
    }
    if (minimum < 0) {
      const isAbove = maximum > 0;
      this.addTracks(true, {
        low: decimalOf(isAbove ? 0 : -maximum),
        high: minimum === Number.NEGATIVE_INFINITY ? undefined : decimalOf(-minimum),
        excludesLow: isAbove || maximum === 0 || excludesMaximum,
        excludesHigh: excludesMinimum,
      });
    }
    this.intern({
      phase: 'start',
      digits: 0,
      fractionDigits: 0,
      isZero: true,
      remainder: 0,
      live: this.tracks.map((_, track) => ({ track, atLow: true, atHigh: true })),
      exponent: '',
    });
    for (let state = 0; state < this.states.length; state++) {
      if (this.states.length > MAX_STATES) throw new NumberProblem('its digits have too many cases');
      const row = new Int32Array(256).fill(-1);
      for (const byte of BYTES) row[byte] = this.after(this.states[state]!, byte);
      this.rows.push(row);
    }
    this.measure(spelled);
    this.isEmpty = this.rests[0] === null;
  }

  private addTracks(negative: boolean, { low, high, excludesLow, excludesHigh }: Side): void {
    const least = low.whole.length;
    const most = Math.min(high?.whole.length ?? least, MOST_DIGITS);
    for (let digits = least; digits <= most; digits++) {
      const isFirst = digits === least;
      const isLast = digits === high?.whole.length;
      this.tracks.push({
        negative,
        digits,
        isOpen: false,
        low: isFirst ? low : undefined,
        high: isLast ? high : undefined,
        excludesLow: isFirst && excludesLow,
        excludesHigh: isLast && excludesHigh,
      });
    }
    if (high === undefined && least < MOST_DIGITS) {
      const open = { low: undefined, high: undefined, excludesLow: false, excludesHigh: false };
      this.tracks.push({ negative, digits: least + 1, isOpen: true, ...open });
    }
  }

  private intern(state: State): number {
    const live = state.live.map(({ track, atLow, atHigh }) => `${track}${atLow ? 'l' : ''}${atHigh ? 'h' : ''}`);
    const { phase, digits, fractionDigits, isZero, remainder, exponent } = state;
    const key = [phase, digits, fractionDigits, isZero, remainder, exponent, ...live].join('/');
    let index = this.indexOf.get(key);
    if (index === undefined) {
      index = this.states.push(state) - 1;
      this.indexOf.set(key, index);
    }
    return index;
  }

  private after(state: State, byte: number): number {
    const { phase } = state;
    const digit = byte - 0x30;
    const isDigit = digit >= 0 && digit <= 9;
    switch (phase) {
      case 'start':
      case 'sign':
        if (byte === MINUS && phase === 'start')
          return this.moved(state, 'sign', (track) => (track.negative ? {} : undefined));
        if (!isDigit) return -1;
        return this.wholeDigit(
          { ...state, live: state.live.filter(({ track }) => this.tracks[track]!.negative === (phase === 'sign')) },
          digit,
        );
      case 'whole':
        if (isDigit && !(state.digits === 1 && state.isZero)) return this.wholeDigit(state, digit);
        if (byte === POINT && !this.range.isInteger && state.digits < this.digits) {
          return this.moved(state, 'point', (track) => (hasDigits(track, state.digits) ? {} : undefined));
        }
        return this.exponentAfter(state, byte);
      case 'point':
      case 'fraction':
        if (isDigit && state.digits + state.fractionDigits < this.digits) return this.fractionDigit(state, digit);
        return phase === 'fraction' ? this.exponentAfter(state, byte) : -1;
      case 'exponent':
        if (byte === MINUS || byte === PLUS) return this.intern({ ...state, phase: 'exponent sign' });
        return isDigit && digit > 0 ? this.intern({ ...state, phase: 'exponent digits', exponent: String(digit) }) : -1;
      case 'exponent sign':
        return isDigit && digit > 0 ? this.intern({ ...state, phase: 'exponent digits', exponent: String(digit) }) : -1;
      case 'exponent digits': {
        const { exponent } = state;
        if (!isDigit || exponent.length === 3 || (exponent.length === 2 && exponent >= '30')) return -1;
        // What has been read decides only how many digits may follow.
        return this.intern({ ...state, exponent: exponent.length === 1 ? `${exponent}0` : '100' });
      }
    }
  }

  /** After one digit before the point, as JSON.stringify writes it. */
  private exponentAfter(state: State, byte: number): number {
    if (!this.hasExponent || state.digits !== 1 || state.isZero || (byte !== 0x65 && byte !== 0x45)) return -1;
    return this.intern({ ...state, phase: 'exponent', fractionDigits: 0, live: state.live.slice(0, 1) });
  }

  private moved(
    state: State,
    phase: State['phase'],
    keep: (track: Track, live: Live) => Partial<Live> | undefined,
    changes: Partial<State> = {},
  ): number {
    const live = state.live.flatMap((each) => {
      const kept = keep(this.tracks[each.track]!, each);
      return kept === undefined ? [] : [{ ...each, ...kept }];
    });
    return live.length === 0 ? -1 : this.intern({ ...state, ...changes, phase, live });
  }

  private wholeDigit(state: State, digit: number): number {
    const { digits, remainder } = state;
    const { multipleOf } = this.range;
    if (digits >= this.digits) return -1;
    const isFirstZero = digits === 0 && digit === 0;
    return this.moved(
      state,
      'whole',
      (track, { atLow, atHigh }) => {
        if (track.isOpen) return digits === 0 && digit === 0 ? undefined : { atLow: false, atHigh: false };
        if (digits >= track.digits || (isFirstZero && track.digits > 1)) return undefined;
        return compared(track, atLow, atHigh, digit, track.low?.whole[digits], track.high?.whole[digits]);
      },
      {
        digits: digits + 1,
        isZero: isFirstZero,
        remainder: multipleOf > 1 ? (remainder * 10 + digit) % multipleOf : 0,
      },
    );
  }

  private fractionDigit(state: State, digit: number): number {
    const at = state.fractionDigits;
    return this.moved(
      state,
      'fraction',
      (track, { atLow, atHigh }) =>
        compared(track, atLow, atHigh, digit, track.low?.fraction[at] ?? '0', track.high?.fraction[at] ?? '0'),
      { fractionDigits: at + 1, isZero: state.isZero && digit === 0 },
    );
  }

  private accepts({ phase, digits, fractionDigits, isZero, remainder, live }: State): boolean {
    if (phase === 'exponent digits') return true;
    if ((phase !== 'whole' && phase !== 'fraction') || remainder !== 0) return false;
    return live.some(({ track, atLow, atHigh }) => {
      const each = this.tracks[track]!;
      if (!hasDigits(each, digits) || (isZero && each.negative)) return false;
      const left = (bound: Decimal | undefined): boolean => /[1-9]/.test(bound?.fraction.slice(fractionDigits) ?? '');
      // At the low bound what is left of it would be missing; at the high bound what is left is room.
      if (atLow && each.low !== undefined && (left(each.low) || each.excludesLow)) return false;
      return !(atHigh && each.high !== undefined && each.excludesHigh && !left(each.high));
    });
  }

  /** Fewest bytes to an end, by breadth-first search from the ends. */
  private measure(spelled: readonly boolean[]): void {
    const before: { readonly from: number; readonly byte: number }[][] = this.states.map(() => []);
    this.rows.forEach((row, from) => {
      for (const byte of BYTES) if (row[byte]! >= 0 && spelled[byte]) before[row[byte]!]!.push({ from, byte });
    });
    const rests = new Map<number, Rest>();
    this.states.forEach((state, index) => {
      if (this.accepts(state)) rests.set(index, { bytes: 0, next: -1 });
    });
    for (const [to, { bytes }] of rests) {
      for (const { from, byte } of before[to]!) if (!rests.has(from)) rests.set(from, { bytes: bytes + 1, next: byte });
    }
    this.states.forEach((_, index) => this.rests.push(rests.get(index) ?? null));
    for (const row of this.rows)
      for (const byte of BYTES) if (row[byte]! >= 0 && !rests.has(row[byte]!)) row[byte] = -1;
  }

  step(state: number, byte: number): number {
    return this.rows[state]![byte]!;
  }

  completes(): boolean {
    return false;
  }

  mayEnd(state: number): boolean {
    return this.rests[state]?.bytes === 0;
  }

  rest(state: number): Rest | null {
    return this.rests[state]!;
  }
}

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const BYTES = Array.from('0123456789-+.eE', (character) => character.charCodeAt(0));

function hasDigits(track: Track, digits: number): boolean {
  return track.isOpen ? digits >= track.digits : digits === track.digits;
}

/** A digit next to those of the bounds; undefined where it leaves the range. */
function compared(
  track: Track,
  atLow: boolean,
  atHigh: boolean,
  digit: number,
  low: string | undefined,
  high: string | undefined,
): { readonly atLow: boolean; readonly atHigh: boolean } | undefined {
  const least = atLow && track.low !== undefined ? Number(low) : -1;
  const most = atHigh && track.high !== undefined ? Number(high) : 10;
  if (digit < least || digit > most) return undefined;
  return { atLow: digit === least, atHigh: digit === most };
}

/** The digits of a finite number that is not negative, exactly as its shortest text has them. */
function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return { whole: '0', fraction: '0'.repeat(-point) + digits };
  return {
    whole: digits
      .slice(0, point)
      .padEnd(point, '0')
      .replace(/^0+(?=\d)/, ''),
    fraction: digits.slice(point),
  };
}
