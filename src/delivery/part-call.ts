import type { Clock } from '../base/clock.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { Receipt } from '../targets/target.js';

/**
 * One part at the network at most. Large files go up in minutes; beyond this the target has lost the call,
 * and whether the network has the part is not known.
 */
const PART_MAX_MS = 600_000;

/** How one call of the network ended. */
export type CallOutcome =
  | { readonly kind: 'sent'; readonly receipt: Receipt }
  /** The network says no for good. */
  | { readonly kind: 'refused'; readonly refusal: TargetRefusal }
  /** The network says not now. */
  | { readonly kind: 'busy'; readonly refusal: TargetRefusal }
  /** Surely without effect. */
  | { readonly kind: 'unreachable' }
  /** It may have had its effect. */
  | { readonly kind: 'unclear'; readonly error: unknown };

/** What {@link callNetwork} found of a call that can't have an effect. */
export type PreparationOutcome = Exclude<CallOutcome, { kind: 'sent' | 'unclear' }>;

/** Waits until a part is ready to be sent, bounded in time; undefined when it is. */
export async function prepareCall(
  prepare: (signal: AbortSignal) => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Promise<PreparationOutcome | undefined> {
  const nothing: Receipt = { messageId: undefined };
  const outcome = await callNetwork((abort) => prepare(abort).then(() => nothing), clock, signal);
  if (outcome.kind === 'sent') return undefined;
  return outcome.kind === 'unclear' ? { kind: 'unreachable' } : outcome;
}

/** Makes one call, bounded in time even when the target forgets its signal. */
export async function callNetwork(
  call: (signal: AbortSignal) => Promise<Receipt>,
  clock: Clock,
  signal: AbortSignal,
): Promise<CallOutcome> {
  // Not begun, so surely without effect.
  if (signal.aborted) return { kind: 'unreachable' };
  const abort = new AbortController();
  const onAbort = (): void => abort.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(PART_MAX_MS, onAbort);
  try {
    const abandoned = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(new Error('abandoned')), { once: true });
    });
    const receipt = await Promise.race([call(abort.signal), abandoned]);
    return { kind: 'sent', receipt };
  } catch (error) {
    if (error instanceof TargetRefusal) return { kind: error.retryable ? 'busy' : 'refused', refusal: error };
    if (error instanceof TransportError && error.effect === 'none') return { kind: 'unreachable' };
    return { kind: 'unclear', error };
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
