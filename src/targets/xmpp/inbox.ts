import type { InboundMessage, TargetContext } from '../target.js';
import type { Archive, Archived } from './archive.js';
import { toBare } from './addresses.js';
import { withoutCover } from './carbons.js';
import { StanzaRefused, lineLost } from './errors.js';
import { archiveIdOf, readMessage, type Conversation, type Origin, type Verdict } from './inbound.js';
import type { Line } from './line.js';
import { NS } from './namespaces.js';
import { newStanzaId } from './requests.js';
import { el, type Stanza } from './stanza.js';

const PAGE = 50;
/** Live messages that wait for the disk or for room; beyond this the line is given up and the archive read later. */
const MAX_WAITING = 500;
/** How far before the last known time an archive is read again whose position was lost; copies are known again by their ids. */
const OVERLAP_MS = 600_000;

export interface InboxOptions {
  readonly context: TargetContext;
  readonly accountId: string;
  readonly consumer: string;
  readonly conversation: Conversation;
  /** The person wrote just now, from this full address. */
  readonly onLive: (from: string) => void;
}

/** What is remembered of the archive between lines. */
type State = Readonly<Record<string, string>>;

/**
 * What comes in on one line, strictly one after the other: first what the archive has beyond the cursor, then what came live
 * meanwhile, then what comes. A message, and the cursor behind it, are stored in one step; only then the writer and the server are told.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #line: Line;
  readonly #archive: Archive | undefined;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** @param archive undefined where the server keeps none */
  constructor(options: InboxOptions, line: Line, archive: Archive | undefined) {
    this.#options = options;
    this.#line = line;
    this.#archive = archive;
  }

  /**
   * Marks where the archive stands when the account is used for the first time: what was said before is nobody's question to the
   * agent. To be called before our presence is announced.
   * @throws StoreError, TransportError, StanzaRefused
   */
  async begin(): Promise<void> {
    if (this.#archive && this.#state('cursor') === undefined) await this.#markNow(this.#archive);
  }

  /** Begins to catch up. To be called once our presence is announced: between the two nothing falls through. */
  catchUp(): void {
    this.#tail = this.#tail.then(() => this.#guarded(() => this.#readArchive()));
  }

  /** Takes a live message, or the copy of one; `done` is called once it is on disk. */
  take(message: Stanza, done: () => void): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#line.fail(lineLost('backlog_full', 'Too many messages wait to be stored', 'unknown'));
      return;
    }
    this.#waiting += 1;
    this.#tail = this.#tail.then(() =>
      this.#guarded(async () => {
        this.#waiting -= 1;
        await this.#live(withoutCover(message, this.#options.conversation.own));
        done();
      }),
    );
  }

  /** A step that fails ends the line: what was not stored comes again on the next one. */
  async #guarded(step: () => Promise<void>): Promise<void> {
    if (this.#line.over) return;
    try {
      await step();
    } catch (error) {
      this.#line.fail(error instanceof Error ? error : new Error('a message could not be taken'));
    }
  }

  // ------------------------------------------------------------ the archive

  async #readArchive(): Promise<void> {
    const archive = this.#archive;
    const cursor = this.#state('cursor');
    if (!archive || cursor === undefined) return;
    try {
      await this.#readOn(archive, cursor === '' ? { from: 'start' } : { after: cursor });
    } catch (error) {
      if (!(error instanceof StanzaRefused && error.condition === 'item-not-found')) throw error;
      // The archive has dropped the message we stopped at: go by time.
      const at = Number(this.#state('cursor_at'));
      await (Number.isFinite(at) && at > 0
        ? this.#readOn(archive, { since: at - OVERLAP_MS })
        : this.#markNow(archive));
    }
  }

  /** An empty cursor says that the archive was empty: all that is ever in it is new. */
  async #markNow(archive: Archive): Promise<void> {
    const { last } = await archive.page({ from: 'end' }, 1);
    await this.#store([], { cursor: last ?? '', cursor_at: String(this.#options.context.clock.now()) });
  }

  async #readOn(archive: Archive, start: Parameters<Archive['page']>[0]): Promise<void> {
    for (let position = start; ;) {
      await this.#room();
      const { messages, last, complete } = await archive.page(position, PAGE);
      if (last !== undefined) await this.#takePage(messages, last);
      if (complete || last === undefined) return;
      position = { after: last };
    }
  }

  async #takePage(messages: readonly Archived[], last: string): Promise<void> {
    const verdicts = messages.map(({ message, archiveId, stamp }) => this.#judge(message, { archiveId, stamp }));
    const stamp = messages.at(-1)?.stamp ?? this.#options.context.clock.now();
    await this.#store(verdicts, { cursor: last, cursor_at: String(stamp) });
    for (const verdict of verdicts) await this.#confirm(verdict, 'archive');
  }

  // ------------------------------------------------------------ the live stream

  async #live(message: Stanza): Promise<void> {
    const { conversation, context, onLive } = this.#options;
    const verdict = this.#judge(message, {});
    if (verdict.kind === 'nothing') return;
    await this.#room();
    const archiveId = archiveIdOf(message, conversation.own);
    const isOurs = verdict.kind === 'message' && this.#archive !== undefined && archiveId !== undefined;
    await this.#store([verdict], isOurs ? { cursor: archiveId, cursor_at: String(context.clock.now()) } : {});
    if (verdict.kind === 'message') onLive(verdict.from);
    await this.#confirm(verdict, 'live');
  }

  #judge(message: Stanza, origin: Origin): Verdict {
    return readMessage(message, this.#options.conversation, origin, newStanzaId());
  }

  async #store(verdicts: readonly Verdict[], state: State): Promise<void> {
    const { context, consumer, accountId } = this.#options;
    const messages: { accountId: string; message: InboundMessage }[] = [];
    const ignored: { accountId: string; reason: string }[] = [];
    for (const verdict of verdicts) {
      if (verdict.kind === 'message') messages.push({ accountId, message: verdict.message });
      if (verdict.kind === 'ignored') ignored.push({ accountId, reason: verdict.reason });
    }
    await context.intake.commit({ consumer, state, messages, ignored });
  }

  /** Tells the writer that the message is with us (XEP-0184). */
  async #confirm(verdict: Verdict, source: 'live' | 'archive'): Promise<void> {
    if (verdict.kind !== 'message' || verdict.receiptFor === undefined) return;
    // Whoever wrote long ago may write from elsewhere now.
    const to = source === 'live' ? verdict.from : toBare(verdict.from);
    const received = el('received', { xmlns: NS.receipts, id: verdict.receiptFor });
    await this.#line.send(el('message', { to, type: 'chat', id: newStanzaId() }, received)).catch(() => undefined);
  }

  /** Ends with the line: somebody who has no room must not hold what is over. */
  async #room(): Promise<void> {
    const { context, accountId } = this.#options;
    const over = new AbortController();
    const stop = this.#line.onLost((reason) => over.abort(reason));
    try {
      await context.intake.roomFor([accountId], over.signal);
    } finally {
      stop();
    }
  }

  #state(key: 'cursor' | 'cursor_at'): string | undefined {
    return this.#options.context.intake.state(this.#options.consumer, key);
  }
}
