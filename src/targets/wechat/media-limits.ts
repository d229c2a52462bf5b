/** Largest file either way, bytes: the official client's own cap. */
export const MAX_MEDIA_BYTES = 100 * 1024 * 1024;
/** Time for a file at the CDN, milliseconds: a start, and more with its size at a slow line's speed. */
export const TRANSFER_BASE_MS = 30_000;
const SLOW_LINE_BYTES_PER_MS = 50;

export function transferTime(bytes: number): number {
  return TRANSFER_BASE_MS + Math.ceil(bytes / SLOW_LINE_BYTES_PER_MS);
}
