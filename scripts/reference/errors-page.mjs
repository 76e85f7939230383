import { ERROR_CODES } from '../../libs/kernel/dist/index.js';
import { code, paragraph, table } from './markdown.mjs';

/** Every code of libs/kernel, whether the same call may succeed later, and what it means. */
export function errorsPage({ commentsOf }) {
  const comments = commentsOf('libs/kernel/src/errors.ts', 'ERROR_CODES');
  const rows = Object.entries(ERROR_CODES).map(([name, { retryable }]) => {
    const meaning = comments.get(name);
    if (meaning === undefined)
      throw new Error(
        `Cannot describe the error code ${name}: expected a comment above it in libs/kernel/src/errors.ts.`,
      );
    return [code(name), retryable ? 'yes' : 'no', meaning];
  });
  return `# Error codes

${paragraph('Every error of Seamstream has one of these codes. It is part of log lines, in dead letters and in the output of `--json`. Retryable: the same call may succeed later without any change.')}

${table(['code', 'retryable', 'meaning'], rows)}
`;
}
