/** Headers of every answer to the dashboard: it is text of jsonText, and is asked for again each time. */
export const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'] as const;
export const FRESH = ['cache-control', 'no-store'] as const;
