/** The CDN's address of an action, for when the server does not give it in full. */
export function cdnUrl(base: string, action: 'upload' | 'download', query: Readonly<Record<string, string>>): string {
  const url = new URL(`${base}/${action}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
