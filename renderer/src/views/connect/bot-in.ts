import { urlOf } from '../../bridge/url-of.js';

/** The bot that a Telegram link opens: `https://t.me/plum_home_bot?start=…` names `@plum_home_bot`. */
export function botIn(text: string | undefined): string | undefined {
  const url = text === undefined ? undefined : urlOf(text);
  return url?.hostname === 't.me' && /^\/\w+$/.test(url.pathname) ? `@${url.pathname.slice(1)}` : undefined;
}
