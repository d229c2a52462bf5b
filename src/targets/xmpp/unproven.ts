import { parseJson } from '../../base/parse-json.js';
import type { Intake } from '../target.js';
import { arrayOf, textOf } from '../json-fields.js';

/** Sends whose end is not known are few; the oldest beyond these were given up by everybody long ago. */
const MAX_UNPROVEN = 200;

/** One message that was handed to a line and of which no proof came. */
export interface Attempt {
  /** Where the archive stood before: a copy of the message can only be behind it. Undefined without an archive. */
  readonly after: string | undefined;
}

/**
 * The messages that may be at the server though nobody saw the proof, kept on disk: noted before a message goes out, so that a repeat
 * after a crash is known to be one. What was proven leaves the disk with the next note.
 */
export class Unproven {
  readonly #intake: Pick<Intake, 'state' | 'commit'>;
  readonly #consumer: string;
  readonly #attempts = new Map<string, Attempt>();

  constructor(intake: Pick<Intake, 'state' | 'commit'>, consumer: string) {
    this.#intake = intake;
    this.#consumer = consumer;
    for (const entry of arrayOf(parseJson(intake.state(consumer, 'unproven') ?? '[]'))) {
      const [id, after] = arrayOf(entry);
      const name = textOf(id);
      if (name !== undefined) this.#attempts.set(name, { after: typeof after === 'string' ? after : undefined });
    }
  }

  get(id: string): Attempt | undefined {
    return this.#attempts.get(id);
  }

  /** Durable when it resolves. @throws StoreError */
  async note(id: string): Promise<void> {
    if (!this.#attempts.has(id)) this.#attempts.set(id, { after: this.#intake.state(this.#consumer, 'cursor') });
    for (const oldest of this.#attempts.keys()) {
      if (this.#attempts.size <= MAX_UNPROVEN) break;
      this.#attempts.delete(oldest);
    }
    const entries = Array.from(this.#attempts, ([name, { after }]) => [name, after ?? null]);
    await this.#intake.commit({
      consumer: this.#consumer,
      state: { unproven: JSON.stringify(entries) },
      messages: [],
    });
  }

  /** What became of it is known. */
  settle(id: string): void {
    this.#attempts.delete(id);
  }
}
