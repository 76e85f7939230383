/** Money as people type and read it, counted in millionths. Pure. */
import { plural, SeamError } from '@seamstream/kernel';
import type { PartCost } from '@seamstream/operations/cost';

const MICROS = 1_000_000;
/** Six figures behind the point are millionths. */
const DECIMAL = /^\d{1,9}(\.\d{1,6})?$/;

/** @throws INVALID_INPUT for what is no amount of at most six figures behind the point */
export function readMoney(option: string, text: string): number {
  if (!DECIMAL.test(text))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read ${option}: expected an amount such as 0.15, with at most six figures behind the point, got ${JSON.stringify(text)}.`,
    );
  return Math.round(Number(text) * MICROS);
}

export function moneyText(micros: number): string {
  const text = (micros / MICROS).toFixed(6);
  // Two figures behind the point at least.
  const end = [4, 3, 2, 1].find((zeros) => text.endsWith('0'.repeat(zeros))) ?? 0;
  return text.slice(0, text.length - end);
}

/** What some items have cost, and of how many it is not known. */
export function partText({ items, unknown, money }: PartCost): string {
  const rest = unknown === 0 ? '' : `, and ${plural(unknown, 'item')} without tokens or a price`;
  return `${items === unknown ? 'unknown' : moneyText(money)} for ${plural(items - unknown, 'item')}${rest}`;
}
