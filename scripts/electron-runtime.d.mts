/** The Electron inside the test runtime's package. */
export const TEST_ELECTRON: string;
export function findElectron(): Promise<{ electron: string; note?: string } | { reason: string }>;
export function installedElectron(): string | undefined;
export function testRuntime(): Promise<string | undefined>;
