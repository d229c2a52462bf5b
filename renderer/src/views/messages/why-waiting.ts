import type { AccountSnapshot } from '../../../../src/bridge/index.js';

/** Why a message still waits, as a code that has words; times are Unix ms. */
export type WhyWaiting =
  /** Order is kept: an older message of its account goes first. */
  | { readonly code: 'behind' }
  | { readonly code: 'paused' }
  | { readonly code: 'no_agent' }
  | { readonly code: 'no_agent_server' }
  /** The agent has been offered it and has not answered yet. */
  | { readonly code: 'offered' }
  | {
      readonly code: 'ack_timeout' | 'disconnected' | 'transmit_failed' | 'store_failed';
      readonly retryAt: number;
    }
  /** The agent asked to be asked later, with a code of its own. */
  | { readonly code: 'agent_asked_later'; readonly agentCode: string; readonly retryAt: number };

const OWN_FAILURES = ['ack_timeout', 'disconnected', 'transmit_failed', 'store_failed'] as const;

/**
 * @param place the message's place in its account's queue; only the first is ever offered
 * @param lastError how the last try to hand it over ended
 */
export function whyWaiting(
  account: AccountSnapshot,
  place: number,
  lastError: string | undefined,
  paused: boolean,
): WhyWaiting {
  if (place > 0) return { code: 'behind' };
  if (paused) return { code: 'paused' };
  if (!account.agentConnected) return { code: account.deliverTo === 'agentServer' ? 'no_agent_server' : 'no_agent' };
  const { retryAt } = account.queue;
  if (lastError === undefined || retryAt === undefined) return { code: 'offered' };
  const own = OWN_FAILURES.find((code) => code === lastError);
  if (own !== undefined) return { code: own, retryAt };
  return { code: 'agent_asked_later', agentCode: lastError, retryAt };
}
