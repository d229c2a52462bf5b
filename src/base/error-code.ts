/** The reason that the system or a library names beside an error's words: `ENOENT`, `ECONNREFUSED`, `SQLITE_FULL`; undefined without one. */
export function errorCode(error: unknown): string | undefined {
  const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '';
  return isCoded ? (error.code as string) : undefined;
}
