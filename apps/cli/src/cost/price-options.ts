/** Prices that a person states for one command, in place of those that the log declares. */
import { SeamError } from '@seamstream/kernel';
import type { GivenPrice, GivenPrices } from '@seamstream/operations/cost';
import { Option } from 'commander';
import { moneyText, readMoney } from './money.js';

/** What is shown where no price is known: money is never guessed. */
const NO_PRICE = 'no price';

export function priceOption(): Option {
  return new Option(
    '--price <model=prompt/completion>',
    "of a million tokens that a model reads and writes, in the currency of the log's prices; may be repeated (default: as declared)",
  )
    .argParser((word: string, before: GivenPrices) => new Map([...before, readPrice(word)]))
    .default(new Map(), 'as "seam cost prices list" has it');
}

function readPrice(word: string): [string, GivenPrice] {
  const match = /^(.+)=([^/=]+)\/([^/=]+)$/.exec(word);
  if (match === null)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read --price: expected a model with two amounts such as gpt-mini=0.15/0.60, got ${JSON.stringify(word)}.`,
    );
  const [, model, prompt, completion] = match as unknown as [string, string, string, string];
  const price = {
    promptPerMillion: readMoney('--price', prompt),
    completionPerMillion: readMoney('--price', completion),
  };
  return [model, price];
}

export function moneyOrNone(money: number | null): string {
  return money === null ? NO_PRICE : moneyText(money);
}
