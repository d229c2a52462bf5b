import { DataDirLockedError, lockDataDir } from '../../../src/store/data-dir-lock.js';

/** Tries to lock argv[2]; says `locked`, or who has it as `held by <pid>`; keeps a lock until it is ended, or `release` is said. */
async function main(dataDir: string): Promise<void> {
  try {
    const lock = await lockDataDir(dataDir);
    process.send?.('locked');
    process.on('message', () => {
      void lock.release().then(() => process.disconnect());
    });
  } catch (error) {
    process.send?.(error instanceof DataDirLockedError ? `held by ${error.pid ?? 'unknown'}` : String(error));
    process.disconnect();
  }
}

void main(process.argv[2] ?? '');
