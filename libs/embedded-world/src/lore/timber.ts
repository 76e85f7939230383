/** Which wood a joiner uses, and which boards do not count. Answers are two counts. */
import { correctionNote, type Lore, numbers } from './lore.js';

export const timber: Lore = {
  domain: 'timber',
  variant: 'base',
  heading: 'Boards',
  items: ['oak', 'yew', 'teak', 'cedar'],
  amounts: numbers(2, 30),
  numCues: 2,
  cues: {
    barrel: 'oak',
    cask: 'oak',
    bow: 'yew',
    lute: 'yew',
    deck: 'teak',
    yacht: 'teak',
    pencil: 'cedar',
    chest: 'cedar',
  },
  phrases: { and: 'both counts', plus: 'both counts' },
  pitfalls: [
    { text: 'One board of the first is {word}.', words: { cracked: 'one less', split: 'one less' } },
    { text: 'The first pile has a {word} board.', words: { hidden: 'one more', loose: 'one more' } },
  ],
  questions: [
    'A joiner makes a {cue} {phrase} a {other}: how many boards of each?{pitfall}',
    'How many boards lie ready for a {cue} {phrase} a {other}?{pitfall}',
  ],
  verifier: 'exact',
  solve({ items: [first, second], correction }) {
    const counted = Number(first!.amount) + correction;
    const answer = `${counted} and ${second!.amount}`;
    const note = correctionNote(Number(first!.amount), correction);
    return {
      response: ` ${first!.name} ${first!.amount}${note}, ${second!.name} ${second!.amount}\nAnswer: ${answer}`,
      answer,
    };
  },
};

/** The same woods under other words: what appears later in the stream. */
export const timberYard: Lore = {
  ...timber,
  domain: 'timber-yard',
  variant: 'shifted',
  heading: 'Lumber yard',
  cues: {
    keg: 'oak',
    vat: 'oak',
    crossbow: 'yew',
    longbow: 'yew',
    hull: 'teak',
    pier: 'teak',
    sauna: 'cedar',
    closet: 'cedar',
  },
  phrases: { beside: 'both counts', with: 'both counts' },
  pitfalls: [
    { text: 'A plank of the first is {word}.', words: { rotten: 'one less', burnt: 'one less' } },
    { text: 'The first stack got an {word} plank.', words: { added: 'one more', uncounted: 'one more' } },
  ],
  questions: [
    'We build a {cue} {phrase} a {other}.{pitfall} Which counts do we find?',
    'Order: one {cue} {phrase} one {other}.{pitfall} Tell the counts.',
  ],
};
