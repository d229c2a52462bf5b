/** A map that forgets its oldest entry beyond a number of them. */
export class BoundedMap<K, V> {
  readonly #map = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  /** The entry becomes the newest. */
  set(key: K, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size <= this.capacity) return;
    const [oldest] = this.#map.keys();
    if (oldest !== undefined) this.#map.delete(oldest);
  }

  delete(key: K): void {
    this.#map.delete(key);
  }

  deleteWhere(isGone: (value: V) => boolean): void {
    for (const [key, value] of this.#map) if (isGone(value)) this.#map.delete(key);
  }
}
