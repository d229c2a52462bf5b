import { StoreError, type Sql, type Store } from '../../src/store/store.js';

/** A real store behind a disk that can be made to refuse: everything of a refused write is undone. */
export class FlakyStore implements Store {
  /** While set, every write runs and is then refused with this code. */
  refuse: StoreError['code'] | undefined;

  constructor(private readonly store: Store) {}

  get sql(): Sql {
    return this.store.sql;
  }

  get damaged(): Store['damaged'] {
    return this.store.damaged;
  }

  get failing(): Store['failing'] {
    return this.refuse ?? this.store.failing;
  }

  write<T>(fn: (sql: Sql) => T): Promise<T> {
    return this.store.write((sql) => {
      const result = fn(sql);
      if (this.refuse) throw new StoreError(this.refuse, 'the disk refused');
      return result;
    });
  }

  flush(): Promise<void> {
    return this.store.flush();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
