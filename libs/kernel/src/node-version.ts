import { type BroughtNode, broughtNode } from './brought-node.js';

/** Oldest Node that runs the tree: `engines` of package.json. */
const OLDEST_NODE = 24;

/** What this looks at of the process. */
interface NodeProcess {
  readonly versions: { readonly node: string };
  readonly argv: readonly string[];
  readonly stderr: { write(text: string): unknown };
  exitCode?: number | string | null | undefined;
}

interface Program {
  /** As its messages begin. */
  readonly name: string;
  /** Of a process whose Node is too old, where the installation brought no other. */
  readonly exitCode: number;
}

/**
 * Runs a program where Node is new enough. Otherwise the Node that the installation brought runs it, with the same arguments and streams; where
 * it brought none, this says which one is wanted. Modules of the tree import what an older Node does not have, which fails before any of them
 * is run: `run` imports them, and a module that calls this imports nothing but the kernel.
 */
export async function onSupportedNode(
  process: NodeProcess,
  { name, exitCode }: Program,
  run: () => Promise<void>,
  brought: BroughtNode | null = broughtNode(),
): Promise<void> {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return run();
  if (brought !== null) {
    process.exitCode = await brought.run(process.argv.slice(1));
    return;
  }
  process.stderr.write(
    `${name}: Cannot run: expected Node ${OLDEST_NODE} or newer, got ${node}. Install Node ${OLDEST_NODE}; on Linux x64 "npm install" brings it.\n`,
  );
  process.exitCode = exitCode;
}
