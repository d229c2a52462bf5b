import fc from 'fast-check';

/** What stands where something sensible should. */
const NONSENSE = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    '',
    '0',
    ' ',
    '\ud800',
    '__proto__',
    [],
    {},
    [null],
    { length: -1 },
    'x'.repeat(70_000),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

interface Wound {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'repeat';
  readonly with: unknown;
}

/** A value of JSON that was right, in which some places hold nonsense, nothing, or themselves twice. */
export function mangled(sample: unknown): fc.Arbitrary<unknown> {
  const wound = fc.record<Wound>({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'remove', 'repeat'),
    with: NONSENSE,
  });
  return fc.array(wound, { minLength: 1, maxLength: 5 }).map((wounds) => {
    const whole = { root: structuredClone(sample) };
    for (const each of wounds) strike(whole, each);
    return whole.root;
  });
}

function strike(whole: { root: unknown }, { at, how, with: nonsense }: Wound): void {
  const places = placesIn(whole);
  const place = places[at % places.length];
  if (!place) return;
  const { holder, key } = place;
  if (how === 'remove') Reflect.deleteProperty(holder, key);
  else if (how === 'repeat') Reflect.set(holder, key, structuredClone([holder[key], holder[key]]));
  else Reflect.set(holder, key, structuredClone(nonsense));
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}
