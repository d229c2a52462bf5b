/** What goes wrong with one call. */
export type Fault =
  /** Answered with this refusal instead of being carried out. */
  | {
      readonly kind: 'refuse';
      readonly error_code: number;
      readonly description: string;
      readonly parameters?: Readonly<Record<string, unknown>>;
    }
  /** Carried out, then the connection is cut before the answer. */
  | { readonly kind: 'cutAfter' }
  /** Carried out, but not answered until {@link TelegramSimulator.release}: the moment between effect and answer, held open. */
  | { readonly kind: 'holdAfter' }
  /** The connection is cut before anything happens. */
  | { readonly kind: 'cutBefore' }
  /** Never answered. */
  | { readonly kind: 'hang' }
  /** Answered with these bytes as they stand. */
  | {
      readonly kind: 'garbage';
      readonly status?: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** Carried out at once, answered after this many milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The answer announces more bytes than come. */
  | { readonly kind: 'truncate' };

/** Refusals as Telegram words them. */
export const refusals = {
  unauthorized: refusal(401, 'Unauthorized'),
  blocked: refusal(403, 'Forbidden: bot was blocked by the user'),
  kicked: refusal(403, 'Forbidden: bot was kicked from the supergroup chat'),
  conflict: refusal(
    409,
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  ),
  webhook: refusal(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  ),
  entities: refusal(400, "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 3"),
  chatNotFound: refusal(400, 'Bad Request: chat not found'),
  photoInvalid: refusal(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS'),
  draftRefused: refusal(400, 'Bad Request: TEXTDRAFT_PEER_INVALID'),
  internal: refusal(500, 'Internal Server Error'),
  tooMany: (retry_after: number): Fault => ({
    ...refusal(429, `Too Many Requests: retry after ${String(retry_after)}`),
    parameters: { retry_after },
  }),
  migrated: (migrate_to_chat_id: number): Fault => ({
    ...refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat'),
    parameters: { migrate_to_chat_id },
  }),
  unknownMethod: refusal(404, 'Not Found: method not found'),
} as const;

function refusal(error_code: number, description: string): Extract<Fault, { kind: 'refuse' }> {
  return { kind: 'refuse', error_code, description };
}

interface Scripted {
  readonly fault: Fault;
  left: number;
}

/** Faults waiting for the calls of a method, first in first out. */
export class FaultScript {
  readonly #byMethod = new Map<string, Scripted[]>();

  add(method: string, fault: Fault, times = 1): void {
    const key = method.toLowerCase();
    this.#byMethod.set(key, [...(this.#byMethod.get(key) ?? []), { fault, left: times }]);
  }

  clear(method?: string): void {
    if (method === undefined) this.#byMethod.clear();
    else this.#byMethod.delete(method.toLowerCase());
  }

  /** Faults that no call has met yet. */
  waiting(method: string): number {
    return this.#byMethod.get(method.toLowerCase())?.length ?? 0;
  }

  take(method: string): Fault | undefined {
    const queue = this.#byMethod.get(method.toLowerCase());
    const head = queue?.[0];
    if (!queue || !head) return undefined;
    head.left -= 1;
    if (head.left <= 0) queue.shift();
    return head.fault;
  }
}
