/** For tests of other packages. */
export * from './adapter-evaluation.fake.js';
export * from './explored-problems.fake.js';
export * from './hint-library.fake.js';
