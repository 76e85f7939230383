/**
 * Where a tool may be sent. A model that obeys a problem or a page could have a server fetch what only that server
 * reaches: the machine itself, its network, a cloud's metadata. So addresses in arguments are looked at before a call. What a name
 * resolves to, and where a page redirects, only the server knows: it needs a separate network for that. Pure.
 */
import { BlockList, isIP } from 'node:net';

const LOCAL = new BlockList();
// https://www.iana.org/assignments/iana-ipv4-special-registry: this host, private, shared, loopback, link-local, benchmarks, multicast, reserved.
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  // Azure's host: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16.
  ['168.63.129.16', 32],
  ['224.0.0.0', 3],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv4');
// https://www.iana.org/assignments/iana-ipv6-special-registry: unspecified and loopback, translation of IPv4, unique local, link-local, multicast.
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  LOCAL.addSubnet(network, bits, 'ipv6');

/** Names that lead to the machine or its network: https://www.rfc-editor.org/rfc/rfc6761, rfc8375, and what clouds use. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|svc|home\.arpa)$/;
/** Schemes without a host that browsers follow all the same. */
const WITHIN = /^\s*(view-source|blob|filesystem|jar|feed|javascript|vbscript|data|about):\S/i;
/** A local address without a scheme, to which fetchers add one. */
const BARE =
  /^\s*(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]{2,45}\]|localhost|([\w-]{1,63}\.){1,10}(localhost|local|internal|intranet|lan|svc|home\.arpa))\.?(:\d{1,5})?([/?#]|\s*$)/i;

/** Deepest nesting of arguments that is looked at; deeper ones are refused. */
const DEEPEST = 32;

/**
 * Why these arguments may not be sent; undefined where they may.
 * @param hosts that they may name; undefined: any that is not local
 */
export function forbiddenAddress(value: unknown, hosts: readonly string[] | undefined, depth = 0): string | undefined {
  if (depth > DEEPEST) return `the arguments are nested more than ${DEEPEST} deep`;
  if (typeof value === 'string') return forbiddenText(value, hosts);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.entries(value).flat()) {
    const fault = forbiddenAddress(inner, hosts, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function forbiddenText(text: string, hosts: readonly string[] | undefined): string | undefined {
  // Without a scheme it is a web page's way to name another host.
  const isBare = BARE.test(text);
  const address = /^\s*[\\/]{2}/.test(text) ? `http:${text.trim()}` : isBare ? `http://${text.trim()}` : text;
  if (WITHIN.test(text)) return 'it is no address of a page';
  if (!URL.canParse(address)) return undefined;
  const { protocol, host, hostname, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') {
    // "note: read this" parses as an address too. What names a host, or a file, is one.
    return host === '' && protocol !== 'file:' ? undefined : `${protocol} is no address of a page`;
  }
  if (username !== '' || password !== '') return 'an address holds a user or a password';
  if (hosts !== undefined)
    return hosts.includes(host) || hosts.includes(hostname) ? undefined : `${host} is not among the allowed hosts`;
  return isLocal(hostname) ? `${host} is on the machine or its network` : undefined;
}

/** @param hostname as a URL has it: IPv4 in four decimal parts in any spelling, IPv6 in brackets */
function isLocal(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const version = isIP(address);
  // A BlockList takes ::ffff:a.b.c.d as the IPv4 address in it.
  if (version !== 0) return LOCAL.check(address, version === 4 ? 'ipv4' : 'ipv6');
  return LOCAL_NAME.test(address) || !address.includes('.');
}
