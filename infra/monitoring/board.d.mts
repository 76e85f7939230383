interface Panel {
  readonly title: string;
  readonly lines: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly words?: string;
}
export declare const ROWS: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
export declare const VARIABLES: readonly { readonly name: string; readonly metric: string; readonly label: string }[];
export declare const PROMOTIONS: string;
