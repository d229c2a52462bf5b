import { TargetRefusal } from '../base/errors.js';
import type { FileStore, StoredFile } from '../files/file-store.js';
import { ErrorCode } from '../protocol/index.js';
import type { OutboundPart, TargetSession } from '../targets/target.js';
import type { OutboundVerdict } from './delivery.js';
import type { HeldReply } from './held-store.js';
import { mayRepeat, type Ledger, type LedgerEntry } from './ledger.js';
import type { Batch, Waiting } from './merging.js';
import { CALL_BUDGET_MS, PartSender, REJECTED, rejected, type PartSenderDeps } from './part-sender.js';

/** A held message as it can be sent now. */
export interface Sendable extends Waiting {
  readonly entry: LedgerEntry;
  readonly parts: readonly OutboundPart[];
}

/** A held message that can't be sent any more, and why. */
export interface Unsendable {
  readonly refusal: { readonly code: string; readonly message: string };
}

interface HeldSenderDeps extends PartSenderDeps {
  readonly ledger: Ledger;
  readonly files: Pick<FileStore, 'get'>;
}

/** Brings held messages to the network: one as it is, or several as one. */
export class HeldSender {
  readonly #deps: HeldSenderDeps;

  constructor(deps: HeldSenderDeps) {
    this.#deps = deps;
  }

  prepare(session: TargetSession, reply: HeldReply): Sendable | Unsendable {
    const entry = this.#entryOf(reply);
    if (entry.inDoubt && !mayRepeat(entry, session, this.#deps.clock.steady())) {
      return { refusal: { code: ErrorCode.deliveryUnknown, message: REJECTED.unknown } };
    }
    const files = reply.files.map(({ fileRef }) => this.#deps.files.get(fileRef));
    if (!files.every(isThere)) {
      return { refusal: { code: ErrorCode.fileRefNotFound, message: 'a file of the message expired' } };
    }
    try {
      const parts = session.plan({ text: reply.text, files });
      const { stream } = entry.detail;
      return {
        entry,
        parts,
        channelId: reply.channelId,
        text: reply.text,
        needs: parts.length - entry.partsSent,
        isWhole: entry.partsSent === 0 && !entry.inDoubt && stream === undefined && files.length === 0,
      };
    } catch (error) {
      if (!(error instanceof TargetRefusal)) throw error;
      return { refusal: { code: error.code, message: error.message } };
    }
  }

  /** Sends the first messages as one, or the first one in its parts. */
  async send(
    session: TargetSession,
    sendables: readonly Sendable[],
    batch: Batch,
    life: { readonly signal: AbortSignal; readonly mayGoOn: () => boolean },
  ): Promise<OutboundVerdict> {
    const [head, ...peers] = sendables.slice(0, batch.count);
    if (!head) return rejected(ErrorCode.targetDeliveryFailed, REJECTED.empty, false);
    const parts = peers.length === 0 ? head.parts : session.plan({ text: batch.text, files: [] });
    const deadline = this.#deps.clock.monotonic() + CALL_BUDGET_MS;
    const sending = {
      session,
      parts,
      draft: undefined,
      deadline,
      mayWait: true,
      peers: peers.map(({ entry }) => entry),
      ...life,
    };
    return new PartSender(this.#deps, sending, head.entry).run();
  }

  #entryOf({ channelId, entryId, contentHash, accountId }: HeldReply): LedgerEntry {
    const found = this.#deps.ledger.find(channelId, entryId);
    // Whose it is stands in both; damage may have taken it from the one.
    if (found) return { ...found, state: 'sending', detail: { ...found.detail, accountId } };
    const detail = { accountId, messageIds: [] };
    return { channelId, entryId, contentHash, state: 'sending', partsSent: 0, inDoubt: false, detail };
  }
}

function isThere(file: StoredFile | undefined): file is StoredFile {
  return file !== undefined;
}
