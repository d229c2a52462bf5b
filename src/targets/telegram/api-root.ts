import { isLoopbackHost } from '../../base/loopback.js';

/**
 * Checks where the Bot API lives. The bot's token is part of every URL, so that plain `http:` is for this machine only.
 * @returns the root without a trailing slash
 * @throws TypeError for anything that is not an https root, or a plain one on a loopback address
 */
export function parseApiRoot(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new TypeError('telegram.apiRoot is not a URL');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('telegram.apiRoot must not carry a user, a query or a fragment');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    throw new TypeError('telegram.apiRoot must be https, or http on a loopback address');
  }
  return url.href.replace(/\/+$/, '');
}
