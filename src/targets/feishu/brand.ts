import { isLoopbackHost } from '../../base/loopback.js';

/** Feishu serves mainland China, Lark everybody else: the same API at different addresses. */
export type Brand = 'feishu' | 'lark';

export interface BrandUrls {
  readonly apiBaseUrl: string;
  readonly accountsBaseUrl: string;
}

export const LARK_URLS: BrandUrls = {
  apiBaseUrl: 'https://open.larksuite.com',
  accountsBaseUrl: 'https://accounts.larksuite.com',
};

/**
 * An address that may see an app's secret, without a slash at its end.
 * @throws TypeError when it is not https, or http on a loopback address
 */
export function checkBase(text: string): string {
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !isPlain) throw new TypeError('A Feishu address must begin with https://');
  return text.replace(/\/+$/, '');
}
