import type { Clock, Timer } from '../base/clock.js';
import { ProtocolError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ErrorCode } from '../protocol/index.js';
import type { Activities } from './activity.js';
import type { OutboundRoute } from './delivery.js';
import type { Lanes } from './lane.js';
import { entryIdOf, type Ledger, type LedgerEntry } from './ledger.js';
import type { DeliveryConfig } from './options.js';
import type { Sessions } from './sessions.js';
import { StreamView, type StreamHandle } from './stream-view.js';

/** Upper bound of the interval at which unfinished answers are looked through; half of `deltas.ttlMs` is the other. */
const DELTA_SWEEP_MAX_MS = 30_000;
/** Counted beside a delta's text against `deltas.maxBytesPerMessage`, so that empty deltas are bounded as well. */
const DELTA_OVERHEAD_BYTES = 16;

interface Growing {
  readonly kind: 'growing';
  touchedAt: number;
  nextSequence: number;
  text: string;
  bytes: number;
  /** Where each delta's text ends, while they fit: a repeat is compared with what came first. */
  readonly ends: number[];
  readonly view: StreamView | undefined;
}

/** One unfinished answer, or the note that no more deltas of it are wanted; a preview of it waits for the final all the same. */
type DeltaState =
  | Growing
  | {
      readonly kind: 'ended';
      touchedAt: number;
      readonly view: StreamView | undefined;
      /** What came before its sequence broke: none that follows is the next one. Undefined where its final came. */
      readonly broken: Growing | undefined;
    };

interface StreamsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: DeliveryConfig['deltas'];
  readonly sessions: Sessions;
  readonly ledger: Ledger;
  readonly lanes: Lanes;
  readonly activities: Activities;
  /** Whether the final of this message is being delivered. */
  readonly isRunning: (channelId: string, entryId: string) => boolean;
}

/**
 * Deltas of unfinished answers: checked, kept within bounds, and shown where the network can stream (IM Profile v2 section 6).
 * Whatever happens here, the final message is right by itself.
 */
export class Streams {
  readonly #deps: StreamsDeps;
  /** Per channel, the least recently begun first. */
  readonly #channels = new Map<string, Map<string, DeltaState>>();
  #timer: Timer;

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
    this.#timer = this.#scheduleSweep();
  }

  /** @throws ProtocolError `delta_sequence_conflict` */
  delta(route: OutboundRoute, messageId: string, sequence: number, text: string): void {
    const states = this.#statesOf(route.channelId);
    let state = states.get(messageId);
    if (!state) {
      if (this.#isFinal(route.channelId, messageId)) return;
      state = this.#begin(route, messageId);
      this.#put(states, messageId, state);
    }
    state.touchedAt = this.#deps.clock.monotonic();
    const before = state.kind === 'growing' ? state : state.broken;
    if (!before || isRepeat(before, sequence, text)) return;
    if (state.kind === 'ended' || sequence !== state.nextSequence) {
      if (state.kind === 'growing') this.#break(states, messageId, state);
      throw new ProtocolError(ErrorCode.deltaSequenceConflict, 'delta sequence is not the next one');
    }
    this.#append(state, text);
  }

  /**
   * The final came: nothing of this message is begun any more. Resolves with the preview at the account's network, if there is
   * one; one that was begun for an account that the channel had before stays behind.
   */
  async finish(route: OutboundRoute, messageId: string): Promise<StreamHandle | undefined> {
    const states = this.#statesOf(route.channelId);
    const state = states.get(messageId);
    if (!state) return undefined;
    const touchedAt = this.#deps.clock.monotonic();
    states.set(messageId, { kind: 'ended', touchedAt, view: undefined, broken: undefined });
    const handle = await state.view?.stop();
    return state.view?.accountId === route.accountId ? handle : undefined;
  }

  /** Whether an answer of the channel has begun and its final has not come. */
  isGrowing(channelId: string): boolean {
    return [...(this.#channels.get(channelId)?.values() ?? [])].some(({ kind }) => kind === 'growing');
  }

  /** Resolves when no preview of the channel is being opened or updated any more. */
  async forgetChannel(channelId: string): Promise<void> {
    const states = [...(this.#channels.get(channelId)?.values() ?? [])];
    this.#channels.delete(channelId);
    await Promise.all(states.map(abandonView));
  }

  close(): void {
    this.#timer.cancel();
    for (const channelId of [...this.#channels.keys()]) void this.forgetChannel(channelId);
  }

  #begin(route: OutboundRoute, messageId: string): DeltaState {
    return {
      kind: 'growing',
      touchedAt: 0,
      nextSequence: 1,
      text: '',
      bytes: 0,
      ends: [],
      view: this.#viewOf(route, messageId),
    };
  }

  #viewOf(route: OutboundRoute, messageId: string): StreamView | undefined {
    const { sessions, ledger, lanes, activities, clock, log } = this.#deps;
    if (!sessions.get(route.accountId)?.stream) return undefined;
    const entryId = entryIdOf({ kind: 'message', id: messageId });
    // The agent streams the same answer again after a restart of ours: the preview that is there goes on.
    const before = ledger.find(route.channelId, entryId)?.detail;
    const left = before?.accountId === route.accountId ? before.stream : undefined;
    const deps = {
      accountId: route.accountId,
      clock,
      log,
      stream: () => sessions.get(route.accountId)?.stream,
      inTurn: <T>(task: () => Promise<T>) => lanes.runPreview(route.accountId, task),
      onShown: () => activities.clear(route.accountId),
      onOpened: async (handle: StreamHandle) => {
        if (handle.visible) await ledger.record(streamingEntry(route, entryId, handle.handle));
      },
    };
    return new StreamView(deps, left === undefined ? undefined : { handle: left, visible: true });
  }

  #append(state: Growing, text: string): void {
    state.nextSequence += 1;
    state.bytes += Buffer.byteLength(text) + DELTA_OVERHEAD_BYTES;
    // The preview stops growing here; the final is complete in itself.
    if (state.bytes > this.#deps.options.maxBytesPerMessage) return;
    state.text += text;
    state.ends.push(state.text.length);
    if (state.text !== '') state.view?.show(state.text);
  }

  #break(states: Map<string, DeltaState>, messageId: string, broken: Growing): void {
    const { view, touchedAt } = broken;
    void view?.stop();
    // What the person saw of it becomes the final, not a second copy beside it.
    states.set(messageId, { kind: 'ended', touchedAt, view, broken });
  }

  /** Deltas that come after their final say nothing new. */
  #isFinal(channelId: string, messageId: string): boolean {
    const entryId = entryIdOf({ kind: 'message', id: messageId });
    if (this.#deps.isRunning(channelId, entryId)) return true;
    const entry = this.#deps.ledger.find(channelId, entryId);
    return entry !== undefined && entry.state !== 'streaming';
  }

  #put(states: Map<string, DeltaState>, messageId: string, state: DeltaState): void {
    states.set(messageId, state);
    if (states.size <= this.#deps.options.capacityPerChannel) return;
    // What has ended goes before what still grows.
    const entries = [...states];
    const [oldestId, oldest] = entries.find(([, { kind }]) => kind === 'ended') ?? entries[0] ?? [messageId, state];
    void abandonView(oldest);
    states.delete(oldestId);
  }

  #statesOf(channelId: string): Map<string, DeltaState> {
    let states = this.#channels.get(channelId);
    if (!states) {
      states = new Map();
      this.#channels.set(channelId, states);
    }
    return states;
  }

  #scheduleSweep(): Timer {
    const interval = Math.min(DELTA_SWEEP_MAX_MS, Math.ceil(this.#deps.options.ttlMs / 2));
    return this.#deps.clock.after(interval, () => {
      this.#sweep();
      this.#timer = this.#scheduleSweep();
    });
  }

  #sweep(): void {
    const { clock, options } = this.#deps;
    for (const [channelId, states] of this.#channels) {
      for (const [messageId, state] of states) {
        if (clock.monotonic() - state.touchedAt < options.ttlMs) continue;
        void abandonView(state);
        states.delete(messageId);
      }
      if (states.size === 0) this.#channels.delete(channelId);
    }
  }
}

/** Whether this very delta came before; beyond the bytes that are kept there is no text to compare. */
function isRepeat(state: Growing, sequence: number, text: string): boolean {
  if (sequence >= state.nextSequence) return false;
  const end = state.ends[sequence - 1];
  if (end === undefined) return true;
  return state.text.slice(state.ends[sequence - 2] ?? 0, end) === text;
}

async function abandonView(state: DeltaState): Promise<void> {
  await state.view?.abandon();
}

function streamingEntry(route: OutboundRoute, entryId: string, handle: string): LedgerEntry {
  return {
    channelId: route.channelId,
    entryId,
    contentHash: '',
    state: 'streaming',
    partsSent: 0,
    inDoubt: false,
    detail: { accountId: route.accountId, messageIds: [], stream: handle },
  };
}
