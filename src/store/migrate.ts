import { MIGRATIONS } from './migrations.js';
import type { Sql } from './store.js';

/** The `user_version` this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the database to `migrations.length`, one transaction for each step, so that a crash in between leaves a whole version.
 * The caller has refused newer versions.
 */
export function migrate(sql: Sql, migrations: readonly string[] = MIGRATIONS): void {
  const from = userVersion(sql);
  for (const [index, text] of migrations.entries()) {
    if (index < from) continue;
    sql.exec('BEGIN IMMEDIATE');
    try {
      sql.exec(text);
      sql.exec(`PRAGMA user_version = ${index + 1}`);
      sql.exec('COMMIT');
    } catch (error) {
      if (sql.inTransaction) sql.exec('ROLLBACK');
      throw error;
    }
  }
}

function userVersion(sql: Sql): number {
  const row: unknown = sql.prepare('PRAGMA user_version').get();
  if (typeof row === 'object' && row !== null && 'user_version' in row && typeof row.user_version === 'number') {
    return row.user_version;
  }
  throw new Error('PRAGMA user_version gave no number');
}
