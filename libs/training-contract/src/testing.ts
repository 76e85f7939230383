/** For tests of other packages. */
export * from './training-engine.fake.js';
