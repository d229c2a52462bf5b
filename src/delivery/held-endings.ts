import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { ErrorCode } from '../protocol/index.js';
import type { Sql, Store } from '../store/index.js';
import { Reason } from './dispatcher.js';
import { insertEndedReply, type EndedOutcome } from './ended-log.js';
import type { HeldItem, HeldLot } from './held-lot.js';
import { HELD_WORDS } from './held-limits.js';
import { factsOf, type HeldReply } from './held-store.js';
import { deleteHeld, refusedEntry, type Ledger } from './ledger.js';
import { rejected } from './part-sender.js';
import type { WriteBehind } from './write-behind.js';

/** Why a held message ends unsent. */
export interface HeldEnding {
  readonly outcome: EndedOutcome;
  /** What its agent is told from now on. */
  readonly refusal: { readonly code: string; readonly message: string };
  /** What people are told, where that is not the refusal's code. */
  readonly reason?: string;
  readonly counter?: string;
}

/** How a message ends whose account signed out. */
export function signedOut(reason?: string): HeldEnding {
  const refusal = { code: ErrorCode.connectionNotAuthenticated, message: HELD_WORDS.signedOut };
  return { outcome: 'discarded', refusal, ...(reason !== undefined && { reason }) };
}

interface HeldEndingsDeps {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly writeBehind: WriteBehind;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: (accountId: string) => void;
}

/** Ends held messages unsent: for the agent in the ledger, for people in the list of what ended. */
export class HeldEndings {
  readonly #deps: HeldEndingsDeps;

  constructor(deps: HeldEndingsDeps) {
    this.#deps = deps;
  }

  /** Known to the ledger before it is forgotten here: a repeat in between must not look new. */
  async end(lot: HeldLot, item: HeldItem, ending: HeldEnding): Promise<void> {
    const { ledger, onChange } = this.#deps;
    const { outcome, refusal, reason, counter } = ending;
    const entry = ledger.find(item.reply.channelId, item.reply.entryId);
    if (entry) await ledger.record(refusedEntry(entry, refusal), counter);
    if (!lot.items.includes(item)) return;
    lot.remove(item);
    // It goes with its entry; without one it would come back with the next start.
    this.note(item.reply, outcome, reason ?? refusal.code, (sql) => deleteHeld(sql, item.reply));
    item.answer?.(rejected(refusal.code, refusal.message, false));
    onChange(item.reply.accountId);
  }

  /** It can't be read any more. It is kept no longer, so that who repeats it has it sent; others find it among what ended. */
  lose(reply: HeldReply): void {
    const { accountId } = reply;
    this.#deps.log.error(
      { code: 'row_damaged', accountId, messageId: factsOf(reply).messageId },
      'a held message can not be read',
    );
    this.note(reply, 'discarded', Reason.unreadable, (sql) => deleteHeld(sql, reply));
  }

  /** For people to read. @param also written in the same transaction */
  note(reply: HeldReply, outcome: EndedOutcome, reason: string, also: (sql: Sql) => void = () => undefined): void {
    const { store, clock, log, writeBehind } = this.#deps;
    const { accountId } = reply;
    const facts = factsOf(reply);
    const endedAt = clock.steady();
    log.warn({ accountId, messageId: facts.messageId, outcome, reason }, 'a held message ended unsent');
    void writeBehind.run(() =>
      store.write((sql) => {
        insertEndedReply(sql, { accountId, facts }, { outcome, reason, endedAt });
        also(sql);
      }),
    );
  }
}
