// Builds the page: JSX by Vite's own transform, no plugin for a framework. What is built is also compressed, so that the gateway need not.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

/** Below, headers weigh as much as what is saved. */
const LEAST_BYTES = 512;

const compressed = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir }) {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(html|js|css|svg)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const body = readFileSync(path);
      if (body.length < LEAST_BYTES) continue;
      writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(body));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Colours are pairs of light and dark (light-dark()), which all browsers of 2024 know: nothing is made of them.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A script in the page would need an exception of its content security policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // On a busy machine it complains of what takes long.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  logLevel: 'warn',
});
