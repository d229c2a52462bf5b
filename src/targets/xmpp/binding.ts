import { bareOf, parseJid, type BareJid } from './addresses.js';
import { fieldsOf, textOf } from '../json-fields.js';
import type { Json } from '../target.js';

/** One conversation: the agent's own account and the person who may talk to it. */
export interface XmppBinding {
  readonly account: BareJid;
  readonly peer: BareJid;
}

export function bindingToJson({ account, peer }: XmppBinding): Json {
  return { jid: bareOf(account), peer: bareOf(peer) };
}

/** @throws TypeError for what {@link bindingToJson} did not write */
export function bindingFromJson(json: Json): XmppBinding {
  const fields = fieldsOf(json);
  const account = parseJid(textOf(fields['jid']) ?? '');
  const peer = parseJid(textOf(fields['peer']) ?? '');
  if (!account || !peer) throw new TypeError('A stored XMPP binding is damaged');
  return { account, peer };
}

/** Under this name an account keeps where it was in the archive, and what it sent without proof. */
export function consumerOf(accountId: string): string {
  return `xmpp/${accountId}`;
}

export function identityOf({ account, peer }: XmppBinding): string {
  return `${bareOf(account)} ${bareOf(peer)}`;
}
