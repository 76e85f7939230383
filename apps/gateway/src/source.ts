/** What the gateway's events name as their source. */
export const SOURCE = 'seam/gateway';
