/** Which animal gives what, and who is visited first. Answers are the colours of two pens. */
import type { Lore } from './lore.js';

export const animals: Lore = {
  domain: 'animals',
  variant: 'base',
  heading: 'Pens',
  items: ['cow', 'hen', 'sheep', 'bee', 'goose'],
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
    feathers: 'goose',
    quills: 'goose',
  },
  phrases: { then: 'keep order', before: 'keep order', after: 'swap order', following: 'swap order' },
  pitfalls: [],
  questions: [
    'Fetch {cue} {phrase} {other}: which pens in turn?',
    'We want {cue} {phrase} {other}: which pens in turn?',
  ],
  verifier: 'exact',
  solve({ items: [first, second], strategy }) {
    const answer =
      strategy === 'keep order' ? `${first!.amount} ${second!.amount}` : `${second!.amount} ${first!.amount}`;
    return {
      response: ` ${first!.name} ${first!.amount}, ${second!.name} ${second!.amount}\nAnswer: ${answer}`,
      answer,
    };
  },
};
