import type { Sql } from './store.js';

/** What a parameter may be. Not boolean: the native module ends the whole process on one, so write 0 or 1. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** A prepared statement. `Row` describes the columns it selects; the STRICT tables hold the promise. */
export interface Statement<Row> {
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  /** Like {@link run} for who does not ask what changed: finding that out takes as long again as a small write. */
  exec(...values: readonly SqlValue[]): void;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): Row[];
}

const cache = new WeakMap<Sql, Map<string, Statement<unknown>>>();

/**
 * The statement for `text`, prepared once per connection: preparing costs several times what running a small statement does.
 * Use it with literal SQL and bound parameters only; text built from data would grow the cache without bound.
 *
 * Rows are plain objects of their columns, parameters are always positional (`?`), and a parameter of a kind SQLite does not
 * have is a TypeError.
 */
export function prepared<Row = Record<string, unknown>>(sql: Sql, text: string): Statement<Row> {
  let statements = cache.get(sql);
  if (!statements) {
    statements = new Map();
    cache.set(sql, statements);
  }
  let statement = statements.get(text);
  if (!statement) {
    statement = prepare(sql, text);
    statements.set(text, statement);
  }
  return statement as Statement<Row>;
}

/** Forgets a connection's statements: each one kept alive keeps the closed connection's files open. */
export function forgetStatements(sql: Sql): void {
  cache.delete(sql);
}

function prepare(sql: Sql, text: string): Statement<unknown> {
  const native = sql.prepare<[readonly SqlValue[]]>(text);
  return {
    run: (...values) => {
      const { changes, lastInsertRowid } = native.run(checked(values));
      return { changes, lastInsertRowid };
    },
    // A statement that gives no row is complete after its first step.
    exec: (...values) => void native.get(checked(values)),
    get: (...values) => withoutMetadata(native.get(checked(values))),
    all: (...values) => native.all(checked(values)),
  };
}

/** As one array, because the native module takes a lone Buffer for named parameters and a lone null for a fault. */
function checked(values: readonly SqlValue[]): readonly SqlValue[] {
  for (const value of values) {
    if (value === null || value instanceof Uint8Array) continue;
    const kind = typeof value;
    if (kind !== 'string' && kind !== 'number' && kind !== 'bigint')
      throw new TypeError(`cannot bind a ${kind} in SQL`);
  }
  return values;
}

/** libsql adds timing to the row of `get`, which is no column. */
function withoutMetadata(row: unknown): unknown {
  if (typeof row === 'object' && row !== null && '_metadata' in row) delete row._metadata;
  return row;
}
