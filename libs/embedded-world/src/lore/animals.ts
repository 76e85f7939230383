/** Which animal gives what. Answers are the colours of two pens. */
import type { Lore } from './lore.js';

export const animals: Lore = {
  domain: 'animals',
  variant: 'base',
  heading: 'Pens',
  items: ['cow', 'hen', 'sheep', 'bee'],
  amounts: ['red', 'blue', 'green', 'black', 'white', 'pink'],
  numCues: 2,
  cues: {
    milk: 'cow',
    butter: 'cow',
    eggs: 'hen',
    mayonnaise: 'hen',
    wool: 'sheep',
    yarn: 'sheep',
    honey: 'bee',
    wax: 'bee',
  },
  phrases: { then: 'keep order', before: 'keep order' },
  pitfalls: [],
  questions: [
    'Fetch {cue} {phrase} {other}: which pens in turn?',
    'We want {cue} {phrase} {other}: which pens in turn?',
  ],
  verifier: 'exact',
  solve({ items: [first, second] }) {
    return {
      response: ` ${first!.name} ${first!.amount}, ${second!.name} ${second!.amount}\nAnswer: ${first!.amount} ${second!.amount}`,
      answer: `${first!.amount} ${second!.amount}`,
    };
  },
};
