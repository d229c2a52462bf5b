import type { RehearsalCode } from '../../bridge/index.js';

/** A step of the rehearsal did not go as it should. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  /** @param detail for the log; no secret and no address */
  constructor(
    readonly code: RehearsalCode,
    detail: string = code,
  ) {
    super(detail);
  }
}

/** @throws StepFailure with this code unless it holds */
export function must(holds: boolean, code: RehearsalCode, detail?: string): asserts holds {
  if (!holds) throw new StepFailure(code, detail);
}
