import { randomUUID } from 'node:crypto';
import { sleep, type Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { chatInterrupt, type Addressed } from './envelopes.js';
import type { Requests } from './requests.js';

/** How long the server may take to confirm an interrupt before life goes on without it, milliseconds. */
export const INTERRUPT_DEADLINE_MS = 10_000;

/** Cancels what runs in a session at the server, and waits for its confirmation. Never rejects; waits a bounded time. */
export async function cancelAtServer(
  deps: { readonly requests: Requests; readonly clock: Clock; readonly log: Logger },
  session: Pick<Addressed, 'account' | 'sessionId'>,
  mode: string,
): Promise<void> {
  const { requests, clock, log } = deps;
  const requestId = `int_${randomUUID()}`;
  const answered = new AbortController();
  const done = (): void => answered.abort();
  const envelope = chatInterrupt({ ...session, requestId, at: clock.now() }, mode);
  try {
    requests.ask(requestId, envelope, { alive: () => undefined, answered: done, lost: done });
  } catch (error) {
    log.info({ error: describeError(error) }, 'an interrupt could not be sent');
    return;
  }
  await sleep(clock, INTERRUPT_DEADLINE_MS, answered.signal).then(
    () => log.warn('the AgentServer did not confirm an interrupt'),
    () => undefined,
  );
  requests.finish(requestId);
}
