/**
 * What survives a restart: the database with its writers' queue, the lock on the data directory, and the secret store.
 * Each room keeps the SQL of its own tables and runs it through {@link Store} and {@link prepared}.
 */
export { DATABASE_FILE, openStore } from './database.js';
export { claimConsumer, noteGoneAccount, takeGoneAccounts } from './gone-accounts.js';
export { putConsumerState, readConsumerState } from './consumer-state.js';
export { prepared } from './statements.js';
export { openStoredTime, type Machine } from './stored-time.js';
export { StoreError, type Sql, type Store, type Urgency } from './store.js';
