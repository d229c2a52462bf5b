import type { Page } from 'playwright-core';
import type { Config } from '../../support/host-process.js';

/** The key that agents of these journeys connect with; no page may ever hold it. */
export const API_KEY = 'canary-key-of-these-journeys-0123456789abcdef';

/** Of the proxy that the environment names; everything here is on this machine and goes past it. */
export const PROXY_PASSWORD = 'canary-proxy-password';

/** What a person has in front of them: the desktop app, or the same window in a browser, each of the built product. */
export interface Product {
  readonly kind: 'desktop' | 'browser';
  /** Where agents find the host. */
  readonly url: string;
  /** The open window. */
  readonly page: Page;
  /** What the window complained about so far: errors of its scripts and its console. */
  readonly complaints: readonly string[];
  /** All that the program told the window so far: every frame of its socket, every answer and push of its IPC. */
  said(): Promise<readonly string[]>;
  /** Closes the window and opens it again, as a person does: from the tray, or by loading the page anew. */
  reopen(): Promise<void>;
  /** Does what starts a download and gives what was saved. */
  save(click: () => Promise<void>): Promise<Buffer>;
  end(): Promise<void>;
}

export type OpenProduct<P extends Product> = (config: Config) => Promise<P>;
