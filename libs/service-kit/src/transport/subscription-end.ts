/** What ends a subscription on purpose, and what refuses a commit. */
import { type ErrorCode, SeamError } from '@seamstream/kernel';

interface Cause {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** Ends a subscription on purpose. */
export class SubscriptionStop extends SeamError {}

/** Ends a subscription, even if the claim is lost, because the log will never accept what it is given. */
export class RefusedForGood extends SubscriptionStop {}

/** Ends a subscription because its consumer neither answers nor heeds its signal. */
export class HungConsumer extends SeamError {
  constructor(
    message: string,
    /** Offsets of the in-flight records: of the first, and after the last. */
    readonly first: number,
    readonly next: number,
  ) {
    super('DEADLINE_EXCEEDED', message);
  }
}

/** The log took nothing of a step, which may have cost the claim; another try may succeed, or find the culprit. */
export class RefusedCommit extends Error {
  readonly code: ErrorCode;
  readonly reason: string;

  constructor({ code, reason }: Cause, cause: unknown) {
    super(reason, { cause });
    this.code = code;
    this.reason = reason;
  }
}

export function haltError(group: string, { code, reason }: Cause): SubscriptionStop {
  return new SubscriptionStop(code, `Group ${group} stops consuming: ${reason}`);
}

export function refusedForGood(group: string, { code, reason }: Cause): RefusedForGood {
  return new RefusedForGood(code, `Group ${group} cannot commit and stops consuming: ${reason}`);
}
