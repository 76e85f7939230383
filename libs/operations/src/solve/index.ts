export { openSolving, type SolvedQuestion, type SolveRequest, type Solving } from './solve-questions.js';
