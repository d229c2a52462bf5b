/** An account id as a file name. */
export function normalizeAccountId(id) {
  return id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
