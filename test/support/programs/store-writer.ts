import { systemClock } from '../../../src/base/clock.js';
import type { Logger } from '../../../src/base/logger.js';
import { openStore, prepared } from '../../../src/store/index.js';

/** Writes rows of ever new numbers from argv[3] on, and says the number of each on a line of its own once it is on disk. */
async function main(dataDir: string, first: number): Promise<void> {
  const silent = (): void => undefined;
  const log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> = {
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
  };
  const store = await openStore({
    dataDir,
    clock: systemClock,
    log: {
      ...log,
      child: () => {
        throw new Error('not used');
      },
    },
  });
  for (let next = first; ;) {
    const group = Array.from({ length: 1 + (next % 7) }, () => next++);
    const acknowledged = await Promise.all(
      group.map((n) =>
        store.write((sql) => {
          prepared(sql, 'INSERT INTO seen (account_id, dedup_key, seen_at) VALUES (?, ?, ?)').run('a', String(n), n);
          return n;
        }),
      ),
    );
    process.stdout.write(acknowledged.map((n) => `${n}\n`).join(''));
  }
}

void main(process.argv[2] ?? '', Number(process.argv[3]));
