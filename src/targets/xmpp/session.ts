import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { sleep } from '../../base/clock.js';
import { describeError, TransportError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/loopback.js';
import type { StoredFile } from '../../files/file-store.js';
import { StoreError } from '../../store/store.js';
import { startPollLoop, type PollLoop, type StepFailure } from '../supervisor.js';
import type {
  AccountHandle,
  OutboundMessage,
  OutboundPart,
  Receipt,
  RemoteAttachment,
  StreamCapable,
  TargetSession,
  TypingCapable,
} from '../target.js';
import { bareOf } from './addresses.js';
import { availablePresence, hasFeature } from './answers.js';
import { Archive, keepsEverything } from './archive.js';
import { bindingFromJson, consumerOf, type XmppBinding } from './binding.js';
import { askForCopies } from './carbons.js';
import { openLine, type Connecting } from './connecting.js';
import { downloadFile } from './download.js';
import { conditionOf, lineLost, StanzaRefused } from './errors.js';
import { Inbox } from './inbox.js';
import type { Line } from './line.js';
import { NS } from './namespaces.js';
import { Outbox, type Connected } from './outbox.js';
import { chatStateStanza, planMessage, stanzaIdOf, wordsStanza, type ChatState } from './outbound.js';
import { Peer } from './peer.js';
import { newStanzaId } from './requests.js';
import { el, type Stanza } from './stanza.js';
import { XmppStream, type StreamCalls } from './stream.js';
import { Unproven } from './unproven.js';
import { findUploadService, uploadFile, type UploadService } from './upload.js';

/** A line that is quiet for this long is asked whether it is still there; milliseconds. */
const PING_AFTER_MS = 45_000;
/** A step is a connection to each of a few places, or the quiet time and its ping. */
const STEP_DEADLINE_MS = 140_000;
const BACKOFF = { initialMs: 1_000, maxMs: 60_000 };
/**
 * Another program took our resource. Who comes back at once takes it back, and the two throw each other out for ever (RFC 6120
 * section 7.7.2.2); milliseconds, the second at random.
 */
const USED_ELSEWHERE_DELAY_MS = 60_000;
const USED_ELSEWHERE_JITTER_MS = 60_000;
/** Clients take typing to have stopped after about half a minute. */
const TYPING_KEEP_ALIVE_MS = 20_000;

/** The line that is up, and what belongs to it alone. */
interface Up extends Connected {
  upload: Promise<UploadService | undefined> | undefined;
}

/** One account at work: a conversation between the agent's own address and a person. */
export class XmppSession implements TargetSession, StreamCalls {
  readonly typing: TypingCapable;
  readonly stream: StreamCapable;
  readonly #account: AccountHandle;
  readonly #binding: XmppBinding;
  readonly #connecting: Connecting;
  readonly #closed: () => void;
  readonly #own: string;
  readonly #peer: string;
  readonly #consumer: string;
  readonly #outbox: Outbox;
  readonly #person: Peer;
  readonly #loop: PollLoop;
  /** Links to files that are uploaded, by the part that shows them. */
  readonly #links = new WeakMap<OutboundPart, string>();
  #up: Up | undefined;
  #provenAt = 0;
  /** The last line broke because a message could not be stored. */
  #diskRefused = false;

  constructor(account: AccountHandle, connecting: Connecting, closed: () => void) {
    const { context } = connecting;
    this.#account = account;
    this.#binding = bindingFromJson(account.binding);
    this.#connecting = connecting;
    this.#closed = closed;
    this.#own = bareOf(this.#binding.account);
    this.#peer = bareOf(this.#binding.peer);
    this.#consumer = consumerOf(account.accountId);
    this.#outbox = new Outbox(new Unproven(context.intake, this.#consumer));
    this.#person = new Peer(this.#peer, context.log);
    this.typing = {
      keepAliveMs: TYPING_KEEP_ALIVE_MS,
      show: () => this.#sayState('composing'),
      clear: () => this.#sayState('paused'),
    };
    this.stream = new XmppStream(this);
    this.#loop = startPollLoop({
      clock: context.clock,
      log: context.log,
      random: context.random,
      backoff: BACKOFF,
      deadlineMs: STEP_DEADLINE_MS,
      step: (signal) => this.#step(signal),
      report: (state) => account.report(state),
      renew: () => this.#drop(),
      classify: (error) => (error instanceof TransportError ? usedElsewhere(error.code, context.random) : undefined),
    });
  }

  get lastRoundTripAt(): number | undefined {
    return this.#provenAt === 0
      ? this.#loop.lastRoundTripAt
      : Math.max(this.#provenAt, this.#loop.lastRoundTripAt ?? 0);
  }

  /** A repeat asks the archive, where it keeps everything: what the last sign-in found, also while there is no line. */
  get idempotentSends(): boolean {
    return this.#connecting.context.intake.state(this.#consumer, 'archive') === 'everything';
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    return planMessage(message);
  }

  async prepare(part: OutboundPart, signal: AbortSignal): Promise<void> {
    if (part.kind === 'file') this.#links.set(part, await this.#upload(part.file, this.#connected(), signal));
  }

  send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    return this.deliver(part, key, signal);
  }

  fetch(attachment: RemoteAttachment, signal: AbortSignal): Promise<Readable> {
    const { account, peer } = this.#binding;
    const rules = { ownDomains: [account.domain, peer.domain], loopback: this.#isLoopback };
    return downloadFile(this.#connecting.context, rules, attachment, signal);
  }

  wake(): void {
    this.#loop.wake();
  }

  async close(): Promise<void> {
    this.#closed();
    const line = this.#up?.line;
    this.#up = undefined;
    await Promise.all([this.#loop.stop(), line?.close()]);
  }

  // ------------------------------------------------------------ the line

  /** One round trip: signing in where there is no line, else a ping once it was quiet for a while. */
  async #step(signal: AbortSignal): Promise<void> {
    const line = this.#up?.line;
    try {
      if (!line) await this.#connect(signal);
      else await this.#watch(line, signal);
    } catch (error) {
      if (error instanceof StoreError) this.#diskRefused = true;
      throw error;
    }
  }

  /** A line that would break again with the first message is not begun: the server is not bothered, and nothing looks connected. */
  async #diskTakes(): Promise<void> {
    if (!this.#diskRefused) return;
    const { intake, clock } = this.#connecting.context;
    // Something that differs from what is there, or nothing would be written.
    await intake.commit({ consumer: this.#consumer, state: { disk_at: String(clock.now()) }, messages: [] });
    this.#diskRefused = false;
  }

  async #watch(line: Line, signal: AbortSignal): Promise<void> {
    const until = new AbortController();
    const onAbort = (): void => until.abort(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    const stop = line.onLost((reason) => until.abort(reason));
    try {
      await sleep(this.#connecting.context.clock, PING_AFTER_MS, until.signal);
      await line.ping();
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop();
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    await this.#diskTakes();
    const resource = resourceFor(this.#account.accountId);
    const who = { account: this.#binding.account, password: this.#account.credentials['password'] ?? '', resource };
    // Nothing comes before our presence is sent, and by then the handlers are in place.
    let takes: (message: Stanza, done: () => void) => void = (_message, done) => done();
    let notes: (presence: Stanza) => void = () => undefined;
    const handlers = {
      onMessage: (message: Stanza, done: () => void) => takes(message, done),
      onPresence: (presence: Stanza) => notes(presence),
    };
    const line = await openLine(this.#connecting, who, handlers, signal);
    // Nobody waits for a server that has gone silent half-way.
    const onAbort = (): void => line.fail(lineLost('aborted', 'The connection was abandoned', 'none'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const ask = line.ask.bind(line);
      const isArchived = await this.#hasArchive(line);
      const archive = isArchived ? new Archive(ask, this.#own, this.#peer) : undefined;
      const everything = isArchived && (await keepsEverything(ask, this.#peer));
      void askForCopies(ask, this.#connecting.context.log);
      await this.#remember(everything);
      const inbox = this.#inboxOn(line, archive);
      takes = (message, done) => this.#take(message, done, { line, inbox, archive });
      notes = (presence) => this.#person.presence(presence, line);
      await inbox.begin();
      await line.send(availablePresence());
      inbox.catchUp();
      await line.settled();
      if (signal.aborted) throw lineLost('aborted', 'The connection was abandoned', 'none');
      this.#up = { line, archive, keepsEverything: everything, resource, upload: undefined };
      void this.#introduce(line);
    } catch (error) {
      line.fail(error instanceof Error ? error : new Error('the line could not be set up'));
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #inboxOn(line: Line, archive: Archive | undefined): Inbox {
    const { context } = this.#connecting;
    const { accountId } = this.#account;
    const conversation = { own: this.#own, peer: this.#peer };
    const onLive = (from: string): void => this.#person.wrote(from, line);
    return new Inbox({ context, accountId, consumer: this.#consumer, conversation, onLive }, line, archive);
  }

  async #hasArchive(line: Line): Promise<boolean> {
    try {
      const info = await line.ask({ type: 'get', to: this.#own, child: el('query', { xmlns: NS.discoInfo }) });
      return hasFeature(info, NS.archive);
    } catch (error) {
      if (error instanceof StanzaRefused) return false;
      throw error;
    }
  }

  async #remember(everything: boolean): Promise<void> {
    if (everything === this.idempotentSends) return;
    const state = { archive: everything ? 'everything' : null };
    await this.#connecting.context.intake.commit({ consumer: this.#consumer, state, messages: [] });
  }

  async #introduce(line: Line): Promise<void> {
    const { intake, log } = this.#connecting.context;
    if (intake.state(this.#consumer, 'introduced') !== undefined) return;
    try {
      if (await this.#person.introduce(line)) {
        await intake.commit({ consumer: this.#consumer, state: { introduced: '1' }, messages: [] });
      }
    } catch (error) {
      log.debug({ error: describeError(error) }, 'that the person was asked is not noted');
    }
  }

  #drop(): void {
    this.#up?.line.fail(lineLost('connection_lost', 'The line was given up', 'unknown'));
    this.#up = undefined;
  }

  #take(
    message: Stanza,
    done: () => void,
    { line, inbox, archive }: { line: Line; inbox: Inbox; archive: Archive | undefined },
  ): void {
    if (archive?.take(message)) done();
    else if (message.attrs['type'] === 'error') {
      this.#bounced(message, line);
      done();
    } else inbox.take(message, done);
  }

  #bounced(message: Stanza, line: Line): void {
    const condition = conditionOf(message);
    if (!this.#outbox.bounced(line, message.attrs['id'] ?? '', condition)) {
      this.#connecting.context.log.info({ condition }, 'a message came back after it was taken');
    }
  }

  // ------------------------------------------------------------ sending

  get to(): string {
    return this.#peer;
  }

  get showsCorrections(): boolean {
    return this.#person.correctsMessages;
  }

  async show(stanza: Stanza): Promise<void> {
    await this.#connected().line.send(stanza);
  }

  async deliver(part: OutboundPart, key: string, signal: AbortSignal, replaces?: string): Promise<Receipt> {
    const up = this.#connected();
    const words = await this.#wordsOf(part, up, signal);
    // A message of spaces alone shows nothing; between two parts of a text nobody misses it.
    if (words.text.trim() === '' && replaces === undefined) return { messageId: undefined };
    if (signal.aborted) throw lineLost('aborted', 'The message was abandoned', 'none');
    const id = stanzaIdOf(key);
    const stanza = wordsStanza({ to: this.#peer, id, ...words, replaces });
    await this.#outbox.send(stanza, id, up, replaces !== undefined);
    this.#provenAt = this.#connecting.context.clock.now();
    return { messageId: replaces ?? id };
  }

  async #wordsOf(part: OutboundPart, up: Up, signal: AbortSignal): Promise<{ text: string; isLink: boolean }> {
    if (part.kind === 'text') return { text: part.text, isLink: false };
    return { text: this.#links.get(part) ?? (await this.#upload(part.file, up, signal)), isLink: true };
  }

  /** @returns the link */
  async #upload(file: StoredFile, up: Up, signal: AbortSignal): Promise<string> {
    const { context } = this.#connecting;
    const ask = up.line.ask.bind(up.line);
    up.upload ??= findUploadService(ask, this.#binding.account.domain).catch((error: unknown) => {
      up.upload = undefined;
      throw error;
    });
    return uploadFile(ask, context, await this.#found(up.upload), file, this.#isLoopback, signal);
  }

  /** Looking for the service has no effect at the network, however it ends. */
  async #found<T>(search: Promise<T>): Promise<T> {
    try {
      return await search;
    } catch {
      throw lineLost('connection_lost', 'The line broke before the file was sent', 'none');
    }
  }

  async #sayState(state: ChatState): Promise<void> {
    try {
      await this.#up?.line.send(chatStateStanza(this.#peer, newStanzaId(), state));
    } catch (error) {
      this.#connecting.context.log.debug({ error: describeError(error) }, 'typing was not shown');
    }
  }

  #connected(): Up {
    if (!this.#up || this.#up.line.over) throw lineLost('not_connected', 'There is no line to the server', 'none');
    return this.#up;
  }

  get #isLoopback(): boolean {
    const { service } = this.#connecting;
    return service !== null && isLoopbackHost(new URL(service).hostname);
  }
}

function usedElsewhere(code: string, random: () => number): StepFailure | undefined {
  if (code !== 'used_elsewhere') return undefined;
  const delayMs = USED_ELSEWHERE_DELAY_MS + Math.round(USED_ELSEWHERE_JITTER_MS * random());
  return { next: 'retry', code, delayMs, status: 'offline' };
}

/** The same for each line of an account: a new one takes the place of what is left of the old. It tells nothing to others. */
function resourceFor(accountId: string): string {
  return `xagent-${createHash('sha256').update(accountId).digest('hex').slice(0, 16)}`;
}
