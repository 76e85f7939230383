/** What an executor may use, in tokens and in money. A request reserves its worst case before it is sent. */
import type { BudgetSettings, TokenCount } from './endpoint-settings.js';

export interface Spending extends TokenCount {
  /** In the currency of the prices; 0 without prices. */
  readonly money: number;
}

export class Budget {
  private used: TokenCount = { promptTokens: 0, responseTokens: 0 };
  private underWay: TokenCount = { promptTokens: 0, responseTokens: 0 };

  constructor(private readonly settings: BudgetSettings) {}

  get spent(): Spending {
    return { ...this.used, money: this.moneyOf(this.used) };
  }

  /** What was spent before this client was there. */
  addSpent(tokens: TokenCount): void {
    this.used = sum(this.used, tokens);
  }

  /** `wait`: it would fit if what is under way used less than its worst case. `spent`: it does not fit any more. */
  reserve(worst: TokenCount): 'reserved' | 'wait' | 'spent' {
    if (!this.fits(sum(this.used, worst))) return 'spent';
    if (!this.fits(sum(this.used, this.underWay, worst))) return 'wait';
    this.underWay = sum(this.underWay, worst);
    return 'reserved';
  }

  /** Ends a reservation. */
  settle(worst: TokenCount, used: TokenCount): void {
    this.underWay = {
      promptTokens: this.underWay.promptTokens - worst.promptTokens,
      responseTokens: this.underWay.responseTokens - worst.responseTokens,
    };
    this.used = sum(this.used, used);
  }

  /** What is used up, as a sentence for the operator who can raise it. */
  toString(): string {
    const { tokens, money } = this.settings;
    const { promptTokens, responseTokens, money: spent } = this.spent;
    return [
      ...(tokens === null ? [] : [`${promptTokens + responseTokens} of ${tokens} tokens`]),
      ...(money === null ? [] : [`${spent.toFixed(4)} of ${money} in money`]),
    ].join(', ');
  }

  private fits(count: TokenCount): boolean {
    const { tokens, money } = this.settings;
    return (
      (tokens === null || count.promptTokens + count.responseTokens <= tokens) &&
      (money === null || this.moneyOf(count) <= money)
    );
  }

  private moneyOf({ promptTokens, responseTokens }: TokenCount): number {
    const { promptPrice, responsePrice } = this.settings;
    return (promptTokens * promptPrice + responseTokens * responsePrice) / 1e6;
  }
}

function sum(...counts: readonly TokenCount[]): TokenCount {
  return {
    promptTokens: counts.reduce((total, each) => total + each.promptTokens, 0),
    responseTokens: counts.reduce((total, each) => total + each.responseTokens, 0),
  };
}
