import type { OutboundPart, StreamCapable } from '../../src/targets/target.js';

/** What a person sees of a streamed message, and how it was brought there. */
export class FakePreview implements StreamCapable {
  readonly minIntervalMs = 1_000;
  visible = true;
  readonly opened: string[] = [];
  readonly updates: string[] = [];
  readonly finished: { handle: string; text: string }[] = [];
  readonly discarded: string[] = [];
  running = 0;
  mostRunning = 0;
  gate: Promise<void> = Promise.resolve();
  openFault: Error | undefined;
  updateFault: Error | undefined;
  readonly finishFaults: Error[] = [];
  canStream = true;

  async open(text: string, _signal?: AbortSignal): Promise<{ handle: string; visible: boolean } | undefined> {
    await this.#call();
    if (this.openFault) throw this.openFault;
    if (!this.canStream) return undefined;
    this.opened.push(text);
    return { handle: `h${String(this.opened.length)}`, visible: this.visible };
  }

  async update(_handle: string, text: string, _signal?: AbortSignal): Promise<void> {
    await this.#call();
    if (this.updateFault) throw this.updateFault;
    this.updates.push(text);
  }

  async finish(handle: string, part: OutboundPart): Promise<{ messageId: string }> {
    await this.#call();
    const fault = this.finishFaults.shift();
    if (fault) throw fault;
    this.finished.push({ handle, text: part.kind === 'text' ? part.text : part.file.filename });
    return { messageId: handle };
  }

  discard(handle: string): void {
    this.discarded.push(handle);
  }

  async #call(): Promise<void> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    await this.gate;
    await Promise.resolve();
    this.running -= 1;
  }
}
