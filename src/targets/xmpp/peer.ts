import type { Logger } from '../../base/logger.js';
import { describeError } from '../../base/errors.js';
import { hasFeature } from './answers.js';
import { resourceOf, toBare } from './addresses.js';
import type { Line } from './line.js';
import { NS } from './namespaces.js';
import { childOf, childrenOf, el, type Stanza } from './stanza.js';

/**
 * The person's side: the client that they wrote with last and what it can do, and whether they see us in their list. All of it is
 * courtesy: nothing of a message depends on it.
 */
export class Peer {
  readonly #bare: string;
  readonly #log: Logger;
  #client = '';
  #correctsMessages = false;

  constructor(bare: string, log: Logger) {
    this.#bare = bare;
    this.#log = log;
  }

  /**
   * The client they wrote with shows corrections in place (XEP-0308). One that does not would show every update of a growing
   * answer as a message of its own.
   */
  get correctsMessages(): boolean {
    return this.#correctsMessages;
  }

  /** They wrote with this client. */
  wrote(from: string, line: Line): void {
    if (from === this.#client || resourceOf(from) === '') return;
    this.#client = from;
    this.#correctsMessages = false;
    line
      .ask({ type: 'get', to: from, child: el('query', { xmlns: NS.discoInfo }) })
      .then((info) => {
        if (this.#client === from) this.#correctsMessages = hasFeature(info, NS.correct);
      })
      .catch((error: unknown) =>
        this.#log.debug({ error: describeError(error) }, 'the client does not say what it can'),
      );
  }

  presence(presence: Stanza, line: Line): void {
    const { from = '', type } = presence.attrs;
    if (toBare(from) !== this.#bare) return;
    if (type === 'unavailable' && from === this.#client) {
      this.#client = '';
      this.#correctsMessages = false;
    }
    // They may see us: it is their own agent. Nobody else is answered.
    if (type === 'subscribe') {
      line.send(el('presence', { to: this.#bare, type: 'subscribed' })).catch(() => undefined);
    }
  }

  /**
   * Asks once to be in their list, so that they see whether the agent is there.
   * @returns whether it was asked now
   */
  async introduce(line: Line): Promise<boolean> {
    try {
      const roster = await line.ask({ type: 'get', child: el('query', { xmlns: NS.roster }) });
      const items = childrenOf(childOf(roster, 'query', NS.roster), 'item', NS.roster);
      const item = items.find(({ attrs }) => attrs['jid']?.toLowerCase() === this.#bare);
      const { subscription = 'none', ask } = item?.attrs ?? {};
      if (subscription === 'to' || subscription === 'both' || ask !== undefined) return false;
      await line.send(el('presence', { to: this.#bare, type: 'subscribe' }));
      return true;
    } catch (error) {
      this.#log.debug({ error: describeError(error) }, 'the person was not asked for their presence');
      return false;
    }
  }
}
