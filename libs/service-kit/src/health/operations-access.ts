/** Who may read how a service is and what it counts. Models, topics, budgets and addresses stand in there. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { UnauthorizedException } from '@nestjs/common';

export class OperationsAccess {
  /** @param token absent: whoever can reach the port may read */
  constructor(private readonly token: string | undefined) {}

  /** @throws UnauthorizedException, HTTP's 401, without the token */
  assert(authorization: string | undefined): void {
    if (this.token === undefined) return;
    // Digests are of one length, and their comparison takes as long wherever they differ.
    if (!timingSafeEqual(digest(`Bearer ${this.token}`), digest(authorization ?? '')))
      throw new UnauthorizedException();
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
