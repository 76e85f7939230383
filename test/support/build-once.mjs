import { build } from '../../scripts/build.mjs';

/** Worker threads and child processes run compiled files, so the tree is compiled before any test. */
export default async function buildOnce() {
  await build();
}
