/** Refused requests, counted so that a flood of them stays a few figures. Pure. */
import { BlockList, isIPv6 } from 'node:net';
import { DEFAULT_TENANT, type RequestOrigin } from '@seamstream/events';

interface RefusalKind {
  /** Null: unknown, or several. */
  readonly id: string | null;
  /** The client's; the default one where that is unknown. */
  readonly tenant: string;
  readonly reason: string;
  /** Null: several. */
  readonly route: string | null;
  readonly origin: RequestOrigin;
}

export interface CountedRefusals extends RefusalKind {
  readonly requests: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Most kinds with a separate count. What is more has one for each origin. */
const MOST_KINDS = 64;

export class RefusalCounts {
  private readonly counts = new Map<string, CountedRefusals>();

  add(refused: CountedRefusals): void {
    const { id, tenant, reason, route, origin, requests, firstAt, lastAt } = refused;
    const kind = JSON.stringify([id, tenant, reason, route, origin]);
    const isRest = id === null && tenant === DEFAULT_TENANT && reason === SEVERAL && route === null;
    const known = this.counts.get(kind);
    if (known !== undefined)
      this.counts.set(kind, {
        ...known,
        requests: known.requests + requests,
        firstAt: Math.min(known.firstAt, firstAt),
        lastAt: Math.max(known.lastAt, lastAt),
      });
    else if (this.counts.size < MOST_KINDS || isRest) this.counts.set(kind, refused);
    else this.add({ ...refused, id: null, tenant: DEFAULT_TENANT, reason: SEVERAL, route: null });
  }

  /** All that was counted; the next counts begin at nothing. */
  take(): readonly CountedRefusals[] {
    const counted = [...this.counts.values()];
    this.counts.clear();
    return counted;
  }
}

const SEVERAL = 'several';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** RFC 1918, RFC 3927, RFC 6598, RFC 4193, RFC 4291. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  PRIVATE.addSubnet(net, prefix);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** @param address of a connection; undefined where it is closed already */
export function originOf(address: string | undefined): RequestOrigin {
  // An address of version 4 on a socket of version 6.
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0]!;
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
  if (LOOPBACK.check(plain, family)) return 'loopback';
  return PRIVATE.check(plain, family) ? 'private' : 'public';
}
