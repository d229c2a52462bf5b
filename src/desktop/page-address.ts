/** The window's page lives on a scheme of our own: no file, no server, and an origin that nobody else can have. */
export const PAGE_SCHEME = 'xagent';
const PAGE_HOST = 'window';
export const PAGE_ORIGIN = `${PAGE_SCHEME}://${PAGE_HOST}`;
export const PAGE_URL = `${PAGE_ORIGIN}/index.html`;

/** Whether an address is on the page's own origin, and nothing that only looks like it. */
export function isPageUrl(text: string): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  return url.protocol === `${PAGE_SCHEME}:` && url.host === PAGE_HOST && url.username === '' && url.password === '';
}
