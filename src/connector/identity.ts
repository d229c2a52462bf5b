import { newId } from '../base/ids.js';
import { prepared } from '../store/statements.js';
import type { Sql, Store } from '../store/store.js';

/** A connector's runtime identity (protocol 3.0 section 8.1) and how much of its lease is used up (section 8.2). */
export interface Identity {
  readonly connectorId: string;
  /** Milliseconds the host ran awake without a data plane since the last one left. */
  readonly offlineMs: number;
}

/** The identity held for a card; undefined before its first start on this machine. */
export function readIdentity(sql: Sql, cardId: string): Identity | undefined {
  const row = prepared<{ connector_id: string; offline_ms: number }>(
    sql,
    'SELECT connector_id, offline_ms FROM connector WHERE card_id = ?',
  ).get(cardId);
  return row && { connectorId: row.connector_id, offlineMs: row.offline_ms };
}

export function newConnectorId(): string {
  return newId('conn');
}

/** Inside a transaction: from now on this card answers with `connectorId`, with its whole lease before it. */
export function putIdentity(sql: Sql, cardId: string, connectorId: string, now: number): void {
  prepared(
    sql,
    `INSERT INTO connector (card_id, connector_id, offline_ms, created_at) VALUES (?, ?, 0, ?)
     ON CONFLICT (card_id) DO UPDATE SET connector_id = excluded.connector_id, offline_ms = 0, created_at = excluded.created_at`,
  ).run(cardId, connectorId, now);
}

/** Remembers how much of the lease is used up, so that a restart neither forgets it nor counts it twice. */
export function saveOfflineMs(store: Store, cardId: string, connectorId: string, offlineMs: number): Promise<void> {
  return store.write((sql) => {
    prepared(sql, 'UPDATE connector SET offline_ms = ? WHERE card_id = ? AND connector_id = ?').run(
      Math.round(offlineMs),
      cardId,
      connectorId,
    );
  });
}
