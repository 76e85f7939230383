/** For tests of other packages. */

export * from './generator-model.fake.js';
export * from './hinted-problems.fake.js';
export * from './numbered-questions.fake.js';
