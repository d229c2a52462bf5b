import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { NS } from './namespaces.js';
import type { Question } from './requests.js';
import { childOf, el, type Stanza } from './stanza.js';

/**
 * Asks for copies of what other clients of our account are given (XEP-0280). A server gives a message to the client that wants it most, or
 * to the one that it names: without copies, a client that somebody opens to look after the agent's account would make us deaf, on a
 * line that looks well. Never rejects: what is asked for before our presence counts from there on, and a server that knows no copies, or
 * does not answer, is used without.
 */
export async function askForCopies(ask: (question: Question) => Promise<Stanza>, log: Logger): Promise<void> {
  try {
    await ask({ type: 'set', child: el('enable', { xmlns: NS.carbons }) });
  } catch (error) {
    log.debug({ error: describeError(error) }, 'the server gives no copies of what other clients are given');
  }
}

/**
 * The message that a copy holds; any other message as it is. Only our own account sends copies (XEP-0280 section 11): what somebody else
 * wraps up as one stays what it is, and is nobody's word.
 * @param own our bare address
 */
export function withoutCover(message: Stanza, own: string): Stanza {
  if (message.attrs['from']?.toLowerCase() !== own) return message;
  const copy = childOf(message, 'received', NS.carbons);
  return childOf(childOf(copy, 'forwarded', NS.forward), 'message', '') ?? message;
}

/** Whether a message is a copy still, which can then only be forged or one of our own words. */
export function isCopy(message: Stanza): boolean {
  return ['received', 'sent'].some((name) => childOf(message, name, NS.carbons) !== undefined);
}
