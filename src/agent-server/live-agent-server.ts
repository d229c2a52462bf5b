import type { Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ServedAccount } from '../connector/agent-server-port.js';
import type { OfferedMessage, Upstream } from '../delivery/delivery.js';
import type { JsonObject } from '../e2a/index.js';
import { answerChannelOf, type AgentServer, type AgentServerCounter } from './agent-server.js';
import type { AgentServerFacts, AgentServerSetup, LinkCode } from './agent-server.js';
import { AnswerFiles } from './answer-files.js';
import { BoundedMap } from './bounded-map.js';
import { Conversation } from './conversation.js';
import { InboundFiles } from './inbound-files.js';
import { Link } from './link.js';
import { ANSWER_TTL_MS, Outbox } from './outbox.js';
import { brokenRuns, dropQuestionOf, endRun, findSessionById, forgetAccount, putAnswer } from './records.js';
import { Requests, type Push } from './requests.js';
import { responseLine } from './response-log.js';
import { say } from './words.js';

/** How long an unused connection is kept, milliseconds: an account that signs in anew leaves and comes back. */
export const LINGER_MS = 10_000;
/** Ids by which pushes find their conversation. */
const KNOWN_IDS = 5_000;
/** How often copies of inbound files are looked through, milliseconds. */
const SWEEP_MS = 3_600_000;

interface Served {
  readonly account: ServedAccount;
  readonly upstream: Upstream;
  readonly conversations: Map<string, Conversation>;
}

/** {@link AgentServer}: who is served, over which connection, and which conversation a frame belongs to. */
export class LiveAgentServer implements AgentServer {
  readonly #setup: AgentServerSetup;
  readonly #log: Logger;
  readonly #link: Link;
  readonly #requests: Requests;
  readonly #outbox: Outbox;
  readonly #answerFiles: AnswerFiles;
  readonly #inboundFiles: InboundFiles;
  /** Accounts that have a session and deliver here. */
  readonly #served = new Map<string, Served>();
  /** And those that did so before, whose requests may still run. */
  readonly #left = new Map<string, Served>();
  readonly #known = new BoundedMap<string, Conversation>(KNOWN_IDS);
  readonly #listeners = new Set<() => void>();
  readonly #counters: Record<AgentServerCounter, number> = {
    answered: 0,
    failed: 0,
    interrupted: 0,
    asked: 0,
    lost: 0,
    dropped_frames: 0,
  };
  readonly #offChange: () => void;
  #linger: Timer | undefined;
  #sweep: Timer | undefined;
  #hasWarned = false;
  #isClosed = false;

  constructor(setup: AgentServerSetup) {
    const { clock, delivery, options, random } = setup;
    const log = setup.log.child({ upstream: 'agentServer' });
    this.#setup = setup;
    this.#log = log;
    const changed = (): void => this.#changed();
    const deps = { ...setup, log, changed };
    this.#outbox = new Outbox(deps);
    this.#answerFiles = new AnswerFiles(deps);
    this.#inboundFiles = new InboundFiles({ ...deps, ttlMs: options.filesTtlMs, isLocal: options.isLocal });
    this.#link = new Link(options.url, {
      clock,
      log,
      random,
      events: {
        connected: () => this.#connected(),
        frame: (frame, bytes) => this.#frame(frame, bytes),
        lost: (code) => this.#lost(code),
        silent: () => this.#unroute(),
        changed,
      },
    });
    this.#requests = new Requests({
      send: (envelope) => this.#link.send(envelope),
      pushed: (push) => this.#pushed(push),
      dropped: () => this.#count('dropped_frames'),
      idle: () => this.#letGo(),
      idleTimeoutMs: options.idleTimeoutMs,
      clock,
      log,
    });
    this.#offChange = delivery.onChange((accountId) => {
      for (const conversation of this.#served.get(accountId)?.conversations.values() ?? []) conversation.lookAhead();
    });
  }

  async start(): Promise<void> {
    const { store, clock } = this.#setup;
    const broken = brokenRuns(store.sql);
    if (broken.length > 0) {
      const now = clock.steady();
      await store.write((sql) => {
        for (const { requestId, accountId, answerId, language } of broken) {
          const text = say('restarted', language);
          putAnswer(sql, { accountId, answerId, text, fileRefs: [], expiresAt: now + ANSWER_TTL_MS });
          dropQuestionOf(sql, { accountId, requestId });
          endRun(sql, requestId, now, now - this.#setup.options.pendingTtlMs);
        }
      });
      this.#counters.lost += broken.length;
      this.#log.warn(
        { requests: broken.length },
        'requests to the AgentServer were broken off by the end of the program',
      );
    }
    this.#outbox.load();
    this.#sweepFiles();
  }

  // ---------------------------------------------------------------- accounts

  serve(account: ServedAccount): void {
    const { accountId } = account;
    if (this.#isClosed || this.#served.has(accountId)) return;
    const served = this.#left.get(accountId) ?? {
      account,
      conversations: new Map(),
      upstream: { kind: 'agentServer', transmit: (message) => this.#transmit(accountId, message) },
    };
    this.#left.delete(accountId);
    this.#served.set(accountId, served);
    this.#linger?.cancel();
    this.#link.open();
    if (this.#link.isConnected) this.#setup.delivery.route(accountId, served.upstream);
    else this.#setup.delivery.route(accountId, undefined);
    this.#outbox.kick(accountId);
    this.#changed();
  }

  leave(accountId: string): void {
    const served = this.#served.get(accountId);
    if (!served) return;
    this.#served.delete(accountId);
    this.#left.set(accountId, served);
    if (!this.#isClosed) this.#setup.delivery.route(accountId, undefined);
    for (const conversation of served.conversations.values()) conversation.leave();
    this.#letGo();
    this.#changed();
  }

  async forget(accountId: string): Promise<void> {
    const { store, delivery, files } = this.#setup;
    const served = this.#served.get(accountId) ?? this.#left.get(accountId);
    for (const conversation of served?.conversations.values() ?? []) conversation.forget();
    this.leave(accountId);
    this.#left.delete(accountId);
    this.#known.deleteWhere(({ account }) => account.accountId === accountId);
    this.#outbox.forget(accountId);
    try {
      const channelId = answerChannelOf(accountId);
      await store.write((sql) => forgetAccount(sql, accountId));
      await delivery.forgetChannel(channelId);
      await files.deleteFor({ channelId });
      await this.#inboundFiles.forget(accountId);
    } catch (error) {
      this.#log.error({ accountId, error: describeError(error) }, 'what an ended account left could not be cleared');
    }
  }

  // ---------------------------------------------------------------- facts and life

  facts(): AgentServerFacts {
    return {
      state: this.#link.state,
      accounts: this.#served.size,
      running: this.#requests.count,
      waitingAnswers: this.#outbox.waiting,
      counters: { ...this.#counters },
      warning: this.#served.size > 0 ? 'agent_server_second_gateway' : undefined,
    };
  }

  onChange(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  wake(): void {
    this.#link.wake();
  }

  /** What runs is broken off by it, and told to its person at the next start. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#offChange();
    this.#linger?.cancel();
    this.#sweep?.cancel();
    for (const accountId of this.#served.keys()) this.#setup.delivery.route(accountId, undefined);
    this.#requests.close();
    this.#outbox.close();
    this.#link.close();
    this.#listeners.clear();
    return this.#setup.store.flush();
  }

  // ---------------------------------------------------------------- the connection

  #connected(): void {
    const { url } = this.#setup.options;
    this.#log.info({ port: new URL(url).port }, 'connected to the AgentServer');
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      this.#log.warn(
        { code: 'agent_server_second_gateway' },
        'this program must be the only Gateway of its AgentServer: a second one takes its pushes, and when either disconnects the work of both is cancelled',
      );
    }
    for (const [accountId, { upstream }] of this.#served) this.#setup.delivery.route(accountId, upstream);
  }

  #lost(code: LinkCode): void {
    this.#unroute();
    this.#requests.loseAll(code === 'agent_server_frame_too_large' ? 'frame_too_large' : 'connection_lost');
  }

  /** What people write from now on waits. */
  #unroute(): void {
    for (const accountId of this.#served.keys()) this.#setup.delivery.route(accountId, undefined);
  }

  #frame(frame: JsonObject, bytes: number): void {
    this.#setup.responseLog(responseLine(frame, bytes, this.#setup.clock));
    this.#requests.receive(frame);
  }

  /** Ends the connection when nobody has needed it for a while. */
  #letGo(): void {
    const isUnused = (): boolean => this.#served.size === 0 && this.#requests.count === 0;
    if (!isUnused() || this.#isClosed) return;
    this.#linger?.cancel();
    this.#linger = this.#setup.clock.after(LINGER_MS, () => {
      if (!isUnused()) return;
      this.#link.close();
      this.#left.clear();
    });
  }

  // ---------------------------------------------------------------- conversations

  async #transmit(accountId: string, message: OfferedMessage): Promise<'sent' | 'done'> {
    const served = this.#served.get(accountId);
    if (!served) throw new Error('the account is not served');
    return this.#conversation(served, message.message.conversation.id).transmit(message);
  }

  #conversation(served: Served, conversationId: string): Conversation {
    let conversation = served.conversations.get(conversationId);
    if (!conversation) {
      const created: Conversation = new Conversation(served.account, conversationId, {
        ...this.#setup,
        log: this.#log,
        requests: this.#requests,
        outbox: this.#outbox,
        answerFiles: this.#answerFiles,
        inboundFiles: this.#inboundFiles,
        count: (counter) => this.#count(counter),
        known: (id) => this.#known.set(id, created),
      });
      conversation = created;
      served.conversations.set(conversationId, created);
    }
    return conversation;
  }

  #pushed(push: Push): void {
    const conversation = this.#known.get(push.requestId) ?? this.#known.get(push.sessionId) ?? this.#restored(push);
    if (!conversation) {
      this.#count('dropped_frames');
      this.#log.debug('a push of the AgentServer for a conversation that nobody here has');
      return;
    }
    conversation.pushed(push.requestId, push.payload).catch((error: unknown) => {
      this.#log.warn({ error: describeError(error) }, 'a push of the AgentServer could not be passed on');
    });
  }

  /** The conversation of a session that an earlier run of the program had. */
  #restored({ sessionId }: Push): Conversation | undefined {
    const row = findSessionById(this.#setup.store.sql, sessionId);
    const served = row && this.#served.get(row.accountId);
    return served && this.#conversation(served, row.conversationId);
  }

  #sweepFiles(): void {
    void this.#inboundFiles.sweep();
    this.#sweep = this.#setup.clock.after(SWEEP_MS, () => this.#sweepFiles());
  }

  #count(counter: AgentServerCounter): void {
    this.#counters[counter] += 1;
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
