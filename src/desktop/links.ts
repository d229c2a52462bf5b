/**
 * Where a link of the window may lead: the pages that a sign-in shows as a code, for whoever opens it on this computer instead.
 * Exact https origins; everything else stays closed, whatever a message or a network put into the page.
 */
const LINK_ORIGINS: ReadonlySet<string> = new Set([
  // A bot's chat, with the pairing code.
  'https://t.me',
  // What the phone's WeChat opens.
  'https://liteapp.weixin.qq.com',
  // The page that makes an app, which the registration server names; Lark's people are led there too.
  'https://open.feishu.cn',
  'https://accounts.feishu.cn',
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
