// Mutants that no test can notice, each with the reason. They are not run, and count neither as killed nor as survived. A row has the form
// in which `npm run mutants:generated` lists a survivor: { file, within (the line), from, to, why }. `--check` refuses a row whose mutant is
// not there any more.
export const reviewed = [];
