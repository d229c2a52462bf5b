import type { Intake } from '../target.js';

/** A positive whole number in a consumer's state; undefined where there is none, or what is there is none. */
export function storedNumber(intake: Pick<Intake, 'state'>, consumer: string, key: string): number | undefined {
  const stored = Number(intake.state(consumer, key));
  return Number.isSafeInteger(stored) && stored > 0 ? stored : undefined;
}
