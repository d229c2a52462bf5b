/**
 * Where a link of the window may lead: pages of the networks that a sign-in or its help points to. Exact https origins;
 * everything else stays closed, whatever a message or a network put into the page.
 */
const LINK_ORIGINS: ReadonlySet<string> = new Set([
  'https://t.me',
  'https://core.telegram.org',
  'https://open.feishu.cn',
  'https://accounts.feishu.cn',
  'https://open.larksuite.com',
  'https://accounts.larksuite.com',
  'https://liteapp.weixin.qq.com',
  'https://weixin.qq.com',
  'https://xmpp.org',
]);

/** The address to open, in its canonical form; undefined when it may not be opened. */
export function allowedLink(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const isPlain = url.username === '' && url.password === '';
  return isPlain && LINK_ORIGINS.has(url.origin) ? url.href : undefined;
}
