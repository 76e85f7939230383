import type { Random } from '@seamstream/kernel';

export const PIECES: readonly string[];
export function damaged(random: Random, seeds: readonly Uint8Array[]): Uint8Array;
export function piecesText(random: Random, most?: number): string;
