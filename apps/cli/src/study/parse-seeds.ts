import { InvalidArgumentError } from 'commander';

/** Different words with commas between. @throws InvalidArgumentError for others */
export function parseSeeds(text: string): string[] {
  const seeds = text.split(',').map((seed) => seed.trim());
  if (new Set(seeds).size === seeds.length && !seeds.includes('')) return seeds;
  throw new InvalidArgumentError(`Cannot read --seeds: expected different words with commas between, got "${text}".`);
}
