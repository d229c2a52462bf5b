import { parseJson } from '../base/parse-json.js';
import { prepared } from '../store/statements.js';
import type { Sql } from '../store/store.js';
import { fieldsOf } from '../targets/json-fields.js';
import type { BindingState, Json } from '../targets/target.js';
import type { DeliverTo } from './connector.js';

/** One row of table `account`: a sign-in to the network, without its credentials. */
export interface AccountRow {
  readonly accountId: string;
  readonly identity: string;
  readonly displayName: string;
  readonly accountHint: string;
  /** Null when what was stored can't be read: the account is kept, and can't be opened until it is signed in anew. */
  readonly binding: Json;
  readonly lastState: BindingState;
  /** Whether a channel has ever held it: only then it is under the lease. */
  readonly claimed: boolean;
  /** The person's own choice for this account; undefined follows the connector's. */
  readonly deliverTo: DeliverTo | undefined;
  readonly createdAt: number;
}

interface Columns {
  account_id: string;
  identity: string;
  display_name: string;
  account_hint: string;
  binding: string;
  last_state: string;
  claimed: number;
  deliver_to: DeliverTo | null;
  created_at: number;
}

/** All accounts of a card, in the order they were signed in. */
export function readAccounts(sql: Sql, cardId: string): AccountRow[] {
  return prepared<Columns>(sql, 'SELECT * FROM account WHERE card_id = ? ORDER BY created_at, account_id')
    .all(cardId)
    .map((row) => ({
      accountId: row.account_id,
      identity: row.identity,
      displayName: row.display_name,
      accountHint: row.account_hint,
      binding: (parseJson(row.binding) ?? null) as Json,
      lastState: stateOf(parseJson(row.last_state), row.created_at),
      claimed: row.claimed === 1,
      deliverTo: row.deliver_to ?? undefined,
      createdAt: row.created_at,
    }));
}

/** The accounts of all cards. */
export function readAccountIds(sql: Sql): string[] {
  const rows = prepared<Pick<Columns, 'account_id'>>(sql, 'SELECT account_id FROM account ORDER BY account_id').all();
  return rows.map(({ account_id }) => account_id);
}

const STATUSES: ReadonlySet<unknown> = new Set<BindingState['status']>([
  'connected',
  'degraded',
  'offline',
  'expired',
  'revoked',
  'error',
]);

/** The state as it was stored; of one that can't be read nothing is known, and the network says it again once it is asked. */
function stateOf(stored: unknown, since: number): BindingState {
  const { status, code, since: storedSince } = fieldsOf(stored);
  const isState =
    STATUSES.has(status) && typeof storedSince === 'number' && (status === 'connected' || typeof code === 'string');
  return isState ? (stored as BindingState) : { status: 'offline', code: 'connecting', since };
}

/** Inside a transaction: writes a new account, or everything a new sign-in of it may have changed. */
export function putAccount(sql: Sql, cardId: string, row: AccountRow): void {
  prepared(
    sql,
    `INSERT INTO account (account_id, card_id, identity, display_name, account_hint, binding, last_state, claimed, deliver_to, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET display_name = excluded.display_name, account_hint = excluded.account_hint,
       binding = excluded.binding, last_state = excluded.last_state, claimed = excluded.claimed`,
  ).run(
    row.accountId,
    cardId,
    row.identity,
    row.displayName,
    row.accountHint,
    JSON.stringify(row.binding),
    JSON.stringify(row.lastState),
    row.claimed ? 1 : 0,
    row.deliverTo ?? null,
    row.createdAt,
  );
}

export function putAccountState(sql: Sql, accountId: string, state: BindingState): void {
  prepared(sql, 'UPDATE account SET last_state = ? WHERE account_id = ?').run(JSON.stringify(state), accountId);
}

export function putAccountBinding(sql: Sql, accountId: string, binding: Json): void {
  prepared(sql, 'UPDATE account SET binding = ? WHERE account_id = ?').run(JSON.stringify(binding), accountId);
}

export function putAccountClaimed(sql: Sql, accountId: string): void {
  prepared(sql, 'UPDATE account SET claimed = 1 WHERE account_id = ?').run(accountId);
}

export function putAccountDeliverTo(sql: Sql, accountId: string, deliverTo: DeliverTo | undefined): void {
  prepared(sql, 'UPDATE account SET deliver_to = ? WHERE account_id = ?').run(deliverTo ?? null, accountId);
}

export function deleteAccount(sql: Sql, accountId: string): void {
  prepared(sql, 'DELETE FROM account WHERE account_id = ?').run(accountId);
}
