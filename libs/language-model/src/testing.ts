/** For tests of other packages. */
export * from './golden-model.fake.js';
export * from './random-model.fake.js';
