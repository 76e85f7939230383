export { ATTRIBUTES, FAMILY_NAMES, FIRST_NAMES, namesOf, type People, type Person } from './people.js';
export { type PassageProblem, type PassagesRequest, passageProblems } from './problems.js';
export {
  drawEdit,
  drawPassage,
  drawPerson,
  EDIT_STYLES,
  type EditStyle,
  type Fact,
  question,
  reversed,
  statement,
  type ToldPassage,
  tellPassage,
} from './texts.js';
export { SHIPPED_MODELS, unknownWords } from './vocabulary.js';
