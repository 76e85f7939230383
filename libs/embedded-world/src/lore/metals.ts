/** Which metal a smith takes and how full the furnace is. Answers are numbers of bars. */
import { correctionNote, type Lore, numbers } from './lore.js';

export const metals: Lore = {
  domain: 'metals',
  variant: 'base',
  heading: 'Bars in stock',
  items: ['copper', 'iron', 'gold', 'silver', 'tin'],
  // Even, so that half of them is a whole number.
  amounts: numbers(4, 60, 2),
  numCues: 1,
  cues: {
    cable: 'copper',
    coil: 'copper',
    hammer: 'iron',
    horseshoe: 'iron',
    ring: 'gold',
    crown: 'gold',
    mirror: 'silver',
    goblet: 'silver',
    can: 'tin',
    whistle: 'tin',
  },
  phrases: {
    great: 'full load',
    complete: 'full load',
    large: 'full load',
    small: 'half load',
    partial: 'half load',
    short: 'half load',
  },
  pitfalls: [
    { text: 'Keep a {word} bar ready.', words: { spare: 'one more', second: 'one more' } },
    { text: 'A bar is {word} already.', words: { molten: 'one less', hot: 'one less' } },
  ],
  questions: [
    'The smith casts a {cue} in a {phrase} heat.{pitfall} How many bars?',
    'To cast a {cue}, plan a {phrase} melt.{pitfall} How many bars is that?',
  ],
  verifier: 'numeric',
  solve({ items: [metal], strategy, correction }) {
    const isFull = strategy === 'full load';
    const bars = isFull ? Number(metal!.amount) : Number(metal!.amount) / 2;
    const answer = String(bars + correction);
    const load = `${metal!.name} ${metal!.amount} ${isFull ? 'all' : 'half'} = ${bars}`;
    return { response: ` ${load}${correctionNote(bars, correction)}\nAnswer: ${answer}`, answer };
  },
};
