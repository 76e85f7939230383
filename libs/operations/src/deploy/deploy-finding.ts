/** What is found about the values of a deployment. */

export interface DeployFinding {
  readonly code: string;
  /** error: it does not start, or does not work; warning: it works, and production should not be so. */
  readonly severity: 'error' | 'warning';
  /** The value that it is about. */
  readonly value: string;
  readonly message: string;
  readonly remedy: string;
}

export type Findings = readonly DeployFinding[];

/** The value that it is about, what is wrong, what to do. */
export type Said = readonly [value: string, message: string, remedy: string];

export const error = (code: string, [value, message, remedy]: Said): DeployFinding => ({
  ...{ code, severity: 'error', value, message, remedy },
});
export const warning = (code: string, [value, message, remedy]: Said): DeployFinding => ({
  ...{ code, severity: 'warning', value, message, remedy },
});
