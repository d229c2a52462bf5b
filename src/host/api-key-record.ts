import { createHash } from 'node:crypto';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { prepared, type Store } from '../store/index.js';

/** When API keys were made. The secret store keeps the key alone, and may be another one's than the database's. */
export interface ApiKeyRecord {
  /** Unix ms; undefined for a key that was made elsewhere, or before this was recorded. */
  createdAt(key: string): number | undefined;
  /** Keeps it for this key alone. A disk that refuses costs the date, not the key. */
  made(key: string, at: number): Promise<void>;
}

export function apiKeyRecord(store: Store, log: Logger): ApiKeyRecord {
  return {
    createdAt(key) {
      const row = prepared<{ created_at: number }>(store.sql, 'SELECT created_at FROM api_key WHERE digest = ?').get(
        digestOf(key),
      );
      return row?.created_at;
    },
    async made(key, at) {
      try {
        await store.write((sql) => {
          prepared(sql, 'DELETE FROM api_key').run();
          prepared(sql, 'INSERT INTO api_key (digest, created_at) VALUES (?, ?)').run(digestOf(key), at);
        });
      } catch (error) {
        log.warn({ error: describeError(error) }, 'when the API key was made could not be stored');
      }
    },
  };
}

/** Of 256 random bits nothing can be guessed back. */
function digestOf(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
