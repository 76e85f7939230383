import { SeamError } from '@seamstream/kernel';
import { Option } from 'commander';

/** Reads --similarity. */
export function similarityOption(): Option {
  return new Option(
    '--similarity <share>',
    'questions are near duplicates from this share of common three-word runs on (0.5 to 1)',
  )
    .default(0.8)
    .argParser((text) => {
      const value = Number(text);
      if (text.trim() === '' || !(value >= 0.5 && value <= 1))
        throw new SeamError(
          'INVALID_INPUT',
          `Cannot read --similarity: expected a share from 0.5 to 1, got "${text}". Below 0.5 pairs would be missed.`,
        );
      return value;
    });
}
