import type { Page } from 'playwright-core';

/** How long a person of these journeys waits for what they expect, on a machine that is busy with other suites; milliseconds. */
export const PATIENCE_MS = 25_000;

/** Keeps what a page complains about. */
export function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
}
