import { join } from 'node:path';
import { protocol, session } from 'electron';
import type { Host } from '../host/index.js';
import { BlobBodies } from './blob-bodies.js';
import { pageFiles } from './page-files.js';
import { servePage } from './page-protocol.js';
import { guardSession } from './web-guards.js';

/**
 * What Chromium keeps for our pages: guarded, and served from the build. It takes as long to make as all of a small page, so no
 * start waits for it: to be opened before the first window is made, or once nobody waits any more.
 */
export class PageSession {
  readonly #host: () => Host | undefined;
  #isOpen = false;

  constructor(host: () => Host | undefined) {
    this.#host = host;
  }

  /** Nothing when it is open already. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const bodies = new BlobBodies(session.defaultSession);
    guardSession(session.defaultSession, (details) => bodies.note(details));
    servePage(protocol, join(__dirname, 'renderer'), pageFiles(this.#host, bodies));
  }
}
