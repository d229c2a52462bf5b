import type { Snapshot } from '../../../../src/bridge/index.js';

/** What became of messages since each account was connected, over all accounts. */
export interface Counters {
  readonly delivered: number;
  readonly repeats: number;
  readonly rejected: number;
  readonly expired: number;
  readonly dropped: number;
  /** Answers that their network refused for good. */
  readonly refusedAnswers: number;
  /** Answers that may or may not have arrived. */
  readonly uncertainAnswers: number;
}

export function countersOf(snapshot: Snapshot): Counters {
  const accounts = snapshot.connectors.flatMap((connector) => connector.accounts);
  const total = (name: string): number => accounts.reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);
  return {
    delivered: total('delivered'),
    repeats: total('duplicate'),
    rejected: total('rejected'),
    expired: total('expired'),
    dropped: total('evicted'),
    refusedAnswers: total('send_refused'),
    uncertainAnswers: total('in_doubt'),
  };
}
