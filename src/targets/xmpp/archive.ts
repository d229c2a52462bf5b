import { NS } from './namespaces.js';
import { toBare } from './addresses.js';
import type { Question } from './requests.js';
import { newStanzaId } from './requests.js';
import { childOf, el, textOf, type Stanza } from './stanza.js';

/** A message as the archive keeps it. */
export interface Archived {
  readonly archiveId: string;
  /** When the archive got it, Unix ms. */
  readonly stamp: number | undefined;
  readonly message: Stanza;
}

export interface ArchivePage {
  readonly messages: readonly Archived[];
  /** Id of the last message of the page, whoever wrote it. */
  readonly last: string | undefined;
  readonly complete: boolean;
}

/** Where a page begins: after a message, at a time (Unix ms), or the last ones there are. */
export type ArchivePosition =
  { readonly after: string } | { readonly since: number } | { readonly from: 'start' } | { readonly from: 'end' };

/** The server's archive of one conversation (XEP-0313), page by page, oldest first within a page. */
export class Archive {
  readonly #ask: (question: Question) => Promise<Stanza>;
  readonly #own: string;
  readonly #peer: string;
  readonly #results = new Map<string, Archived[]>();

  /** @param own our bare address; @param peer whose conversation is read */
  constructor(ask: (question: Question) => Promise<Stanza>, own: string, peer: string) {
    this.#ask = ask;
    this.#own = own;
    this.#peer = peer;
  }

  /** Takes a message that is a result of a query. False when it is none; a forged one is taken and forgotten. */
  take(message: Stanza): boolean {
    const result = childOf(message, 'result', NS.archive);
    if (!result) return false;
    const { from } = message.attrs;
    const forwarded = childOf(result, 'forwarded', NS.forward);
    const inner = childOf(forwarded, 'message', '');
    const archiveId = result.attrs['id'];
    if ((from === undefined || from.toLowerCase() === this.#own) && inner && archiveId !== undefined) {
      const results = this.#results.get(result.attrs['queryid'] ?? '');
      results?.push({ archiveId, stamp: stampOf(forwarded), message: inner });
    }
    return true;
  }

  /** @throws StanzaRefused (`item-not-found` when the position is not there any more), TransportError */
  async page(position: ArchivePosition, max: number): Promise<ArchivePage> {
    const queryid = newStanzaId();
    const messages: Archived[] = [];
    this.#results.set(queryid, messages);
    try {
      const answer = await this.#ask({ type: 'set', child: this.#query(queryid, position, max) });
      const fin = childOf(answer, 'fin', NS.archive);
      const last = textOf(childOf(childOf(fin, 'set', NS.resultSet), 'last', NS.resultSet));
      return {
        messages,
        last: last === '' ? messages.at(-1)?.archiveId : last,
        complete: fin?.attrs['complete'] === 'true' || messages.length === 0,
      };
    } finally {
      this.#results.delete(queryid);
    }
  }

  #query(queryid: string, position: ArchivePosition, max: number): Stanza {
    const field = (name: string, value: string): Stanza =>
      el('field', { xmlns: NS.forms, var: name }, el('value', { xmlns: NS.forms }, value));
    const set = (name: string, value?: string): Stanza => el(name, { xmlns: NS.resultSet }, value);
    return el(
      'query',
      { xmlns: NS.archive, queryid },
      el(
        'x',
        { xmlns: NS.forms, type: 'submit' },
        field('FORM_TYPE', NS.archive),
        field('with', this.#peer),
        'since' in position ? field('start', new Date(position.since).toISOString()) : undefined,
      ),
      el(
        'set',
        { xmlns: NS.resultSet },
        set('max', String(max)),
        'after' in position ? set('after', position.after) : undefined,
        'from' in position && position.from === 'end' ? set('before') : undefined,
      ),
    );
  }
}

/** Whether the archive keeps everything said with this peer, as far as its settings tell. */
export async function keepsEverything(ask: (question: Question) => Promise<Stanza>, peer: string): Promise<boolean> {
  try {
    const answer = await ask({ type: 'get', child: el('prefs', { xmlns: NS.archive }) });
    const prefs = childOf(answer, 'prefs', NS.archive);
    const lists = (name: string): boolean =>
      (childOf(prefs, name, NS.archive)?.children ?? []).some(
        (entry) => typeof entry !== 'string' && toBare(textOf(entry)) === peer,
      );
    return !lists('never') && (prefs?.attrs['default'] === 'always' || lists('always'));
  } catch {
    return false;
  }
}

/** The time of a delayed message (XEP-0203), Unix ms. */
export function stampOf(parent: Stanza | undefined): number | undefined {
  const time = Date.parse(childOf(parent, 'delay', NS.delay)?.attrs['stamp'] ?? '');
  return Number.isNaN(time) ? undefined : time;
}
