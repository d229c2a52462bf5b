/** The bot that a Telegram link opens: `https://t.me/plum_home_bot?start=…` names `@plum_home_bot`. */
export function botIn(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  return hostname === 't.me' && /^\/\w+$/.test(pathname) ? `@${pathname.slice(1)}` : undefined;
}
