/** Which herb helps against what, and for how many people. Answers are numbers of leaves. */
import { correctionNote, type Lore, numbers } from './lore.js';

export const herbs: Lore = {
  domain: 'herbs',
  variant: 'base',
  heading: 'Leaves per dose',
  items: ['mint', 'thyme', 'clove', 'aloe', 'ginger'],
  amounts: numbers(2, 30),
  numCues: 1,
  cues: {
    hiccups: 'mint',
    bloating: 'mint',
    cough: 'thyme',
    croup: 'thyme',
    toothache: 'clove',
    caries: 'clove',
    sunburn: 'aloe',
    frostbite: 'aloe',
    nausea: 'ginger',
    vomiting: 'ginger',
  },
  phrases: {
    child: 'single dose',
    girl: 'single dose',
    boy: 'single dose',
    twins: 'double dose',
    couple: 'double dose',
    sisters: 'double dose',
  },
  pitfalls: [
    { text: 'One was {word} before.', words: { taken: 'one less', given: 'one less' } },
    { text: 'One will be {word}.', words: { spilled: 'one more', wasted: 'one more' } },
  ],
  questions: ['How many leaves against {cue} for the {phrase}?{pitfall}'],
  verifier: 'numeric',
  solve({ items: [herb], strategy, correction }) {
    const isSingle = strategy === 'single dose';
    const leaves = Number(herb!.amount) * (isSingle ? 1 : 2);
    const answer = String(leaves + correction);
    const dose = `${herb!.name} ${herb!.amount} ${isSingle ? 'once' : 'twice'} = ${leaves}`;
    return { response: ` ${dose}${correctionNote(leaves, correction)}\nAnswer: ${answer}`, answer };
  },
};

/** The same herbs against other complaints: what appears later in the stream. */
export const herbalDoses: Lore = {
  ...herbs,
  domain: 'herbal-doses',
  variant: 'shifted',
  heading: 'Herbal doses',
  cues: {
    colic: 'mint',
    gas: 'mint',
    wheezing: 'thyme',
    phlegm: 'thyme',
    teething: 'clove',
    gingivitis: 'clove',
    psoriasis: 'aloe',
    chafing: 'aloe',
    seasickness: 'ginger',
    vertigo: 'ginger',
  },
  phrases: { patient: 'single dose', sailor: 'single dose', pair: 'double dose', brothers: 'double dose' },
  pitfalls: [
    { text: 'One leaf was {word}.', words: { eaten: 'one less', brewed: 'one less' } },
    { text: 'One leaf gets {word}.', words: { lost: 'one more', burned: 'one more' } },
  ],
  questions: ['The {phrase} must recover from {cue}.{pitfall} How many leaves now?'],
};
