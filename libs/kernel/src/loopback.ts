/** Whether what is sent to this address (a host, or host:port) stays on this machine. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$|^::1$/.test(address);
}

/** Whether it is http to another machine; false for what is no address. */
export function isPlaintextElsewhere(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}
