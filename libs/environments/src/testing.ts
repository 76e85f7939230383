/** For tests of other packages. */
export * from './executor-model.fake.js';
export * from './plan-first.fake.js';
export * from './telling-executor.fake.js';
