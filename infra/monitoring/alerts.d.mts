export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly after: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}
export declare const ALERTS: readonly Alert[];
export declare function runbookOf(alert: Pick<Alert, 'name'>): string;
export declare function rulesFile(alerts: readonly Alert[]): string;
