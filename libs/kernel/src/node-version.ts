/** Oldest Node that runs the tree: `engines` of package.json. */
const OLDEST_NODE = 24;

/** What this looks at of the process. */
interface NodeProcess {
  readonly versions: { readonly node: string };
  readonly stderr: { write(text: string): unknown };
  exitCode?: number | string | null | undefined;
}

interface Program {
  /** As its messages begin. */
  readonly name: string;
  /** How it is run with the Node that the installation brings along, e.g. "npx seam". */
  readonly command: string;
  /** Of a process whose Node is too old. */
  readonly exitCode: number;
}

/**
 * Runs a program where Node is new enough, otherwise says which one is wanted. Modules of the tree import what an older Node does
 * not have, which fails before any of them is run: `run` imports them, and whoever calls this imports nothing but the kernel.
 */
export async function onSupportedNode(
  process: NodeProcess,
  { name, command, exitCode }: Program,
  run: () => Promise<void>,
): Promise<void> {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return run();
  process.stderr.write(
    `${name}: this needs Node ${OLDEST_NODE} or newer, this is ${node}. Run it as "${command}", which uses the Node that "npm install" brought.\n`,
  );
  process.exitCode = exitCode;
}
