/** For tests of other packages. */
export * from './hinted-problems.fake.js';
export * from './models.fake.js';
export * from './numbered-questions.fake.js';
