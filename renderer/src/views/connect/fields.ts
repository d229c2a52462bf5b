import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import type { Words } from '../../words/index.js';

export type AuthField = NonNullable<ConnectorSnapshot['authFlows'][number]['fields']>[number];

/** Shapes that are known before the network is asked, by field, each with the code of its words. */
const SHAPES: Readonly<Record<string, { readonly shape: RegExp; readonly code: string }>> = {
  bot_token: { shape: /^\d+:[\w-]{10,}$/, code: 'telegram_token_malformed' },
  chat_id: { shape: /^[-−]?\d+$/, code: 'telegram_chat_id_malformed' },
  jid: { shape: /^[^\s@/]+@[^\s@/]+$/, code: 'xmpp_jid_malformed' },
  peer_jid: { shape: /^[^\s@/]+@[^\s@/]+$/, code: 'xmpp_peer_malformed' },
};

/** Which field a refusal of a network is about, by the beginning of its code. */
const ABOUT: readonly (readonly [beginning: string, field: string])[] = [
  ['telegram_token', 'bot_token'],
  ['telegram_webhook', 'bot_token'],
  ['telegram_chat', 'chat_id'],
  ['xmpp_jid', 'jid'],
  ['xmpp_tls', 'jid'],
  ['xmpp_certificate', 'jid'],
  ['xmpp_mechanism', 'jid'],
  ['xmpp_peer', 'peer_jid'],
  ['xmpp_password', 'password'],
  ['xmpp_credentials', 'password'],
];

/** The field of this form that a failure is about; undefined where it is about none. */
export function fieldOf(code: string, fields: readonly AuthField[]): string | undefined {
  const [, field] = ABOUT.find(([beginning]) => code.startsWith(beginning)) ?? [];
  return fields.some(({ name }) => name === field) ? field : undefined;
}

/** What is wrong with a value before anybody is asked; undefined when nothing is. */
export function problemOf({ name, required }: AuthField, value: string, { t, code }: Words): string | undefined {
  const given = value.trim();
  if (given === '') return required === true ? t('form.required') : undefined;
  const rule = SHAPES[name];
  if (rule === undefined || rule.shape.test(given)) return undefined;
  if (name.endsWith('jid') && /\s/.test(given)) return t('form.space');
  return code('signin', rule.code);
}

/** What goes to the host: nothing for what was left empty, and no spaces that came along with a paste. */
export function inputOf(
  fields: readonly AuthField[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const given = fields.flatMap(({ name, secret, input_type: type }) => {
    const value = values[name] ?? '';
    const kept = type === 'password' && secret === true && name === 'password' ? value : value.trim().replace('−', '-');
    return kept === '' ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(given);
}
