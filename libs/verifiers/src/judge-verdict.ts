interface JudgeVerdict {
  readonly status: 'passed' | 'failed' | 'broken';
  readonly detail: string;
}

/** What the tests' process says of an answer; null for a line that it did not write, or that says no verdict. */
export function readVerdict(line: string, nonce: string): JudgeVerdict | null {
  try {
    const verdict = JSON.parse(line) as { nonce?: unknown; status?: unknown; detail?: unknown };
    const { status, detail } = verdict;
    if (verdict.nonce !== nonce || typeof detail !== 'string') return null;
    return status === 'passed' || status === 'failed' || status === 'broken' ? { status, detail } : null;
  } catch {
    return null;
  }
}
