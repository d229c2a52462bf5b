import { TransportError } from '../../base/errors.js';
import { StoreError } from '../../store/store.js';
import type { Archive } from './archive.js';
import { resourceOf } from './addresses.js';
import { messageRefused, StanzaRefused } from './errors.js';
import type { Line } from './line.js';
import { NS } from './namespaces.js';
import { childOf, type Stanza } from './stanza.js';
import type { Unproven } from './unproven.js';

/** Pages of the archive that are searched for one message; a conversation that moved on further is not searched. */
const MAX_PAGES = 20;
const PAGE = 100;

/** The line that is up, with what was found out about its server. */
export interface Connected {
  readonly line: Line;
  readonly archive: Archive | undefined;
  /** The archive keeps every message of this conversation, ours too. */
  readonly keepsEverything: boolean;
  /** The resource that was asked for, always the same one for an account. */
  readonly resource: string;
}

/**
 * Sends messages so that each is there once. A message counts as sent when the server has proven that it dealt with it. Where
 * the proof did not come, a repeat asks the archive first:
 * what the archive has is there, and what it does not have never will be, for our new line has taken the resource, and with it the place,
 * of the one on which the message might still have been under way.
 */
export class Outbox {
  readonly #unproven: Unproven;
  /** What went out on each line and is not proven yet, with the condition under which it came back; gone with its line. */
  readonly #sent = new WeakMap<Line, Map<string, string | undefined>>();

  constructor(unproven: Unproven) {
    this.#unproven = unproven;
  }

  /** A message came back on this line as an error. True when it is one that was just sent on it. */
  bounced(line: Line, id: string, condition: string): boolean {
    const sent = this.#sent.get(line);
    if (!sent?.has(id)) return false;
    sent.set(id, condition);
    return true;
  }

  /** Whether the message is at the server, of one that may be a repeat. @throws TransportError when that can't be said */
  async #isThere(id: string, connected: Connected): Promise<boolean> {
    const attempt = this.#unproven.get(id);
    if (!attempt) return false;
    if (this.#sent.get(connected.line)?.has(id)) {
      await connected.line.settled();
      return true;
    }
    const { archive, keepsEverything, line, resource } = connected;
    const canTell = archive && keepsEverything && attempt.after !== undefined && resourceOf(line.jid) === resource;
    if (!canTell) throw unclear();
    return this.#search(archive, id, attempt.after);
  }

  /**
   * Sends a message and waits for the proof.
   * @param id the same for a repeat
   * @param harmless sending it twice is sending it once, as with a correction: no archive is asked
   * @throws TargetRefusal `message_refused`, `peer_unreachable`; TransportError
   */
  async send(stanza: Stanza, id: string, connected: Connected, harmless = false): Promise<void> {
    const { line } = connected;
    if (!harmless) {
      if (await this.#isThere(id, connected)) {
        this.#settle(id, line);
        return;
      }
      await this.#note(id);
    }
    this.#sentOn(line).set(id, undefined);
    try {
      await line.send(stanza);
    } catch (error) {
      if (error instanceof TransportError && error.effect === 'none') this.#settle(id, line);
      throw error;
    }
    await line.settled();
    const bounce = this.#sent.get(line)?.get(id);
    this.#settle(id, line);
    if (bounce !== undefined) throw messageRefused(bounce);
  }

  async #note(id: string): Promise<void> {
    try {
      await this.#unproven.note(id);
    } catch (error) {
      this.#unproven.settle(id);
      if (!(error instanceof StoreError)) throw error;
      throw new TransportError('local_store_unavailable', 'the disk takes no note of the message', { effect: 'none' });
    }
  }

  #sentOn(line: Line): Map<string, string | undefined> {
    let sent = this.#sent.get(line);
    if (!sent) {
      sent = new Map();
      this.#sent.set(line, sent);
    }
    return sent;
  }

  #settle(id: string, line: Line): void {
    this.#unproven.settle(id);
    this.#sent.get(line)?.delete(id);
  }

  async #search(archive: Archive, id: string, after: string): Promise<boolean> {
    try {
      let position: Parameters<Archive['page']>[0] = after === '' ? { from: 'start' } : { after };
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const { messages, last, complete } = await archive.page(position, PAGE);
        if (messages.some(({ message }) => isCopy(message, id))) return true;
        if (complete || last === undefined) return false;
        position = { after: last };
      }
    } catch (error) {
      if (!(error instanceof StanzaRefused)) throw error;
    }
    throw unclear();
  }
}

function isCopy(message: Stanza, id: string): boolean {
  return message.attrs['id'] === id || childOf(message, 'origin-id', NS.stanzaIds)?.attrs['id'] === id;
}

function unclear(): TransportError {
  return new TransportError('send_unclear', 'whether the message is at the server can not be found out', {
    effect: 'unknown',
  });
}
