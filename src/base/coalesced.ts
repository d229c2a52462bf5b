/** A call that many causes ask for and that runs once, after the event loop's turn in which they did. */
export class Coalesced {
  #scheduled: NodeJS.Immediate | undefined;

  constructor(private readonly fn: () => void) {}

  request(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.fn();
    });
  }

  cancel(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
  }
}
